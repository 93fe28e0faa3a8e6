"""Say in words what stopped a case, from the error it ran into and the way its job ended."""

from __future__ import annotations

import errno
import re

from mayfly.sandbox.attacks._cases import Case

_FROM = re.compile(r"\b(E[A-Z0-9]{2,}|MemoryError|RuntimeError|OverflowError|RecursionError) from ([\w.]+)")
_NUMBER = re.compile(r"\[Errno (\d+)\]")
_LAYER = {
    "EPERM": "seccomp",
    "ENOSYS": "seccomp",
    "EACCES": "Landlock",
    "EROFS": "the read-only root",
    "ESRCH": "its own pid namespace",
    "ECONNREFUSED": "its own network namespace",
    "ENETUNREACH": "its own network namespace",
    "ENOMEM": "the memory limit",
    "MemoryError": "the memory limit",
    "OverflowError": "the memory limit",
    "EFBIG": "the limit on output",
    "EMFILE": "the limit on descriptors",
    "RuntimeError": "the limit on threads",
}
_STATUS = {
    "memory": "the memory limit",
    "died": "no reply is no result",
}


def stopped_by(case: Case, *, level: str, status: str, value: object, error: str | None) -> str:
    """Return what stopped the case, as far as its end and its evidence tell."""
    if status == "timeout":
        return f"wall clock after {case.timeout * 1000:.0f} ms"
    if status in _STATUS:
        return f"{_STATUS[status]}: {one_line(error)}" if error else _STATUS[status]
    evidence = value.get("evidence") if isinstance(value, dict) else None
    text = one_line(str(evidence) if status == "ok" and evidence else error)
    return _layer(text, level) or text or "nothing to stop: the answer is data"


def _layer(text: str, level: str) -> str | None:
    if match := _FROM.search(text):
        name, call = match.groups()
    elif match := _NUMBER.search(text):
        name, call = errno.errorcode.get(int(match[1]), ""), "the call"
    else:
        return None
    if name == "ENOENT" and level == "namespaces":
        return "no such file in the sandbox's root"
    return f"{_LAYER[name]}: {name} from {call}" if name in _LAYER else f"{name} from {call}"


def one_line(text: str | None) -> str:
    """Return *text* fit for a terminal: one line, nothing that is not printable, and not long."""
    printable = "".join(character if character.isprintable() else "?" for character in (text or "").strip())
    return printable if len(printable) <= 120 else f"{printable[:117]}..."
