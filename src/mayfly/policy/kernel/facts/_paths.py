"""Where a path leads: inside the workspace, outside it, into the system, or nobody can tell.

Different programs read the same text in different ways (a backslash, `%2e`, a full-width slash, a blank before it). A
path that some reading takes elsewhere than the plain one is `/unclear`, which no rule should permit.
"""

import os
import re
import unicodedata
from typing import Final, NamedTuple
from urllib.parse import unquote

from mayfly.core import secret_path

LONGEST: Final = 4096
INSIDE, OUTSIDE, SYSTEM, UNCLEAR = "/inside", "/outside", "/system", "/unclear"
_SYSTEM: Final = (
    *(
        "/bin",
        "/boot",
        "/dev",
        "/etc",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/opt",
        "/proc",
        "/root",
        "/run",
        "/sbin",
    ),
    *("/srv", "/sys", "/usr", "/var", "/System", "/Library", "/private/etc", "/private/var", "/Applications", "/snap"),
)
_KERNEL: Final = ("/proc", "/dev", "/sys")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_EXPANDED: Final = re.compile(r"\$\{|\$\(|`|\$(?:HOME|PWD|OLDPWD|TMPDIR|USER|PATH|XDG_\w+)\b")
_DRIVE: Final = re.compile(r"[A-Za-z]:(?:[\\/]|$)|\\\\|//[?.]/")
# Texts that every program reads alike.
_ORDINARY: Final = re.compile(r"[A-Za-z0-9_/.+,=@-]+")
_TILDE: Final = re.compile(r"~[^/]")
# What is left of `..` where somebody takes `../` out of a text once.
_DOTS: Final = re.compile(r"(?:^|/)\.{4,}(?:/|$)")


class Located(NamedTuple):
    """A path as rules see it: relative to the workspace when inside, else absolute; and its components."""

    path: str
    where: str
    parts: tuple[str, ...]
    suffixes: tuple[str, ...]
    secret: str = ""
    """Why it holds secrets, by the one list of such paths."""
    git: tuple[str, str] | None = None
    """In a .git: the first and the last name below it."""


def is_url(text: str) -> bool:
    """Whether *text* is an address of some scheme and so no path, unless the scheme is file."""
    return bool(_SCHEME.match(text)) and not text[:7].lower().startswith("file://")


def locate(text: str, workspace: str) -> Located:
    """Say where *text* leads, seen from *workspace*; links that exist are followed, nothing else is touched."""
    return PathPlaces(workspace).locate(text)


class PathPlaces:
    """Locate the paths of one action; each path is looked up once, so all facts of the action agree."""

    def __init__(self, workspace: str, root: str | None = None) -> None:
        self._home = os.path.normpath(workspace)
        self._root = root or os.path.realpath(self._home)
        self._known: dict[str, Located] = {}

    def locate(self, text: str) -> Located:
        """Say where *text* leads."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._locate(text)
        return found

    def _locate(self, text: str) -> Located:
        if len(text) <= LONGEST and _ORDINARY.fullmatch(text) and not _DOTS.search(text):
            where, path, real = self._where(text)
            return _located(text if where == UNCLEAR else path, where, (path, real))
        shown = "".join(char if char.isprintable() else "\ufffd" for char in text[:LONGEST])
        plain = _from_file_url(text)
        if plain is None or len(text) > LONGEST or _strange(plain):
            return _located(shown, UNCLEAR, (shown,))
        where, path, real = self._where(plain)
        for other in _other_readings(plain):
            if self._where(other)[0] != where:
                where = UNCLEAR
        return _located(shown if where == UNCLEAR else path, where, (path, real))

    def _where(self, text: str) -> tuple[str, str, str]:
        """Return where the one reading *text* leads, the path for the rules, and the path with its links followed."""
        if "\0" in text:
            return UNCLEAR, text.replace("\0", "\ufffd"), ""
        if text == "~" or text.startswith("~/"):
            text = os.path.expanduser("~") + text[1:]
        absolute = text.startswith("/")
        if not absolute and _climbs(text):
            return UNCLEAR, text, ""
        joined = text if absolute else f"{self._home}/{text}"
        lexical, real = "/" + os.path.normpath(joined).lstrip("/"), os.path.realpath(joined)
        lexically = _under(lexical, self._home) or _under(lexical, self._root)
        if any(_under(lexical, place) for place in _KERNEL):
            return SYSTEM, lexical, real
        if _under(real, self._root):
            path = _relative(lexical if lexically else real, self._home, self._root)
            return INSIDE, path, _relative(real, self._root)
        if lexically:
            return UNCLEAR, text, real
        return SYSTEM if _of_the_system(lexical) or _of_the_system(real) else OUTSIDE, lexical, real


def _of_the_system(path: str) -> bool:
    return path == "/" or any(_under(path, place) for place in _SYSTEM)


def _from_file_url(text: str) -> str | None:
    """Return the path of a file: URL, any other text as it is, None for another machine's file."""
    if text[:5].lower() != "file:":
        return text
    rest = text[5:]
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        if host.lower() not in ("", "localhost", "127.0.0.1"):
            return None
        rest = slash + path
    return unquote(rest.partition("?")[0].partition("#")[0])


