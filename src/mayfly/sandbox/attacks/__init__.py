"""Our own corpus of published escapes, fired at our own sandbox.

The cases are text under `cases/`, one file each; nothing here imports or runs them outside the sandbox. `run` sets up a
stage on the host (a secret, files to guard, listening sockets, a process to harm), runs every case behind the wall and
judges by what happened to the stage, not by what the case says alone.
"""

from mayfly.sandbox.attacks._cases import Case, cases
from mayfly.sandbox.attacks._run import CaseResult, Report, run

__all__ = ["Case", "CaseResult", "Report", "cases", "run"]
