"""What every case starts with: raw system calls and a common way to report. Put before the text of each case."""

import ctypes
import errno
import hashlib
import os
import re
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
AT_FDCWD = -100


def syscall(target, name, *arguments):
    """Make a system call past every library; give its result and the name of the error."""
    number = target["syscalls"].get(name)
    if number is None:
        return -1, "ENOSYS"
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *values)
    return result, errno.errorcode.get(ctypes.get_errno(), "EUNKNOWN") if result < 0 else ""


def openat(target, path, flags, mode=0):
    """Open a path with the raw call."""
    return syscall(target, "openat", AT_FDCWD, os.fsencode(path), flags, mode)


def escaped(evidence):
    """Report a way out."""
    return {"escaped": True, "evidence": evidence}


def blocked(call, error):
    """Report what refused the call: an error's name, or the exception it raised."""
    if isinstance(error, OSError) and error.errno is not None:
        error = errno.errorcode.get(error.errno, "EUNKNOWN")
    elif isinstance(error, BaseException):
        error = type(error).__name__
    return {"escaped": False, "evidence": f"{error} from {call}"}


def nothing(evidence):
    """Report that the attempt ran and brought nothing."""
    return {"escaped": False, "evidence": evidence}


def holds_token(target, data):
    """Say whether the host's secret is in the data; only its hash is known here."""
    data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else bytes(data)
    found = re.findall(rb"mayfly-[0-9a-f]{32}", data)
    return any(hashlib.sha256(token).hexdigest() == target["sha256"] for token in found)


def read_secret(target, opener, call):
    """Read the secret file with a function that the case dug up."""
    try:
        data = opener(target["secret"])
    except OSError as error:
        return blocked(call, error)
    return escaped(f"the secret file was read with {call}") if holds_token(target, data) else nothing("no secret in it")


def descriptor_bytes(opener, reader):
    """Turn a pair of descriptor functions into a reader of paths."""
    return lambda path: reader(opener(path, 0), 4096)


def harness():
    """Walk to whoever called us, and give the names there that belong to our reply: a nonce, and what sends it."""
    frame = sys._getframe()
    while frame is not None:
        for names in (frame.f_locals, frame.f_globals, getattr(frame.f_locals.get("self"), "__dict__", {})):
            if "nonce" in names and ("channel" in names or "reply" in names):
                return names
        frame = frame.f_back
    return {}


def forge(value, kind=b"O", error=b"", length=None):
    """Send a reply of our own in the form of the harness, with its nonce: a frame, or a line where it has lines."""
    names = harness()
    if "channel" in names:
        sizes = (len(value) if length is None else length, len(error), 0)
        names["channel"].sendall(struct.pack("=16scIII", names["nonce"], kind, *sizes) + value + error)
    elif names:
        os.write(1, names["nonce"].encode() + (b'{"value": %s}' % value if kind != b"E" else error) + b"\n")
    return bool(names)


def lines_descriptor(target):
    """Give the descriptor behind the lines we were handed, past the object that hides it."""
    if hasattr(target["lines"], "fileno"):
        return target["lines"].fileno()
    next(target["lines"], None)
    return max(number for number in range(64) if is_open(number))


def is_open(number):
    """Say whether a descriptor is open."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def databases(**settings):
    """Give the connection that was set up for queries, and one of our own with the settings we like."""
    import duckdb

    return duckdb, duckdb.connect(":memory:", config=settings)


def ask(database, statement):
    """Run one statement; give its rows, or none and why it was refused."""
    try:
        return database.execute(statement).fetchall(), ""
    except Exception as error:
        return [], f"{type(error).__name__} from DuckDB: {str(error).splitlines()[0]}"


