"""`Promise`: one node of a tree. It is made before anything runs, always has its ground, and moves one way only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import Any, ClassVar, Generic, Literal, TypeVar

from mayfly.core import UNSET, Budget, Example, InputError, MayflyError, Strength, Unset
from mayfly.promise._data import references


class Cycle(InputError):
    """Promises need each other in a circle, so none of them can begin."""

    code = "CYCLE"


def ordered(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names so that each comes after those it needs, otherwise in the order given."""
    for name, needed in needs.items():
        for other in needed:
            if other not in needs:
                raise InputError(f"{name!r} needs {other!r}, and there is no such sibling")
    sorter: TopologicalSorter[str] = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError as error:
        raise Cycle("cycle: " + " needs ".join(repr(name) for name in reversed(error.args[1]))) from None
    place = {name: number for number, name in enumerate(needs)}
    found: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=place.__getitem__)
        found += ready
        sorter.done(*ready)
    return found


MAX_DEPTH = 3
CHAOS_THRESHOLD = 0.1


class IntentKind(StrEnum):
    """What is to be expected of an intent."""

    DETERMINISTIC = "deterministic"
    PROBABILISTIC = "probabilistic"
    CHAOTIC = "chaotic"


@dataclass(frozen=True, kw_only=True)
class Reality:
    """Say what kind of work an intent is, how sure that is, and why."""

    kind: IntentKind
    confidence: float
    reasoning: str


T = TypeVar("T")


class State(StrEnum):
    """Where a promise stands."""

    PENDING = "pending"
    RESOLVING = "resolving"
    RESOLVED = "resolved"
    COLLAPSED = "collapsed"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether nothing can follow."""
        return self in (State.RESOLVED, State.COLLAPSED, State.FAILED)


# A decision not to try (no budget, no bounds, no permit, a child in ground) collapses a promise that never began.
LEGAL: Mapping[State, frozenset[State]] = {
    State.PENDING: frozenset({State.RESOLVING, State.COLLAPSED}),
    State.RESOLVING: frozenset({State.RESOLVED, State.COLLAPSED, State.FAILED}),
    State.RESOLVED: frozenset(),
    State.COLLAPSED: frozenset(),
    State.FAILED: frozenset(),
}

# How the values of children become the value of their parent.
Combine = Literal["", "last", "record", "list", "concat", "merge", "compiled"]


@dataclass(frozen=True, kw_only=True)
class Children:
    """What a capability returns whose work turned out to be several promises: their values become its own.

    Only one that changes nothing may do so: after a crash it may be called again.
    """

    children: tuple[Promise[Any], ...]
    combine: Combine = ""


class IllegalTransition(MayflyError):
    """A promise was asked to move where it may not go."""

    code = "TRANSITION"


@dataclass(frozen=True, kw_only=True)
class Work:
    """Work for an engine: run the agent whose hash is *name*, have one written by *name*, or call a function.

    "run" without a name runs the agent that a sibling has had written; "compile" writes, proves and runs one; "write"
    writes and proves one, for others to run; "call" calls the host's own function *name* ("module:function") where it
    can be imported, "tool" a tool of the library ("name@version"). "make" has a tool *name*
    made for the library where there is none yet, and calls it. "part" asks some of the files of a question with the
    program that comes as its argument.
    """

    kind: Literal["run", "compile", "write", "call", "tool", "make", "part"]
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Keep what a value had to pass: the test, what it says in words, how much it settles, and where it came from.

    *source* is a Python function that can be run again behind the wall; *check* is the name of one of our own.
    """

    description: str
    confidence: float
    check: str = ""
    source: str = ""
    strength: Strength = "weak"
    id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Evidence:
        """Read it back; what a newer version has added is left aside."""
        return cls(**{name: data[name] for name in cls.__dataclass_fields__ if name in data})


