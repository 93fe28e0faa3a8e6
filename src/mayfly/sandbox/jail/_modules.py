"""Which modules a zygote has loaded before the walls close: behind them no extension module can be mapped any more.

Every mapping and every loaded module makes each fork dearer, so there are two kinds of zygotes. A lean one has what
most jobs import. A full one has all of the standard library. A job in a lean worker that comes to need an extension
module more gives up, and is run again, from the beginning, in a full one.
"""

from __future__ import annotations

import re

# Not preloaded: they need a terminal, a screen or a daemon, or exist for CPython's own tests.
SKIPPED = ("_test", "_xx", "xx", "_tkinter", "readline", "_curses", "_dbm", "_gdbm", "nis", "ossaudiodev", "spwd")
_PURE = """
    abc array ast asyncio base64 bisect calendar cmath codecs collections.abc contextlib contextvars copy csv ctypes
    dataclasses datetime decimal difflib encodings.ascii encodings.cp1252 encodings.idna encodings.latin_1 enum errno
    fractions functools graphlib hashlib heapq hmac html.parser inspect io ipaddress itertools json keyword linecache
    locale math numbers operator pathlib pickle pprint queue random re reprlib secrets select socket stat statistics
    string struct textwrap threading time token tomllib traceback types typing unicodedata urllib.parse uuid warnings
    weakref zlib zoneinfo _strptime _pydatetime _pylong
"""
NET = ("http.client", "ssl", "urllib.request")
# What tier ephemeral may import, and what needs few extension modules besides those that a worker has anyway.
_LEAN = """
    __future__ abc bisect calendar collections collections.abc contextlib copy dataclasses datetime enum errno functools
    heapq io itertools json keyword linecache locale math numbers operator os re reprlib stat string struct sys textwrap
    time types typing warnings weakref _strptime _pydatetime
"""
# Of those, what a zygote for a few jobs has to have: the jobs read the others from their files themselves.
_LEAN_EXTENSIONS = "_bisect _datetime _heapq _json _opcode _struct _typing math"

PURE, LEAN, LEAN_EXTENSIONS = _PURE.split(), _LEAN.split(), _LEAN_EXTENSIONS.split()

# An import at the beginning of a line, where nearly all are; what is written otherwise is found when it is run.
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([^\n#;(]+))", re.MULTILINE)
_LEAN_NAMES = frozenset(name.encode() for name in LEAN)


def is_lean(source: bytes) -> bool:
    """Say whether *source* looks as if a lean zygote had all it imports; a wrong answer costs time, nothing else."""
    if b"async" in source:  # needs asyncio
        return False
    for module, listed in _IMPORT.findall(source):
        names = [module] if module else [words[0] for part in listed.split(b",") if (words := part.split())]
        if not _LEAN_NAMES.issuperset(names):
            return False
    return True
