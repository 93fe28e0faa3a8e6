"""Random numbers: no two workers may share those that are still to come, whatever the zygote has used of them.

A fork copies the state of every generator. Python's are found and seeded anew. OpenSSL's notices a fork by the process
id, and every worker at level namespaces has the same one as its zygote: so it is tried whether two children agree.
"""

from __future__ import annotations

import _random
import gc
import os
import sys
from typing import NoReturn

from ._state import Jail, high

_SIZE = 32
# What CPython's own at-fork hook does, without the way through Python.
_seed = _random.Random.seed


def find_generators(jail: Jail) -> None:
    """In the zygote, when all is loaded: note what of Python's a worker has to seed."""
    jail.generators = [found for found in gc.get_objects() if isinstance(found, _random.Random)]


def try_openssl(jail: Jail) -> None:
    """In the zygote, as the last thing before it serves: note whether a worker has to seed OpenSSL as well."""
    openssl = sys.modules.get("_ssl")
    if openssl is not None and jail.level == "namespaces" and _draw(jail) == _draw(jail):
        jail.openssl = openssl


def seed(jail: Jail) -> None:
    """In a worker: make what it inherited its own."""
    for generator in jail.generators:
        _seed(generator)
    if jail.openssl is not None:
        jail.openssl.RAND_add(os.urandom(_SIZE), float(_SIZE))


def _draw(jail: Jail) -> bytes:
    """Return what a child gets from OpenSSL, where children have process ids as workers do."""
    reader, writer = (high(end) for end in os.pipe())
    child = jail.fork()
    if child == 0:
        _tell(writer)
    os.close(writer)
    try:
        return os.read(reader, _SIZE)
    finally:
        os.close(reader)
        os.waitpid(child, 0)


def _tell(writer: int) -> NoReturn:
    try:
        os.write(writer, sys.modules["_ssl"].RAND_bytes(_SIZE))
    finally:
        os._exit(0)
