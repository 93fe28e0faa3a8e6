"""The frames between the host and a worker: fixed headers, lengths checked before anything is read.

Only JSON and text cross, never pickled objects. The nonce is new for each call, so no answer is taken for that to
another call, and bytes that a job writes without it are a protocol error. A job that looks for the nonce finds it, in
the frames of whoever called it: what it sends then is its own answer, and is checked like any other.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

# Where a proxy outside answers, on the loopback of a network that leads nowhere else.
PORT = 3128
NONCE = 16
REQUEST = struct.Struct("=16sBQIIIIII")
NAMED, GUARDED, LINES, AGAIN, DATA, WATCHED = 1, 2, 4, 8, 16, 32
# Before the request of a job about data, to a worker that is not confined yet: how long the JSON is that follows.
SETUP = struct.Struct("=I")


class Request(NamedTuple):
    """The header of a request; entry, imports (names between NULs), source and argument (JSON) follow it.

    AGAIN calls what is already loaded. LINES hands in a descriptor after the request. DATA has the names of the files
    that came before it as the argument. WATCHED asks for word of how far a query is. Zero is no limit of its own.
    """

    nonce: bytes
    flags: int
    memory: int
    tasks: int
    result: int
    entry: int
    imports: int
    source: int
    argument: int


# Reply: nonce, kind, the lengths of value (JSON), error and traceback. MORE: a lean worker lacks a module. PROGRESS:
# the part of a query that is done, and no answer yet.
REPLY = struct.Struct("=16scIII")
OK, ERROR, MEMORY, PART, BROKEN, MORE, PROGRESS = b"O", b"E", b"M", b"P", b"B", b"+", b"%"

ERROR_SIZE = 4_000
TRACEBACK_SIZE = 16_000

# Host to zygote: one byte, and a worker's number for a question. Zygote to host: the same letter and what was asked.
SPAWN, ASK, READY, FAILED = b"S", b"A", b"Z", b"F"
# A failure: the letter and the number of the system's error, 0 where it is our own; a text follows.
FAILURE = struct.Struct("=ci")
WORKER = struct.Struct("=cIi")
# Host to broker, by the number of a worker: its listening socket with what it opens (JSON) after it, and its end.
DOOR = struct.Struct("=cI")
OPEN, SHUT = b"+", b"-"
# Broker to host, by the same number: a host and port that no grant covers, or what is asked of the wallet and how long
# the JSON is, with the descriptor of a connection on which that comes and the answer goes back.
REFUSED, ASKED = b"!", b"$"
PURCHASE = struct.Struct("=cI")
BUY, BALANCE, PURCHASE_STATUS = b"B", b"M", b"S"
DOOR_SIZE = DOOR.size + 512
# The number of a worker, its wait status and its processor seconds.
STATUS = struct.Struct("=cIid")
