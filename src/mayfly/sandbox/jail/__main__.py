"""Started by the host as `python -I -S -X utf8 <this directory> <descriptor>`, with an empty environment."""

import os
import sys

here = sys.path[0]
sys.path[0] = os.path.dirname(here)
from jail._zygote import main  # noqa: E402

del sys.path[0]
main(int(sys.argv[1]))
