"""What a prompt is compiled for: who does what, in which kind of workspace."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mayfly.core import MayflyError, shipped_table
from mayfly.mangle import Name, Symbol
from mayfly.persona._atoms import SELECTORS, plain
from mayfly.policy import World

if TYPE_CHECKING:
    from mayfly.policy import Fact, Snapshot

# How many files and directories are looked at; the nearest to the root first, which is where a project shows itself.
MOST_ENTRIES: Final = 5000
# A directory with more in it than this is data; reading all of its names would only take time.
_MOST_INSIDE: Final = 50_000
# A language with less than a tenth of the files is a helper script or two.
_SHARE: Final = 0.1
_MOST_LANGUAGES: Final = 4
_FRAMEWORK: Final = Symbol("test_framework", 1)
_TOPOLOGY: Final = Symbol("file_topology", 5)
# Names that test files have in nearly every language; the rules ask only whether there are some in a language.
_TEST: Final = re.compile(
    r"(^|/)(tests?|__tests__|specs?)/|(^|/)test_|_test\.|\.test\.|_spec\.|\.spec\.|Tests?\.\w+$|\.bats$"
)


@dataclass(frozen=True, kw_only=True)
class PromptContext:
    """What selectors are compared with. `request` is what was asked, for what is near to it."""

    mode: str = "SingleTurn"
    phase: str = ""
    verbs: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    world_states: tuple[str, ...] = ()
    request: str = ""
    workspace: str = ""
    """Where the work is done; what policies advise may depend on the files there."""
    more: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Values of the other selectors, by name: build_layers, init_phases and so on."""

    def values(self) -> dict[str, frozenset[str]]:
        """Return the values of each selector, as they are compared."""
        given: dict[str, Iterable[str]] = {
            "operational_modes": (self.mode,),
            "campaign_phases": (self.phase,),
            "intent_verbs": self.verbs,
            "agent_types": self.personas,
            "languages": self.languages,
            "frameworks": self.frameworks,
            "world_states": self.world_states,
            **{name: values for name, values in self.more if name in SELECTORS},
        }
        return {name: frozenset(plain(value) for value in values if value) for name, values in given.items()}

    def acting(
        self, personas: Iterable[str], verbs: Iterable[str], *, mode: str, request: str = "", tools: Iterable[str] = ()
    ) -> PromptContext:
        """Return the same workspace with somebody at work in it; each tool is a state of the world, `tool_NAME`."""
        return replace(
            self,
            personas=tuple(personas),
            verbs=tuple(verbs),
            mode=mode,
            request=request or self.request,
            world_states=(*self.world_states, *(f"tool_{tool}" for tool in tools)),
        )


def detect_context(workspace: Path, snapshot: Snapshot, *, entries: int = MOST_ENTRIES) -> PromptContext:
    """Look at a workspace: its languages by its files, its test frameworks by the rules, and how it stands."""
    seen = _look(workspace, entries)
    languages = _languages(seen.counts)
    frameworks = _frameworks(workspace, snapshot, seen.tests)
    states = {
        "git_repository": (workspace / ".git").exists(),
        "empty_workspace": not seen.counts and not seen.files,
        "large_workspace": seen.cut,
        "no_tests": bool(seen.counts) and not frameworks and not seen.tests,
    }
    return PromptContext(
        languages=languages,
        frameworks=frameworks,
        world_states=tuple(name for name, holds in states.items() if holds),
        workspace=str(workspace),
    )


class _Seen(NamedTuple):
    counts: Counter[str]
    tests: dict[str, str]
    files: int
    cut: bool


@cache
def _tables() -> tuple[Mapping[str, str], frozenset[str]]:
    table = shipped_table(Path(__file__).with_name("languages.toml"))
    return table["suffix"], frozenset(table["skip"]["names"])


def _look(workspace: Path, most: int) -> _Seen:
    """Walk from the root outwards, no further than *most* entries; links are not followed."""
    suffixes, _ = _tables()
    counts: Counter[str] = Counter()
    tests: dict[str, str] = {}
    files = 0
    left = most
    for path in _walk(workspace):
        if left <= 0:
            return _Seen(counts, tests, files, True)
        left -= 1
        if path.endswith("/"):
            continue
        files += 1
        language = suffixes.get(os.path.splitext(path)[1].lower())
        if language is not None:
            counts[language] += 1
            if _TEST.search(path):
                # One for each language is all that the rules ask about.
                tests.setdefault(language, path)
    return _Seen(counts, tests, files, False)


def _walk(workspace: Path) -> Iterator[str]:
    """Yield paths relative to the workspace, level by level and in order of name; a directory ends with a slash."""
    _, skip = _tables()
    waiting = deque([""])
    while waiting:
        folder = waiting.popleft()
        try:
            with os.scandir(workspace / folder) as found:
                inside = sorted(islice(found, _MOST_INSIDE), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in inside:
            path = folder + entry.name
            if entry.is_dir(follow_symlinks=False):
                yield f"{path}/"
                if entry.name not in skip and not entry.name.startswith("."):
                    waiting.append(f"{path}/")
            elif entry.is_file(follow_symlinks=False):
                yield path


def _languages(counts: Counter[str]) -> tuple[str, ...]:
    enough = sum(counts.values()) * _SHARE
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(name for name, count in ranked if count >= enough)[:_MOST_LANGUAGES]


def _frameworks(workspace: Path, snapshot: Snapshot, tests: Mapping[str, str]) -> tuple[str, ...]:
    """Ask the rules which frameworks the files show; a workspace that cannot be judged shows none."""
    program = snapshot.program()
    given: list[Fact] = [
        (_TOPOLOGY, (path, "", Name(f"/{language}"), 0, Name("/true"))) for language, path in sorted(tests.items())
    ]
    given = [fact for fact in given if fact[0] in program.predicates]
    try:
        model = program.evaluate(given, goals=[_FRAMEWORK], externals=World(str(workspace)).externals, record=False)
    except MayflyError:
        return ()
    return tuple(sorted(row[0].text.removeprefix("/") for row in model.rows(_FRAMEWORK) if isinstance(row[0], Name)))