def _strange(text: str) -> bool:
    if _EXPANDED.search(text) or _TILDE.match(text) or _DRIVE.match(text) or _DOTS.search(text):
        return True
    return any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for char in text)


def _other_readings(text: str) -> list[str]:
    """Return what other programs may take the text for."""
    readings = {text.strip(), unicodedata.normalize("NFKC", text), _slashed(text)}
    decoded = text
    for _ in range(3):
        decoded = unquote(decoded)
        readings |= {decoded, _slashed(decoded), unicodedata.normalize("NFKC", decoded)}
    readings.discard(text)
    return sorted(reading for reading in readings if reading)


_LIKE_SLASH: Final = dict.fromkeys(
    map(ord, "\\\u2044\u2215\u29f8\u29f9\u2216\u29f5\uff0f\uff3c\ufe68\u2571\u27cb\u27cd"), "/"
)
_LIKE_DOT: Final = dict.fromkeys(map(ord, "\u2024\uff0e\ufe52\u3002\uff61"), ".") | {0x2025: "..", 0xFE30: ".."}


def _slashed(text: str) -> str:
    return text.translate(_LIKE_SLASH | _LIKE_DOT)


def _climbs(text: str) -> bool:
    depth = 0
    for part in text.split("/"):
        depth += {"": 0, ".": 0, "..": -1}.get(part, 1)
        if depth < 0:
            return True
    return False


def _under(path: str, place: str) -> bool:
    return path == place or path.startswith(place.rstrip("/") + "/")


def _relative(path: str, *places: str) -> str:
    for place in places:
        if _under(path, place):
            return path[len(place.rstrip("/")) :].lstrip("/") or "."
    return path


def _located(path: str, where: str, readings: tuple[str, ...]) -> Located:
    parts: dict[str, None] = {}
    suffixes: dict[str, None] = {}
    secret, git = "", None
    for reading in dict.fromkeys(readings):
        plain = _slashed(reading)
        names = names_of_path(plain)
        parts |= dict.fromkeys(names[:256])
        suffixes |= dict.fromkeys(suffixes_of(names))
        secret = secret or secret_path(plain)
        git = git or place_in_git(names)
    return Located(path, where, tuple(parts), tuple(suffixes), secret, git)


def names_of_path(path: str) -> list[str]:
    """Return the names of a path in lower case, without the blanks and dots at their ends that some systems drop."""
    return [name.rstrip(". ") or name for name in path.lower().split("/") if name]


def suffixes_of(names: list[str]) -> list[str]:
    """Return the suffixes of the last name, `.tar.gz` and `.gz`; a name that begins with a dot is no suffix."""
    last = names[-1] if names else ""
    if last.count(".", 1) <= 1:
        at = last.rfind(".", 1)
        return [last[at:]] if at > 0 else []
    return [last[at:] for at in range(1, len(last)) if last[at] == "."][-3:]


def place_in_git(names: list[str]) -> tuple[str, str] | None:
    """Return the first and the last name below the first .git among *names*; None where there is none."""
    if ".git" not in names:
        return None
    below = names[names.index(".git") + 1 :]
    if ".git" in below:
        # A repository inside a repository's own files is no place where git keeps anything.
        return ".git", below[-1]
    return (below[0], below[-1]) if below else ("", "")
