"""How much an evaluation may do, and the watch over it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from time import thread_time
from typing import Any, Final

from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import List, Map, Pair, Row, Struct, Value
from mayfly.mangle.builtins import weight
from mayfly.mangle.engine._marks import FIRST_LOOK, TICK
from mayfly.mangle.engine._relation import Relation

_NESTED: Final = frozenset({List, Pair, Map, Struct})
_ROOM: Final = 16 * 2**20
_SMALL: Final = 256
_OFTEN, _SELDOM = 0.02, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bound the facts that rules may derive, the seconds of processor they may take, and the bytes of the strings,
    lists and other large values that they build and keep; zero means zero.

    Seconds of the evaluating thread: on a busy machine the same rules and facts give the same answer, only later.
    """

    facts: int = 1_000_000
    seconds: float = 10.0
    bytes: int = 512 * 2**20


class Meter:
    """Watch one evaluation: how long it takes, how many facts it derives, how much it builds and keeps."""

    def __init__(self, limits: Limits, *, derived: int = 0, kept: int = 0) -> None:
        self.derived = derived
        self.kept = kept
        """About how many bytes of new values the derived facts hold, as of the last measurement."""
        self.rule: CheckedRule | None = None
        """The rule that is being evaluated, for what is said when a limit is reached."""
        self.watched: Iterable[Relation] = ()
        """The relations of this evaluation."""
        self.growing: Any = ()
        """Rows that are not in a relation yet."""
        self._limits = limits
        self._deadline = thread_time() + limits.seconds
        self._looked = thread_time()
        self._step = FIRST_LOOK
        self._full = min(_ROOM, limits.bytes)
        self._room = self._full
        self._seen: set[int] = set()

    def start(self) -> None:
        """Set the clock back: the time counts from now on."""
        self._deadline = thread_time() + self._limits.seconds

    def look(self) -> int:
        """Look at the clock and, if much was done since, at the number of facts; return how many rows may pass until
        the next look: few when rows take long."""
        now = thread_time()
        if now > self._deadline:
            raise self.late()
        passed, self._looked = now - self._looked, now
        if passed < _OFTEN:
            self._step = min(2 * self._step, TICK)
        elif passed > _SELDOM:
            self._step = max(self._step // 8, 1)
        if self._step == TICK or passed > _SELDOM:
            self.check_facts(sum(len(one.rows) - one.settled for one in self.watched) + len(self.growing))
        return self._step

    @property
    def busy(self) -> bool:
        """Whether so many rows passed that they are looked at in large steps."""
        return self._step == TICK

    def check_time(self) -> None:
        """Raise when the time is over."""
        if thread_time() > self._deadline:
            raise self.late()

    def check_facts(self, growing: int = 0) -> None:
        """Raise when there are too many facts, with those that were not counted yet."""
        if self.derived + growing > self._limits.facts:
            raise self.over(f"more than {self._limits.facts} facts were derived", "facts")

    def heavy(self, function: Callable[..., Any], *arguments: Value) -> Any:
        """Call a function that may build or read something large, and count what it built and read."""
        found = function(*arguments)
        self.spend(found, *arguments)
        return found

    def spend(self, *values: Any) -> None:
        """Count values, or tuples of rows, that were built or read; now and then measure what is kept."""
        spent = 64
        for value in values:
            kind = type(value)
            if kind is str or kind is bytes:
                spent += len(value)
            elif kind in _NESTED:
                spent += 8 * len(value.held)
            elif kind is tuple:
                self.spend(*[part for row in value for part in row])
        self._room -= spent
        if self._room < 0:
            self.measure()

    def settle(self) -> None:
        """Measure if anything large was built since the last time."""
        if self._room < self._full:
            self.measure()

    def measure(self) -> None:
        """Add up what the new facts hold, each value once; raise when it is too much."""
        self.check_time()
        self._room = self._full
        for relation in self.watched:
            rows, relation.weighed = len(relation.rows) - relation.weighed, len(relation.rows)
            if rows > 0 and isinstance(relation.rows, dict):
                self._weigh_all(islice(reversed(relation.rows.items()), rows))
        kept, seen = self.kept, set(self._seen) if self.growing else self._seen
        self._weigh_all(
            self.growing.items() if isinstance(self.growing, dict) else ((row, None) for row in self.growing)
        )
        held, self.kept, self._seen = self.kept, kept, seen
        if held > self._limits.bytes:
            limit = self._limits.bytes
            raise self.over(f"more than {limit} bytes of strings, lists and other values were built and kept", "bytes")

    def _weigh_all(self, rows: Iterable[tuple[Row, Any]]) -> None:
        """Add what rows hold, and what is remembered of where they come from."""
        for row, origin in rows:
            self._weigh(row)
            if type(origin) is tuple:
                self._weigh(origin[1:])

    def _weigh(self, values: Iterable[Value]) -> None:
        pending = [value for value in values if type(value) is not int]
        while pending:
            value = pending.pop()
            size = weight(value)
            if size > _SMALL or type(value) in _NESTED:
                if id(value) in self._seen:
                    continue
                self._seen.add(id(value))
            self.kept += size
            if isinstance(value, (List, Pair)):
                pending += [part for part in value.held if type(part) is not int]
            elif isinstance(value, (Map, Struct)):
                pending += [part for entry in value.held for part in entry if type(part) is not int]

    def late(self) -> MangleError:
        """Return the error of the time that is over."""
        return self.over(f"the evaluation took longer than {self._limits.seconds:g} s", "seconds")

    def over(self, message: str, limit: str) -> MangleError:
        """Return the error of a limit that was reached."""
        rule = self.rule
        of = "" if rule is None else f", the last by a rule of {rule.head.symbol}"
        fix = f"look for a rule that never ends, or raise Limits({limit}=…)"
        return MangleError(f"{message}{of}", stage="eval", place=None if rule is None else rule.place, fix=fix)
