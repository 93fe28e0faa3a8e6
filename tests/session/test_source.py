"""Source is source: every file of the installed environment passes through a session byte for byte the same."""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from mayfly.core import Capability, Invocation, ModelSettings, SecretValues
from mayfly.models import ToolCall
from mayfly.session import CallsOf, ToolCalled
from mayfly.store._events import checked
from mayfly.world import SettledChanges, ToolResult
from mayfly.world._files import file_tools

ROOT = Path(sysconfig.get_path("purelib"))
SUFFIXES = frozenset({".py", ".md", ".toml", ".json", ".yaml"})
# What the issuers of keys say of them, said anew and apart from the list that is tested.
ISSUED = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|[\s\"',b(]|[A-Z][\w-]+: .*\n)*[A-Za-z0-9+/=]{24}"
    r"|\b(?:A[A-Z]IA[0-9A-Z]{16}|gh[a-z]_\w{20}|sk-[\w-]{20}|AIza[\w-]{28}|xox[a-z]-[\w-]{10}|eyJ[\w-]{10}\.eyJ)"
)
UNTOUCHED = "where it changes nothing"
KNOWN = {"k9-Xw2_pQ7zLm4Rt": "DB_PASSWORD from .env", "hunter2-hunter2": "environment variable X_TOKEN"}


class Files:
    """A room in which one file lies at a time, and is written."""

    def __init__(self) -> None:
        self.data = b""
        self.written: Mapping[str, bytes | None] = {}
        self.secrets = SecretValues(KNOWN, tag="ab12cd")

    def read(self, path: str) -> bytes:
        return self.data

    def write(self, files: Mapping[str, bytes | None], *, key: str, note: str) -> SettledChanges:
        self.written = files
        return SettledChanges(status="nothing")

    def look_for_secrets(self) -> None:
        """Find nothing new."""


def installed() -> Iterator[tuple[str, bytes]]:
    """Yield the text files of the environment that tests run in; what is there twice comes once."""
    seen = set()
    for place, _, names in os.walk(ROOT):
        for name in names:
            if os.path.splitext(name)[1] in SUFFIXES and os.path.isfile(path := os.path.join(place, name)):
                data = Path(path).read_bytes()
                if b"\0" not in data[:8192] and hash(data) not in seen:
                    seen.add(hash(data))
                    yield path, data


def numbered(data: bytes) -> str:
    """Return what reading a file has to give, made the long way round."""
    text = data.decode("utf-8", "surrogateescape")
    lines = text.removesuffix("\n").split("\n") if text else []
    shown = [f"{number:>6}\t{line}" for number, line in enumerate(lines, 1)]
    strange = [] if text.isascii() else re.findall("[\udc80-\udcff]", text)
    if strange:
        shown = [re.sub("[\udc80-\udcff]", "\ufffd", line) for line in shown]
        shown.append(f"[{len(strange)} bytes that are no UTF-8 are shown as \ufffd; file_edit keeps them {UNTOUCHED}]")
    if text and not text.endswith("\n"):
        shown.append("[there is no line feed at the end of the file]")
    return "\n".join(shown) or "[the file is empty]"


def test_every_installed_source_is_read_and_written_as_it_is() -> None:
    room = Files()
    tools = {one.name: one for one in file_tools(cast("Any", room))}
    log = cast("Any", SimpleNamespace(hide=room.secrets.text, ledger=SimpleNamespace(secrets=room.secrets)))
    calls = CallsOf(
        log=log,
        room=cast("Any", room),
        tools=cast("Any", {}),
        allowed=(),
        personas=(),
        kernel=cast("Any", None),
        kill=lambda: None,
        observe=lambda _: None,
        largest=10**9,
    )
    hider, files, odd = room.secrets.now(), 0, []
    for path, data in installed():
        room.data = data
        files += 1
        given = read_whole(tools["file_read"], path)
        told = calls._returned(1, "1.1.0", ToolCall(id="a", name="file_read"), "ok", ToolResult(given)).text
        if told != numbered(data):
            odd.append(path)
        # A model writes no more in one answer.
        if len(data) < 4 * ModelSettings().max_output and (text := as_text(data)) is not None:
            wanted: dict[str, Any] = {"path": path, "content": text}
            tools["file_write"].call(Invocation(arguments=wanted, key="1.1.1"))
            assert room.written == {path: data}
            called = ToolCalled(turn=1, key="1.1.1", call="b", tool="file_write", arguments=wanted)
            if cast("ToolCalled", checked(called, "s-1", hider).data).arguments != wanted:
                odd.append(path)
    assert files > 1000
    # Private keys that the tests of a package are made with; nothing else there is issued by anybody.
    assert [path for path in odd if not ISSUED.search(Path(path).read_text(errors="replace"))] == []
    assert len(set(odd)) < 20


def read_whole(tool: Capability, path: str) -> str:
    """Read a file to its end, as often as the readings say that there is more."""
    told, start = list[str](), 1
    while start:
        wanted = {"path": path, "start": start, "end": start + 10**6}
        given = str(tool.call(Invocation(arguments=wanted, key="1.1.0")))
        more = re.search(r"\n\[\d+ more lines: read on from start (\d+)\]$", given[-80:])
        told.append(given.removesuffix(more[0]) if more else given)
        start = int(more[1]) if more else 0
    return "\n".join(told)


def as_text(data: bytes) -> str | None:
    """Return what a model would have to say to write these bytes; None where it cannot, since they are no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
