"""Search the lines of files, by a plain text on the host or by a regular expression behind the wall."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple, TypedDict

from mayfly.core import InputError, LimitError, MachineError, SandboxSettings
from mayfly.library._capability import Builtin, Invocation
from mayfly.library.builtin._arguments import Fields, fields_of, flag_of, is_directory, named_in, only, said, text_of
from mayfly.library.builtin._glob import Glob
from mayfly.library.builtin._paths import inside, read_bytes, root_of, walk
from mayfly.library.builtin._secrets import holds_secrets
from mayfly.sandbox import Sandbox

MOST_HITS = 5_000
LARGEST_FILE = 8 * 1024 * 1024
LARGEST_TOTAL = 256 * 1024 * 1024
LONGEST_LINE = 1_000
# A regular expression may need exponential time, which nothing can stop within this process.
_SECONDS = 10.0
_BATCH = 2 * 1024 * 1024
_OTHERS = ("path", "pattern", "regex", "ignore_case", "hidden")


class Hit(TypedDict):
    """One line that fits, cut where it is very long."""

    path: str
    line: int
    text: str


class _Wanted(NamedTuple):
    text: str
    path: str
    glob: Glob | None
    regex: bool
    ignore_case: bool
    hidden: bool


Line = tuple[str, int, str]
Select = Callable[[Iterator[Line]], Iterator[Line]]


def search_builtins(settings: SandboxSettings) -> tuple[Builtin, ...]:
    """Return the capability that searches in files."""
    return (
        Builtin(
            name="search_lines",
            description=(
                "Search lines, occurrences, literals, TODO or FIXME in the files below a directory, "
                "by a plain text or a regular expression."
            ),
            call=partial(_search, settings),
            action="search_files",
            target=lambda invocation: _wanted(invocation).path,
            check=partial(_still_there, settings),
            proves="every line stands where it was found and fits, and no file without a hit holds the text",
        ),
    )


def _wanted(invocation: Invocation) -> _Wanted:
    fields = fields_of(invocation, main="text", others=_OTHERS, asked=_asked)
    text = text_of(fields, "text", longest=1_000)
    if not text or "\n" in text:
        raise InputError("the text to search for is empty" if not text else "the text spans several lines")
    pattern = text_of(fields, "pattern", default="")
    return _Wanted(
        text,
        text_of(fields, "path", default="."),
        Glob(pattern) if pattern else None,
        flag_of(fields, "regex"),
        flag_of(fields, "ignore_case"),
        flag_of(fields, "hidden"),
    )


def _inside(invocation: Invocation) -> _Wanted:
    """Return the same with the directory as it is reached from the workspace; one outside is refused here too."""
    wanted = _wanted(invocation)
    return wanted._replace(path=inside(root_of(invocation), wanted.path))


def _asked(invocation: Invocation) -> Fields:
    """Find text and directory in an intent such as "search for TODO in src"."""
    read, place = said(invocation), named_in(invocation)
    quoted = [token.text for token in read if token.kind == "quoted" and token.text != place]
    leads = ("for", "containing", "contains", "with", "grep", "of")
    after = [
        token.text
        for lead, token in pairwise(read)
        if lead.plain in leads and token.kind in ("word", "number", "code") and token.text != place
    ]
    fields = only(quoted or after[:1], "text")
    if place is None and len(read) > 1 and is_directory(invocation, read[1].text):
        place = read[1].text
    return fields if place is None else {**fields, "path": place}


def _search(settings: SandboxSettings, invocation: Invocation) -> list[Hit]:
    wanted, found = _inside(invocation), list[Hit]()
    lines = (line for path in _files(invocation, wanted) for line in _lines(invocation, path))
    for path, number, text in _selected(settings, wanted, lines):
        found.append(Hit(path=path, line=number, text=text[:LONGEST_LINE]))
        if len(found) > MOST_HITS:
            raise LimitError("lines found", used=len(found), limit=MOST_HITS, fix="name a smaller directory")
    return found


def _files(invocation: Invocation, wanted: _Wanted) -> Iterator[str]:
    """Yield the files to look into: not those with secrets, nor those larger than a text is."""
    root, total = root_of(invocation), 0
    try:
        below = [entry for entry in walk(root, wanted.path, hidden=wanted.hidden) if entry.kind == "file"]
    except InputError:
        # One file may be named as well as a directory.
        read_bytes(root, wanted.path, most=LARGEST_FILE)
        yield wanted.path
        return
    for entry in below:
        relative = entry.path if wanted.path == "." else entry.path.removeprefix(f"{wanted.path}/")
        if (
            entry.size > LARGEST_FILE
            or holds_secrets(entry.path)
            or not (wanted.glob is None or wanted.glob.fits(relative))
        ):
            continue
        total += entry.size
        if total > LARGEST_TOTAL:
            raise LimitError("bytes to search", used=total, limit=LARGEST_TOTAL, fix="name a smaller directory")
        yield entry.path


def _lines(invocation: Invocation, path: str) -> Iterator[Line]:
    """Yield the lines of a text file with their numbers; one that is no text, or gone, has none."""
    text = _text(invocation, path)
    for number, line in enumerate(text.split("\n"), 1):
        yield path, number, line.removesuffix("\r")


def _text(invocation: Invocation, path: str) -> str:
    try:
        content = read_bytes(root_of(invocation), path, most=LARGEST_FILE)
    except (InputError, LimitError):
        return ""
    return "" if b"\0" in content[:8192] else content.decode(errors="replace")


def _selected(settings: SandboxSettings, wanted: _Wanted, lines: Iterator[Line]) -> Iterator[Line]:
    if wanted.regex:
        yield from _by_regex(settings, wanted, lines)
        return
    text = wanted.text.casefold() if wanted.ignore_case else wanted.text
    for line in lines:
        if text in (line[2].casefold() if wanted.ignore_case else line[2]):
            yield line


def _by_regex(settings: SandboxSettings, wanted: _Wanted, lines: Iterator[Line]) -> Iterator[Line]:
    source = files(__package__).joinpath("match_lines.py").read_text(encoding="utf-8")
    with Sandbox(settings) as sandbox:
        for batch in _batches(lines):
            argument = {"regex": wanted.text, "ignore_case": wanted.ignore_case, "lines": [line[2] for line in batch]}
            ran = sandbox.run(source, "match_lines", argument, timeout=min(_SECONDS, settings.timeout))
            if ran.status == "refused":
                raise MachineError(ran.error or "this machine gives no sandbox")
            if not ran.ok or not isinstance(ran.value, list):
                raise InputError(f"the regular expression {wanted.text[:80]!r} fails: {ran.error}")
            yield from (batch[place] for place in ran.value if isinstance(place, int) and 0 <= place < len(batch))


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    batch, size = list[Line](), 0
    for line in lines:
        batch.append((line[0], line[1], line[2][:100_000]))
        size += len(line[2]) + 8
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _still_there(settings: SandboxSettings, invocation: Invocation, value: object) -> bool:
    """Look again: each hit by its line number, each file without one as a whole."""
    if not isinstance(value, list) or not all(isinstance(hit, dict) and hit.keys() == _KEYS for hit in value):
        return False
    wanted, by_path = _inside(invocation), dict[str, list[Hit]]()
    for hit in value:
        by_path.setdefault(str(hit["path"]), []).append(hit)
    standing = [line for path, hits in by_path.items() for line in _standing(invocation, path, hits)]
    if len(standing) != len(value) or len(list(_selected(settings, wanted, iter(standing)))) != len(value):
        return False
    if wanted.regex or wanted.ignore_case:
        return True
    return not any(wanted.text in _text(invocation, path) for path in _files(invocation, wanted) if path not in by_path)


_KEYS = Hit.__annotations__.keys()


def _standing(invocation: Invocation, path: str, hits: list[Hit]) -> Iterator[Line]:
    lines = _text(invocation, path).split("\n")
    for hit in hits:
        number = hit["line"]
        if type(number) is int and 0 < number <= len(lines):
            line = lines[number - 1].removesuffix("\r")
            if line[:LONGEST_LINE] == hit["text"]:
                yield path, number, line
