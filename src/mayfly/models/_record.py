"""Write down every request with its answer, so that a run can be repeated without its model."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from pathlib import Path
from typing import Any

from mayfly.core import InputError, StoreError, canonical_json, content_hash, without_secrets
from mayfly.models._conversation import clean_call, clean_data
from mayfly.models._errors import ModelError
from mayfly.models._types import Call, Reply


def request_key(call: Call) -> str:
    """Return the address of a request: what it is for and both texts, or the text, the messages and the tools."""
    if call.messages:
        return content_hash(canonical_json([call.purpose, call.system, *said_in(call).values()]))
    return content_hash(canonical_json([call.purpose, call.system, call.prompt]))


def said_in(call: Call) -> dict[str, list[dict[str, Any]]]:
    """Return messages and tools of a conversation as plain data."""
    messages, tools = ([part.to_json() for part in parts] for parts in (call.messages, call.tools))
    return {"messages": messages, "tools": tools}


def _answer(call: Call, reply: Reply) -> str | dict[str, Any]:
    """Return what came back without secrets: text, or in a conversation what was said and called."""
    text = without_secrets(reply.text)
    if not call.messages:
        return text
    calls = [clean_call(each, without_secrets).to_json() for each in reply.calls]
    # Whoever sends it back leaves it out where it holds a secret, and so does a replay.
    whole = reply.carried is not None and clean_data(reply.carried, without_secrets) == reply.carried
    return {"text": text, "calls": calls, **({"carried": reply.carried} if whole else {})}


class Recorder:
    """Append one line a request to a file that only its owner can read; a line is there in whole or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            os.close(self._open())
        except OSError as error:
            raise InputError(f"cannot record to {path}: {error.strerror}") from None

    def answer(self, call: Call, reply: Reply, model: str) -> None:
        """Record what came back."""
        self._append(
            call,
            model,
            {
                "answer": _answer(call, reply),
                "input_tokens": reply.input_tokens,
                "output_tokens": reply.output_tokens,
                "money": None if reply.money is None else reply.money.dollars,
                "truncated": reply.truncated,
            },
        )

    def error(self, call: Call, error: ModelError, model: str) -> None:
        """Record that nothing usable came back, and why."""
        self._append(call, model, {"error": without_secrets(error.message), "kind": error.kind})

    def _append(self, call: Call, model: str, outcome: dict[str, object]) -> None:
        request = {"for": call.purpose, "key": request_key(call), "model": model}
        texts = said_in(call) if call.messages else {"prompt": call.prompt}
        line = json.dumps({**request, "system": call.system, **texts, **outcome}) + "\n"
        try:
            with self._lock:
                self._write(line.encode("utf-8"))
        except OSError as error:
            raise StoreError(f"{self._path}: the answer could not be recorded: {error.strerror}") from None

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def _write(self, data: bytes) -> None:
        descriptor = self._open()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            # Somebody's last line may lack its end; it must not swallow ours.
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                data = b"\n" + data
            try:
                written = os.write(descriptor, data)
                while written < len(data):
                    written += os.write(descriptor, data[written:])
            except OSError:
                os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)
