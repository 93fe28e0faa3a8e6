"""Random lives of promises and pools, each held against a model that is too simple to be wrong."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mayfly.core import UNSET, ConflictError, Hold, InputError, LimitError, Pool
from mayfly.promise._promise import Evidence, IllegalTransition, Promise, State

PROOF = Evidence(description="it is what it is", confidence=1.0)
# Written out, and not taken from the source: what may follow what.
FOLLOWS = {
    "pending": {"begin": "resolving", "collapse": "collapsed", "add": "pending"},
    "resolving": {"resolve": "resolved", "collapse": "collapsed", "fail": "failed"},
    "resolved": {},
    "collapsed": {},
    "failed": {},
}
MOVES = ("add", "begin", "resolve", "collapse", "fail")
WHICH = st.integers(0, 10**6)


def seen(promise: Promise[object]) -> list[object]:
    """Return every field of a promise as it is now."""
    return [
        list(value) if isinstance(value := getattr(promise, field.name), list) else value for field in fields(promise)
    ]


def move(promise: Promise[object], name: str, value: object) -> Promise[object] | None:
    match name:
        case "add":
            return promise.add(Promise("more", ground=value))
        case "begin":
            promise.begin()
        case "resolve":
            promise.resolve(value, PROOF)
        case "collapse":
            promise.collapse(f"because {value}", "NO_BUDGET")
        case _:
            promise.fail(f"broken {value}")
    return None


class Promises(RuleBasedStateMachine):
    """Ask promises of a growing tree to move anywhere; the model knows their states and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.promises: list[Promise[object]] = [Promise("all", ground="ground", context={"who": "root"})]
        self.states = ["pending"]
        self.values: dict[int, object] = {}

    @rule(which=WHICH, name=st.sampled_from(MOVES), value=st.none() | st.integers(0, 9))
    def ask(self, which: int, name: str, value: object) -> None:
        index = which % len(self.promises)
        promise, state = self.promises[index], self.states[index]
        before = [seen(other) for other in self.promises]
        if name not in FOLLOWS[state]:
            with pytest.raises(IllegalTransition):
                move(promise, name, value)
            assert [seen(other) for other in self.promises] == before
            return
        child = move(promise, name, value)
        self.states[index] = FOLLOWS[state][name]
        if child is not None:
            self.promises.append(child)
            self.states.append("pending")
        if name == "resolve":
            self.values[index] = value
        others = [seen(other) for number, other in enumerate(self.promises[: len(before)]) if number != index]
        assert others == before[:index] + before[index + 1 :]

    @invariant()
    def every_promise_stands_where_it_was_left(self) -> None:
        assert [promise.state.value for promise in self.promises] == self.states

    @invariant()
    def only_a_kept_promise_has_anything_but_its_ground(self) -> None:
        for index, promise in enumerate(self.promises):
            assert (promise.proof is PROOF) == (promise.resolved is not UNSET) == (index in self.values)
            assert promise.value == self.values.get(index, promise.ground)
            assert bool(promise.reason) == (promise.state in (State.COLLAPSED, State.FAILED))
            assert promise.state.ended == (not FOLLOWS[promise.state.value])

    @invariant()
    def the_tree_is_a_tree(self) -> None:
        root = self.promises[0]
        walked = list(root.walk())
        assert {id(promise) for promise in walked} == {id(promise) for promise in self.promises}
        assert len({promise.id for promise in walked}) == len(walked)
        for promise in walked:
            assert promise.budget == 1 / (promise.depth + 1)
            assert promise.context == root.context
            for number, child in enumerate(promise.children, 1):
                assert (child.parent, child.id) == (promise.id, f"{promise.id}.{number}")
                assert child.depth == promise.depth + 1


