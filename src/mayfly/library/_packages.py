"""`Packages`: what agents had installed for their tools, in a place of its own; the host's environment is not touched.

Every installation is a directory below `<state>/packages`, which comes into being whole, by a rename, and holds the
record of what is in it. A tool with the grant `package` sees all of them before the packages of the host, in its proof
as in every later call. Only wheels are taken: to unpack one runs nothing of it.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from mayfly.core import (
    InputError,
    LimitError,
    MachineError,
    MayflyError,
    Settings,
    Stop,
    content_hash,
    one_line,
    without_secrets,
)
from mayfly.store import JSON, event

if TYPE_CHECKING:
    from mayfly.store import Ledger

_SUBJECT = "packages"
_RECORD = "installed.json"
# A name and at most one exact version: an address, a path or an option of pip would be another way in.
_REQUIREMENT = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:==([A-Za-z0-9][A-Za-z0-9.!+_-]*))?")
_WHEEL = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)-[^/]*\.whl")
# What pip needs to find and trust the operator's index; keys of other services stay out of its sight.
_KEPT = re.compile(
    r"PIP_.*|(?:https?|no|all)_proxy|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|HOME|PATH|LANG|LC_ALL|TMPDIR", re.I
)


class Unavailable(MayflyError):
    """A package could not be had."""

    code = "PACKAGE"


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """One wheel that was unpacked, and the hash of it."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Installed:
    """One installation: what was asked for, what came, and where it lies."""

    requirement: str
    distributions: tuple[Distribution, ...]
    bytes: int
    by: str = ""
    path: str = ""

    @property
    def name(self) -> str:
        """The directory it lies in, by which it is removed."""
        return os.path.basename(self.path)


@event("package.installed")
class PackageInstalled:
    """Record what was fetched, by its hashes, before any tool can see it."""

    requirement: str
    place: str
    distributions: tuple[Mapping[str, JSON], ...]
    bytes: int
    by: str


@event("package.removed")
class PackageRemoved:
    """Record that an installation is gone."""

    place: str
    by: str


def package_name(requirement: str) -> str:
    """Return the name a requirement is about, in the form in which names are compared; anything else is refused.

    A requirement is NAME, NAME==VERSION or the path of a wheel.
    """
    text = requirement.strip()
    found = _WHEEL.fullmatch(os.path.basename(text)) if text.endswith(".whl") else _REQUIREMENT.fullmatch(text)
    if found is None:
        raise InputError(
            f"{one_line(text, limit=80)!r} names no package", fix="write NAME, NAME==1.2 or a path to a .whl"
        )
    return re.sub(r"[-_.]+", "-", found[1]).lower()


