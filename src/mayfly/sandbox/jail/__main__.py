"""Started by the host as `python -I -S -X utf8 <this directory> ...`, with an empty environment."""

import gc
import json
import os
import sys

# What is imported never becomes garbage; workers look for theirs again.
gc.disable()
here = sys.path[0]
sys.path[0] = os.path.dirname(here)
if sys.argv[1] == "zygote":
    from jail import _zygote  # type: ignore[import-not-found]

    del sys.path[0]
    _zygote.main(int(sys.argv[2]))
elif sys.argv[1] == "bench":
    from jail import _bench_launcher

    del sys.path[0]
    _bench_launcher.main(int(sys.argv[2]))
else:
    from jail import _broker

    del sys.path[0]
    _broker.main(int(sys.argv[2]), json.loads(sys.argv[3]), int(sys.argv[4]))