KINDS = ("model_calls", "money", "nodes")
AMOUNTS = st.sampled_from([0, 1, 2, 3, 5, 8, 0.1, 0.25, 0.7, 1.3])
LIMITS = st.none() | st.sampled_from([0, 1, 4, 9, 20, 0.3, 7.5])
SOME = st.dictionaries(st.sampled_from(KINDS), AMOUNTS, max_size=3)
BAD = st.sampled_from([-1, -0.5, float("nan"), float("inf")])


def exact(amount: float) -> Fraction:
    return Fraction(str(amount))


class Level:
    """One pool and what the model knows of it: where it hangs and what was asked of it, one entry a hold."""

    def __init__(self, pool: Pool, limits: dict[str, float | None], parent: Level | None) -> None:
        self.pool = pool
        self.limits = {kind: exact(limit) for kind, limit in limits.items() if limit is not None}
        self.parent = parent
        self.children: list[Level] = []
        self.taken: list[Taken] = []
        if parent is not None:
            parent.children.append(self)

    def chain(self) -> list[Level]:
        return [self] if self.parent is None else [self, *self.parent.chain()]

    def all_taken(self) -> list[Taken]:
        return self.taken + [taken for child in self.children for taken in child.all_taken()]

    def used(self, kind: str) -> Fraction:
        return sum((taken.used.get(kind, Fraction(0)) for taken in self.all_taken()), Fraction(0))

    def held(self, kind: str) -> Fraction:
        holds = (taken for taken in self.all_taken() if taken.hold.open)
        return sum((exact(taken.hold.granted.get(kind, 0)) for taken in holds), Fraction(0))

    def room(self, kind: str) -> Fraction | None:
        """Return what is left on the tightest level, which may be less than nothing."""
        levels = [level for level in self.chain() if kind in level.limits]
        rooms = [level.limits[kind] - level.used(kind) - level.held(kind) for level in levels]
        return min(rooms) if rooms else None


class Taken:
    """One hold and what the model says was used of it."""

    def __init__(self, hold: Hold) -> None:
        self.hold = hold
        self.used: dict[str, Fraction] = {}