class Packages:
    """Install and remove packages for tools; safe against other processes that do the same."""

    def __init__(self, settings: Settings, *, ledger: Callable[[], Ledger]) -> None:
        # What was built for one interpreter is of no use to another that shares the state.
        self._root = settings.state.absolute() / "packages" / str(sys.implementation.cache_tag)
        self._ledger = ledger
        self._largest = settings.library.package_bytes
        self._seconds = settings.library.package_seconds

    def paths(self) -> tuple[str, ...]:
        """Return the directories that tools import from, the newest first."""
        try:
            with os.scandir(self._root) as entries:
                found = [(_number(entry.name), entry.path) for entry in entries if _number(entry.name)]
        except OSError:
            return ()
        return tuple(path for _, path in sorted(found, reverse=True))

    def list(self) -> list[Installed]:
        """Return what is installed, the newest first; what has lost its record is named by its directory alone."""
        return [self._read(path) for path in self.paths()]

    def _read(self, path: str) -> Installed:
        try:
            data = json.loads(Path(path, _RECORD).read_text(encoding="utf-8"))
            parts = tuple(Distribution(**one) for one in data.pop("distributions"))
            return Installed(**{**data, "distributions": parts, "path": path})
        except (OSError, ValueError, TypeError, KeyError):
            return Installed(requirement="", distributions=(), bytes=0, path=path)

    def install(self, requirement: str, *, by: str = "", stop: Stop | None = None) -> Installed:
        """Fetch a package with all that it needs; nothing is seen of it before it is there whole and recorded."""
        name = package_name(requirement)
        asked = requirement.strip()
        if asked.endswith(".whl"):
            asked = str(Path(asked).expanduser().resolve())
            if not os.path.isfile(asked):
                raise InputError(f"there is no file {requirement.strip()}")
        with self._alone():
            for known in self.list():
                if known.requirement == requirement.strip() and known.distributions:
                    return known
            with tempfile.TemporaryDirectory(prefix=".new-", dir=self._root) as place:
                made = self._fetch(asked, requirement.strip(), Path(place), by=by, stop=stop or Stop())
                path = self._root / f"{self._next()}-{name}-{content_hash(json.dumps(asdict(made)))[:8]}"
                self._note(
                    PackageInstalled(
                        requirement=made.requirement,
                        place=path.name,
                        distributions=tuple(asdict(one) for one in made.distributions),
                        bytes=made.bytes,
                        by=by,
                    )
                )
                # Workers have a uid of their own and read it; nobody but its owner changes it.
                os.chmod(Path(place) / "site", 0o755)
                os.rename(Path(place) / "site", path)
        return self._read(str(path))

    def remove(self, name: str, *, by: str = "") -> Installed:
        """Remove one installation, by its directory or by the package that was asked for."""
        with self._alone():
            found = [one for one in self.list() if name in (one.name, one.requirement) or _is_about(one, name)]
            if not found:
                raise InputError(f"{one_line(name, limit=80)!r} is not installed", fix="see: mayfly packages list")
            gone = found[0]
            self._note(PackageRemoved(place=gone.name, by=by))
            # Out of sight at once; jobs that run keep what they have open.
            hidden = self._root / f".gone-{gone.name}"
            os.rename(gone.path, hidden)
            shutil.rmtree(hidden, ignore_errors=True)
        return gone

    def _note(self, happened: PackageInstalled | PackageRemoved) -> None:
        self._ledger().append(happened, subject=_SUBJECT)

    def _next(self) -> int:
        return 1 + max((_number(os.path.basename(path)) for path in self.paths()), default=0)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let one process at a time change anything, and clear away what a killed one left."""
        self._root.mkdir(parents=True, exist_ok=True)
        with open(self._root / ".lock", "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left in self._root.glob(".[ng]*-*"):
                shutil.rmtree(left, ignore_errors=True)
            yield

    def _fetch(self, asked: str, requirement: str, place: Path, *, by: str, stop: Stop) -> Installed:
        if importlib.util.find_spec("pip") is None:
            raise MachineError("pip is not part of this Python", fix=f"{sys.executable} -m ensurepip")
        site, report, held = place / "site", place / "report.json", place / "held.txt"
        known = {one.name: one.version for made in self.list() for one in made.distributions}
        # What is there already keeps its version, so that two installations agree about what both of them need.
        held.write_text(
            "".join(f"{name}=={version}\n" for name, version in known.items() if name != package_name(asked))
        )
        words = [sys.executable, "-I", "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        words += ["--only-binary", ":all:", "--no-compile", "--target", str(site), "--report", str(report)]
        words += ["--constraint", str(held), "--", asked]
        self._run(words, requirement, stop)
        try:
            data = json.loads(report.read_text(encoding="utf-8"))
            parts = tuple(_distribution(one) for one in data["install"])
        except (OSError, ValueError, TypeError, KeyError):
            raise Unavailable(f"{requirement}: pip gave no account of what it installed") from None
        # What a wheel puts beside its modules are commands for a shell, which no tool has.
        shutil.rmtree(site / "bin", ignore_errors=True)
        size = sum(file.lstat().st_size for file in site.rglob("*"))
        if size > self._largest:
            raise LimitError(f"bytes of the package {requirement}", used=size, limit=self._largest)
        made = Installed(requirement=requirement, distributions=parts, bytes=size, by=by)
        data = asdict(made)
        del data["path"]
        (site / _RECORD).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        return made

    def _run(self, words: Sequence[str], requirement: str, stop: Stop) -> None:
        environment = {name: value for name, value in os.environ.items() if _KEPT.fullmatch(name)}
        # A session of its own, so that it can be ended with whatever it started.
        process = subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

        def end() -> None:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)

        with stop.ending(end):
            try:
                _, said = process.communicate(timeout=self._seconds)
            except subprocess.TimeoutExpired:
                end()
                process.communicate()
                raise LimitError(
                    f"seconds of installing {requirement}", used=self._seconds, limit=self._seconds
                ) from None
        if stop.cancelled:
            raise Unavailable(f"installing {requirement} was stopped")
        if process.returncode:
            raise Unavailable(
                f"{requirement} cannot be installed: {_why(said)}", fix="it needs a wheel for this Python"
            )


def _why(said: bytes) -> str:
    """Return the line by which pip says what went wrong, without the key of an index."""
    lines = [line for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR")]
    return one_line(without_secrets((errors or lines or ["pip says nothing"])[-1]), limit=300)


def _distribution(part: Any) -> Distribution:
    told = part["metadata"]
    name = re.sub(r"[-_.]+", "-", str(told["name"])).lower()
    return Distribution(name=name, version=str(told["version"]), sha256=_hash_of(part["download_info"]))


def _hash_of(download: Any) -> str:
    """Return the SHA-256 of a wheel; pip before 23.1 says it in another way, and not at all of a file that is here."""
    archive = download["archive_info"]
    if "hashes" in archive:
        return str(archive["hashes"]["sha256"])
    kind, _, told = str(archive.get("hash", "")).partition("=")
    if kind == "sha256":
        return told
    where = urlsplit(str(download["url"]))
    if where.scheme != "file":
        raise ValueError("no hash")
    return hashlib.sha256(Path(unquote(where.path)).read_bytes()).hexdigest()


def _is_about(one: Installed, name: str) -> bool:
    try:
        return bool(one.requirement) and package_name(one.requirement) == package_name(name)
    except InputError:
        return False


def _number(name: str) -> int:
    """Return which installation a directory is; 0 for everything else that lies there."""
    head = name.partition("-")[0]
    return int(head) if head.isascii() and head.isdigit() else 0
