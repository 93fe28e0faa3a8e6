"""Started by the host: `python -I -X utf8 <this directory> <directory of mypy> serve|once`, with little environment."""

import os
import sys

here = sys.path[0]
sys.path[0] = os.path.dirname(here)
if sys.argv[1] not in sys.path:  # a package installed for one user only is hidden by -I
    sys.path.append(sys.argv[1])
from typeserver import _server  # type: ignore[import-not-found]  # noqa: E402

del sys.path[0]
_server.main(sys.argv[2])