@dataclass(slots=True, kw_only=True)
class Promise(Generic[T]):
    """Promise a value for an intent, with the ground that is given where it cannot be kept.

    It is kept by the *capability* of that name and *version* (0: the newest), called with *argument*; by *work* that
    an engine does; or by its children. *unserved* says why nothing keeps it.

    *needs* names siblings whose proven values this one works on; an argument refers to them as `{"result of": name}`,
    which adds a sibling that was taken in before to the needs.
    *after* names those that only have to be kept before. With *each*, a list or a reference to one, a copy of
    *template* is made for every item once the list is known. The ground of one that is *optional* counts as its value.

    The state moves by `begin`, `resolve`, `collapse` and `fail` only; a move that is not legal raises
    `IllegalTransition` and changes nothing.
    """

    intent: str = field(kw_only=False)
    ground: T
    context: dict[str, object] = field(default_factory=dict)
    depth: int = 0
    name: str = ""
    capability: str = ""
    version: int = 0
    argument: object = UNSET
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    each: object = UNSET
    template: Promise[Any] | None = None
    optional: bool = False
    examples: tuple[Example, ...] = ()
    work: Work | None = None
    unserved: str = ""
    reality: Reality | None = None
    combine: Combine = ""
    test: str = ""
    id: str = "0"
    parent: str | None = None
    children: list[Promise[Any]] = field(default_factory=list, init=False)
    resolved: T | Unset = field(default=UNSET, init=False)
    proof: Evidence | None = field(default=None, init=False)
    reason: str = field(default="", init=False)
    code: str = field(default="", init=False)
    error: str = field(default="", init=False)
    # How many lines were used, filtered out and not understood, where the value is about lines.
    account: Mapping[str, object] | None = field(default=None, init=False)
    _state: State = field(default=State.PENDING, init=False)
    _names: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    LONGEST_REASON: ClassVar[int] = 2000

    def __post_init__(self) -> None:
        Budget(self.depth)

    @property
    def state(self) -> State:
        """Where this promise stands."""
        return self._state

    @property
    def budget(self) -> float:
        """1 at the root, a half below, a third below that."""
        return Budget(self.depth).entropy

    @property
    def value(self) -> T:
        """The proven value, and the ground in every other case."""
        return self.ground if isinstance(self.resolved, Unset) else self.resolved

    @property
    def by(self) -> str:
        """What keeps this promise, in a few words."""
        return f"capability {self.capability}" if self.capability else str(self.work or "children")

    @property
    def kept(self) -> bool:
        """Whether whoever builds on this promise may go on: it is resolved, or has ended and its ground will do."""
        return self._state is State.RESOLVED or (self.optional and self._state.ended)

    @property
    def combined(self) -> Combine:
        """How the values of the children become this one's, where nothing is said: the last one if it needs another."""
        return self.combine or ("last" if self.children and self.children[-1].needs else "record")

    def add(self, child: Promise[Any]) -> Promise[Any]:
        """Take *child* in: it is one level deeper, knows what its parent knows, and has a path of its own."""
        if self._state is not State.PENDING:
            raise IllegalTransition(f"promise {self.id} is {self._state}: children come before any work")
        return self._take(child)

    def grow(self, more: Children) -> None:
        """Take in what the work at this promise handed in: its value is theirs from now on."""
        if self._state is not State.RESOLVING or self.children:
            raise IllegalTransition(f"promise {self.id} is {self._state}: children are handed in once, by its work")
        for child in more.children:
            if child.state is not State.PENDING or child.parent is not None:
                raise InputError(f"{child.intent[:100]!r} was tried, or belongs to another promise, already")
            self._take(child)
        self.combine = more.combine or self.combine

    def _take(self, child: Promise[Any]) -> Promise[Any]:
        if any(promise is self for promise in child.walk()):
            raise InputError(f"promise {self.id} cannot be below itself")
        child.name = child.name or str(len(self.children) + 1)
        if len(self._names) != len(self.children):
            self._names = {sibling.name for sibling in self.children}
        if child.name in self._names:
            raise InputError(f"promise {self.id} already has a child {child.name!r}")
        found = (name for value in (child.argument, child.each) for name in references(value))
        # As a dict, since a child that puts thousands of siblings together needs every one of them.
        child.needs = tuple(dict.fromkeys([*child.needs, *(name for name in found if name in self._names)]))
        child.depth, child.parent = self.depth + 1, self.id
        child.context = {**self.context, **child.context}
        self.children.append(child)
        self._names.add(child.name)
        child._place(f"{self.id}.{len(self.children)}")
        return child

    def _place(self, id: str) -> None:
        self.id = id
        for number, child in enumerate(self.children, 1):
            child.parent, child.depth = id, self.depth + 1
            child._place(f"{id}.{number}")

    def order(self) -> list[Promise[Any]]:
        """Return the children so that each comes after what it needs or follows; `Cycle` where that cannot be."""
        by_name = {child.name: child for child in self.children}
        return [
            by_name[name] for name in ordered({child.name: (*child.needs, *child.after) for child in self.children})
        ]

    def walk(self) -> Iterator[Promise[Any]]:
        """Yield this promise and all below it, parents first."""
        waiting: list[Promise[Any]] = [self]
        while waiting:
            promise = waiting.pop()
            yield promise
            waiting.extend(reversed(promise.children))

    def begin(self) -> None:
        """Say that work has begun."""
        self._move(State.RESOLVING)

    def resolve(self, value: T, proof: Evidence) -> None:
        """Keep the promise: *value* passed *proof*."""
        self._move(State.RESOLVED)
        self.resolved, self.proof = value, proof

    def collapse(self, reason: str, code: str) -> None:
        """Give the ground, since somebody decided not to try or not to accept."""
        self._move(State.COLLAPSED)
        self.reason, self.code = reason[: self.LONGEST_REASON], code

    def fail(self, error: str, code: str = "UNEXPECTED") -> None:
        """Give the ground, since something nobody decided went wrong."""
        self._move(State.FAILED)
        self.reason = self.error = error[: self.LONGEST_REASON]
        self.code = code

    def _move(self, to: State) -> None:
        if to not in LEGAL[self._state]:
            raise IllegalTransition(f"promise {self.id} is {self._state} and cannot become {to}")
        self._state = to
