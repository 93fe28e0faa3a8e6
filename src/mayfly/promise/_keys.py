"""The key of a proven value: the hash of everything it follows from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from mayfly.core import UNSET, Capability, InputError, canonical_json, content_hash
from mayfly.promise._job import Job, Part
from mayfly.promise._promise import Promise

CHUNK = 1024 * 1024


def key_here(subject: str, capability: Capability) -> str:
    """Return the key of what a capability gives for one node of one run, the *subject*, and for that alone."""
    return content_hash(f"{subject} {capability.name} {capability.version}")


def key_of_call(capability: Capability, arguments: Mapping[str, object], context: Mapping[str, object]) -> str:
    """Return the key of what a steady capability gives whoever calls it so."""
    return _hash([capability.name, capability.version, dict(arguments), dict(context)], capability.name)


def key_of(job: Job, *, data: str = "") -> str:
    """Return the key of a value that is good for everybody who asks the same; *data* is the hash of a part."""
    followed = {
        "work": [job.work.kind, job.work.name],
        "intent": job.intent,
        "depth": job.depth,
        "context": dict(job.context),
        "examples": [[example.input, example.output] for example in job.examples],
        "hints": list(job.hints),
        "model": job.model,
        "tier": job.tier,
        "versions": job.versions,
        "input": data or (None if job.argument is UNSET else _hash(job.argument, job.node)),
        "given": job.argument is not UNSET,
    }
    return _hash(followed, job.node)


def _hash(followed: object, name: str) -> str:
    try:
        return content_hash(canonical_json(followed))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"what {name} works on is not JSON: {error}") from None


def hash_part(part: Part) -> str:
    """Return the hash of a part's bytes."""
    found = hashlib.sha256()
    left = part.stop - part.start
    try:
        with open(part.path, "rb") as file:
            file.seek(part.start)
            while left > 0 and (piece := file.read(min(CHUNK, left))):
                found.update(piece)
                left -= len(piece)
    except OSError as error:
        raise InputError(f"cannot read {part.path}: {error.strerror}") from None
    if left:
        raise InputError(f"{part.path} is shorter than it was when the tree was planned")
    return found.hexdigest()


def part_of(promise: Promise[Any]) -> Part | None:
    """Return the part of a file that a promise works on, if its argument says so."""
    given = promise.argument
    if not isinstance(given, dict) or set(given) != {"path", "start", "stop"}:
        return None
    path, start, stop = given["path"], given["start"], given["stop"]
    if type(path) is not str or type(start) is not int or type(stop) is not int:
        return None
    return Part(path=path, start=start, stop=stop)
