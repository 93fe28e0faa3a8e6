"""Which modules a job of each tier may import: a second layer for quality, never the wall."""

EPHEMERAL_IMPORTS = frozenset({"re", "json", "dataclasses", "typing", "datetime", "math"})

# What only computes: the same arguments give the same values, and nothing is read, written, sent, started or timed.
# A few modules do that but for some of their names (io.open, uuid.uuid4, random.random); those names are refused by
# the stability gate, see gates/stability/imports.toml.
_COMPUTING = """
    abc array base64 binascii bisect calendar cmath collections colorsys contextlib copy csv decimal difflib enum
    fractions functools graphlib hashlib heapq hmac html io ipaddress itertools keyword numbers operator pprint random
    reprlib statistics string struct textwrap tomllib unicodedata urllib.parse uuid zlib zoneinfo
"""
# Left out, although they are often named together with these:
#   time timeit sched                     a clock
#   secrets                               chance is all it has
#   os sys platform locale logging        the process and the machine it runs on
#   pathlib glob tempfile codecs bz2 gzip lzma configparser fileinput sqlite3 xml     open files by name
#   urllib (all but parse) email socket   the network, or made for it
#   asyncio threading queue signal        other threads, and the order they happen to run in
#   types inspect ast pickle marshal      make functions out of code, or objects out of bytes
#   gc weakref                            what they give depends on when memory is collected

MEMO_IMPORTS = EPHEMERAL_IMPORTS | frozenset(_COMPUTING.split())
"""What tier memo may import, and every tier above: those have grants besides."""
