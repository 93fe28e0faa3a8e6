"""Git, such that nothing runs but git: no hook, no filter, no program that a configuration names."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mayfly.core import ConflictError, InputError, LimitError, Stop, find_program, one_line

# What one command of git may take: the slowest is the checkout of a whole tree.
_SECONDS = 120.0
# Another git has the index for some milliseconds at a time.
_INDEX_TRIES = 50
_INDEX_PAUSE = 0.1
# Settings of a repository that name a program to be run on the content of files.
_PROGRAMS = re.compile(r"filter\..*\.(clean|smudge|process|required)", re.IGNORECASE | re.DOTALL)
_SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.attributesFile": "/dev/null",
    "core.pager": "cat",
    "core.editor": "false",
    "core.sshCommand": "false",
    "credential.helper": "",
    "commit.gpgSign": "false",
    # A repository can name the program that looks at signatures.
    "log.showSignature": "false",
    "submodule.recurse": "false",
    # Nothing is left running in the background once a command is done.
    "gc.auto": "0",
    "maintenance.auto": "false",
}
WHO = "Mayfly agent"
ADDRESS = "agent@mayfly.invalid"


class GitFailed(InputError):
    """Git said no; the message is what it said."""

    code = "GIT"


class Git:
    """Commands of git in one directory, each of which may take so many *seconds*, or less when *stop* is used."""

    def __init__(
        self,
        root: Path,
        needed_for: str = "changes are kept in a repository",
        *,
        seconds: float = _SECONDS,
        stop: Stop | None = None,
    ) -> None:
        """Take the directory; while a lock is held (`locked`), every git that is started holds it as well."""
        self.root = root
        self._program = find_program("git", needed_for)
        self._seconds = seconds
        self._stop = stop or Stop()
        self._settings = {**_SETTINGS, "safe.directory": str(root)}
        self._held: tuple[int, ...] = ()
        # 128: there is no repository yet; settings that cannot be read stop every other command as well. All settings
        # are listed, because those of one worktree are not among those that `--local` lists.
        names = self.lines("config", "--includes", "--name-only", "--list", allowed=(0, 1, 128))
        self._settings |= {name: "" for name in names if _PROGRAMS.fullmatch(name)}
        self._settings |= {name: "false" for name in names if name.lower().endswith(".required")}

    @contextmanager
    def locked(self, path: Path, *, busy: str = "") -> Iterator[None]:
        """Hold the lock at *path*; with *busy* nobody waits for it, and that is said where another process has it.

        Every git that is started meanwhile holds it as well: one that outlives us is not taken for gone.
        """
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (fcntl.LOCK_NB if busy else 0))
            except BlockingIOError:
                raise ConflictError(busy, fix="try again when it is done") from None
            before, self._held = self._held, (*self._held, lock)
            try:
                yield
            finally:
                self._held = before
        finally:
            os.close(lock)

    def __call__(
        self,
        *arguments: str,
        input: bytes = b"",
        variables: Mapping[str, str] | None = None,
        allowed: tuple[int, ...] = (0,),
    ) -> bytes:
        """Run one command and return what it printed; any other exit status than those *allowed* is an error."""
        with (
            subprocess.Popen(
                [self._program, "--no-pager", *arguments],
                cwd=self.root,
                env={**self._environment(), **(variables or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=self._held,
            ) as process,
            self._stop.ending(process.kill),
        ):
            try:
                told, trouble = process.communicate(input, timeout=self._seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                raise LimitError("seconds of git", used=self._seconds, limit=self._seconds) from None
            except BaseException:
                # The way out waits for the process: it is not to outlive its caller.
                process.kill()
                raise
        if process.returncode not in allowed:
            said = trouble.decode(errors="replace").strip() or f"exit status {process.returncode}"
            raise GitFailed(f"git {arguments[0]}: {one_line(said, limit=300)}")
        return told

    def text(self, *arguments: str, allowed: tuple[int, ...] = (0,)) -> str:
        """Return what a command printed, without the end of its last line."""
        return self(*arguments, allowed=allowed).decode("utf-8", "surrogateescape").rstrip("\n")

    def lines(self, *arguments: str, allowed: tuple[int, ...] = (0,)) -> list[str]:
        """Return what a command printed, line by line."""
        return [line for line in self.text(*arguments, allowed=allowed).split("\n") if line]

    def content(self, blob: str) -> bytes:
        """Return the bytes of a blob."""
        return self("cat-file", "blob", blob)

    def blob(self, data: bytes) -> str:
        """Put *data* into the repository and return its hash."""
        return self("hash-object", "-w", "--stdin", input=data).decode().strip()

    def commit(self, changes: Iterable[str], *, parent: str, message: str, index: Path) -> str:
        """Make a commit of *parent* with some lines of its index changed; it is on no branch yet.

        It is put together in an *index* of its own, beside whatever else is under way in the repository.
        """
        variables = {"GIT_INDEX_FILE": str(index)}
        try:
            self("read-tree", parent or "--empty", variables=variables)
            self("update-index", "--index-info", input=_lines(changes), variables=variables)
            tree = self("write-tree", variables=variables).decode().strip()
        finally:
            index.unlink(missing_ok=True)
        parents = ("-p", parent) if parent else ()
        return self("commit-tree", tree, *parents, "-F", "-", input=message.encode()).decode().strip()

    def change_index(self, changes: Iterable[str], *, still: Callable[[], bool] = lambda: True) -> None:
        """Change some lines of the index as long as they are *still* to be changed, once no other git has it."""
        given = _lines(changes)
        for attempt in range(_INDEX_TRIES):
            if not still():
                return
            try:
                self("update-index", "--index-info", input=given)
                return
            except GitFailed as error:
                if "index.lock" not in error.message or attempt == _INDEX_TRIES - 1:
                    raise
                time.sleep(_INDEX_PAUSE)

    def _environment(self) -> dict[str, str]:
        made = {
            "PATH": os.defpath,
            "LC_ALL": "C.UTF-8",
            "HOME": "/nonexistent",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_AUTHOR_NAME": WHO,
            "GIT_AUTHOR_EMAIL": ADDRESS,
            "GIT_COMMITTER_NAME": WHO,
            "GIT_COMMITTER_EMAIL": ADDRESS,
            "GIT_CONFIG_COUNT": str(len(self._settings)),
        }
        for number, (key, value) in enumerate(self._settings.items()):
            made |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return made


def _lines(changes: Iterable[str]) -> bytes:
    return "".join(f"{one}\n" for one in changes).encode("utf-8", "surrogateescape")