class Pools(RuleBasedStateMachine):
    """Take, use, give back and lose amounts on a growing tree of pools."""

    levels: list[Level]

    @initialize(limits=st.fixed_dictionaries(dict.fromkeys(KINDS, LIMITS)))
    def begin(self, limits: dict[str, float | None]) -> None:
        self.levels = [Level(Pool(parent=None, clock=None, used=None, **limits), limits, None)]

    @precondition(lambda self: len(self.levels) < 6)
    @rule(which=WHICH, limits=st.fixed_dictionaries(dict.fromkeys(KINDS, LIMITS)))
    def nest(self, which: int, limits: dict[str, float | None]) -> None:
        parent = self.level(which)
        self.levels.append(Level(parent.pool.child(clock=None, **limits), limits, parent))

    def level(self, which: int) -> Level:
        return self.levels[which % len(self.levels)]

    def open(self, which: int) -> Taken | None:
        found = [taken for taken in self.levels[0].all_taken() if taken.hold.open]
        return found[which % len(found)] if found else None

    @rule(which=WHICH, amounts=SOME)
    def reserve(self, which: int, amounts: dict[str, float]) -> None:
        level = self.level(which)
        rooms = {kind: level.room(kind) for kind in amounts}
        if any(room is not None and exact(amounts[kind]) > room for kind, room in rooms.items()):
            with pytest.raises(LimitError) as caught:
                level.pool.reserve(least=None, firm=(), **amounts)
            assert caught.value.used > caught.value.limit
        else:
            hold = level.pool.reserve(least=None, firm=(), **amounts)
            assert hold.granted == amounts
            level.taken.append(Taken(hold))

    @rule(which=WHICH, amounts=SOME)
    def reserve_a_part(self, which: int, amounts: dict[str, float]) -> None:
        level = self.level(which)
        least = {kind: min(amount, 1) for kind, amount in amounts.items()}
        rooms = {kind: level.room(kind) for kind in amounts}
        try:
            hold = level.pool.reserve(least=least, firm=(), **amounts)
        except LimitError:
            # Whole kinds are cut to whole amounts, so just under one is already too little.
            assert any(room is not None and room < 1 for room in rooms.values())
        else:
            for kind, amount in amounts.items():
                room = rooms[kind]
                assert least[kind] <= hold.granted[kind] <= amount
                assert room is None or exact(hold.granted[kind]) <= room
            level.taken.append(Taken(hold))

    @rule(which=WHICH, used=SOME)
    def settle(self, which: int, used: dict[str, float]) -> None:
        if taken := self.open(which):
            taken.hold.settle(**used)
            taken.used = {kind: exact(amount) for kind, amount in used.items()}

    @rule(which=WHICH)
    def release(self, which: int) -> None:
        if taken := self.open(which):
            taken.hold.release()

    @rule(which=WHICH)
    def forfeit(self, which: int) -> None:
        if taken := self.open(which):
            taken.used = {kind: exact(amount) for kind, amount in taken.hold.granted.items()}
            taken.hold.forfeit()

    @rule(which=WHICH, used=SOME)
    def end_again(self, which: int, used: dict[str, float]) -> None:
        ended = [taken for taken in self.levels[0].all_taken() if not taken.hold.open]
        if ended:
            hold = ended[which % len(ended)].hold
            hold.release()
            hold.forfeit()
            with pytest.raises(ConflictError):
                hold.settle(**used)

    @rule(which=WHICH, kind=st.sampled_from(KINDS), amount=BAD)
    def cheat(self, which: int, kind: str, amount: float) -> None:
        level, taken = self.level(which), self.open(which)
        for use in (level.pool.spend, *([taken.hold.settle] if taken else [])):
            with pytest.raises(InputError):
                use(**{kind: amount})
        with pytest.raises(InputError):
            level.pool.spend(tokens=1)

    @invariant()
    def every_level_counts_what_the_model_counts(self) -> None:
        for level in self.levels:
            for kind in KINDS:
                used, held, left = level.pool.used(kind), level.pool.held(kind), level.pool.left(kind)
                assert (used, held) == (float(level.used(kind)), float(level.held(kind)))
                assert min(used, held) >= 0
                room = level.room(kind)
                assert left == (None if room is None else max(0.0, float(room)))

    @invariant()
    def used_held_and_left_make_the_limit(self) -> None:
        root = self.levels[0]
        for kind, limit in root.limits.items():
            gone = exact(root.pool.used(kind)) + exact(root.pool.held(kind))
            assert gone + exact(root.pool.left(kind) or 0) == max(limit, gone)

    @invariant()
    def nothing_is_lost_between_parent_and_children(self) -> None:
        for level in self.levels:
            for kind in KINDS:
                below = sum((exact(child.pool.used(kind)) for child in level.children), Fraction(0))
                own = sum((taken.used.get(kind, Fraction(0)) for taken in level.taken), Fraction(0))
                assert exact(level.pool.used(kind)) == below + own


class Honest(Pools):
    """The same lives with nobody using more than was granted: then no limit is ever passed, on any level."""

    @rule(which=WHICH, used=SOME)
    def settle(self, which: int, used: dict[str, float]) -> None:
        if taken := self.open(which):
            granted = taken.hold.granted
            within = {kind: amount for kind, amount in used.items() if amount <= granted.get(kind, -1)}
            taken.hold.settle(**within)
            taken.used = {kind: exact(amount) for kind, amount in within.items()}

    @invariant()
    def no_limit_is_passed(self) -> None:
        for level in self.levels:
            for kind, limit in level.limits.items():
                assert exact(level.pool.used(kind)) + exact(level.pool.held(kind)) <= limit


LIVES = settings(max_examples=30, stateful_step_count=30, deadline=None, derandomize=True)
TestPromises = Promises.TestCase
TestPromises.settings = LIVES
TestPools = Pools.TestCase
TestPools.settings = LIVES
TestHonestPools = Honest.TestCase
TestHonestPools.settings = LIVES
