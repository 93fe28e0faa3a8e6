"""A small product in a repository of its own: one tool, its tests, a way to start it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mayfly.core import Settings
from mayfly.library.staging import Repository, StageResult, Staging
from mayfly.store import Ledger

TOOL = "shout"
PATH = "src/mayfly/library/builtin/_shout.py"
OLD = 'def shout(text: str) -> str:\n    """Say it loudly."""\n    return text.upper()\n'
NEW = 'def shout(text: str) -> str:\n    """Say it loudly."""\n    return f"{text.upper()}!"[: len(text)]\n'
# Plugins that happen to be in this environment and take two of the three seconds that a start of pytest takes.
QUICKLY = '[tool.pytest.ini_options]\naddopts = "-p no:schemathesis -p no:langsmith_plugin"\n'
FILES = {
    "pyproject.toml": (
        f'[tool.mayfly.staging]\ncontracts = ["tests/test_contract.py"]\nsmoke = ["-m mayfly"]\n{QUICKLY}'
    ),
    "src/mayfly/__init__.py": "",
    "src/mayfly/__main__.py": (
        "from mayfly.library.builtin._shout import shout\n\nprint(shout.__name__, shout('ok'))\n"
    ),
    "src/mayfly/library/__init__.py": "",
    "src/mayfly/library/builtin/__init__.py": "",
    PATH: OLD,
    "tests/library/builtin/test_shout.py": (
        "from mayfly.library.builtin._shout import shout\n\n\n"
        "def test_it_is_loud() -> None:\n    assert shout('a') == 'A'\n\n\n"
        "def test_it_is_as_long() -> None:\n    assert len(shout('abc')) == 3\n"
    ),
    "tests/test_contract.py": "def test_there_is_a_contract() -> None:\n    assert True\n",
    "other.txt": "one\n",
}
_GIT = ("git", "-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")


@dataclass(frozen=True, kw_only=True)
class Bed:
    """The repository, the state directory, and what can be seen of both."""

    root: Path
    state: Path

    def git(self, *words: str) -> str:
        """Run git as a person would."""
        return subprocess.run([*_GIT, *words], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def seen(self) -> dict[str, str]:
        """Return all that staging must leave as it was: status, branches, log, worktrees and the file itself."""
        return {
            "status": self.git("status", "--porcelain=v1", "-uall"),
            "branches": self.git("branch", "-a"),
            "log": self.git("log", "--format=%H %s"),
            "worktrees": str(self.git("worktree", "list", "--porcelain").count("worktree ")),
            "file": (self.root / PATH).read_text(),
            "parts": ", ".join(sorted(path.name for path in (self.root / ".git").glob("mayfly-staging-*"))),
        }

    @contextmanager
    def staging(self, tell: Callable[[StageResult], None] = lambda _: None, **more: object) -> Iterator[Staging]:
        """Open it with its ledger."""
        settings = Settings(state_dir=str(self.state), **more)  # type: ignore[arg-type]
        with Ledger.open(settings) as ledger:
            yield Staging(repository=Repository(self.root), ledger=ledger, settings=settings, tell=tell)

    def events(self) -> list[str]:
        """Return the kinds of what the ledger has, without their first part."""
        with Ledger.open(Settings(state_dir=str(self.state))) as ledger:
            return [entry.kind.removeprefix("staging.") for entry in ledger.read() if "staging." in entry.kind]


def make_bed(place: Path) -> Bed:
    """Lay the product out below *place*, with one commit on main."""
    bed = Bed(root=place / "product", state=place / "state")
    for name, text in FILES.items():
        (bed.root / name).parent.mkdir(parents=True, exist_ok=True)
        (bed.root / name).write_text(text)
    bed.root.joinpath(".gitignore").write_text("__pycache__/\n")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        bed.git(*words)
    return bed
