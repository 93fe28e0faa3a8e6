"""Promises: what an intent will take is judged and planned before anything is spent; values are proven on the way back.

The names below are loaded on first use: classifying an intent loads neither a database nor a sandbox.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mayfly.promise._bind import ITEM, reason_of, references, result_of
    from mayfly.promise._classify import classify
    from mayfly.promise._combine import CannotCombine, Joined
    from mayfly.promise._contradict import Contradict, Contradicted, ValueClaim, attempt
    from mayfly.promise._data import copied
    from mayfly.promise._effects import Effects, Past, Unknown, past_of
    from mayfly.promise._elsewhere import NOT_THERE
    from mayfly.promise._events import Planned, RunResumed
    from mayfly.promise._fix import Fix, Fixed, Ground
    from mayfly.promise._history import (
        Saved,
        Unsettled,
        cancel,
        saved,
        settle_effect,
        unknown_effects,
    )
    from mayfly.promise._job import Done, Engine, Job, Part, Worker
    from mayfly.promise._journal import Journal
    from mayfly.promise._judge import Judge, Judged, Opinion
    from mayfly.promise._keys import part_of
    from mayfly.promise._leaves import Leaves, Options, Value, about_store, arguments_of, input_of
    from mayfly.promise._limits import TreeLimits
    from mayfly.promise._order import Cycle
    from mayfly.promise._promise import Children, Combine, Evidence, IllegalTransition, Promise, State, Work
    from mayfly.promise._promise_json import from_json, to_json
    from mayfly.promise._reality import CHAOS_THRESHOLD, MAX_DEPTH, Kind, Reality
    from mayfly.promise._resolve import Resolver
    from mayfly.promise._shape import check_shape
    from mayfly.promise._spent import spent_json
    from mayfly.promise._supply import ToolSupply
    from mayfly.promise._tester import Held, Tester, TestGenerator, TestInput, TestOutput
    from mayfly.promise.engines import EngineLost, LocalEngine, open_engine
    from mayfly.promise.plan import Planner, plan_json

__all__ = [
    "CHAOS_THRESHOLD",
    "ITEM",
    "MAX_DEPTH",
    "NOT_THERE",
    "CannotCombine",
    "Children",
    "Combine",
    "Contradict",
    "Contradicted",
    "Cycle",
    "Done",
    "Effects",
    "Engine",
    "EngineLost",
    "Evidence",
    "Fix",
    "Fixed",
    "Ground",
    "Held",
    "IllegalTransition",
    "Job",
    "Joined",
    "Journal",
    "Judge",
    "Judged",
    "Kind",
    "Leaves",
    "LocalEngine",
    "Opinion",
    "Options",
    "Part",
    "Past",
    "Planned",
    "Planner",
    "Promise",
    "Reality",
    "Resolver",
    "RunResumed",
    "Saved",
    "State",
    "TestGenerator",
    "TestInput",
    "TestOutput",
    "Tester",
    "ToolSupply",
    "TreeLimits",
    "Unknown",
    "Unsettled",
    "Value",
    "ValueClaim",
    "Work",
    "Worker",
    "about_store",
    "arguments_of",
    "attempt",
    "cancel",
    "check_shape",
    "classify",
    "copied",
    "from_json",
    "input_of",
    "open_engine",
    "part_of",
    "past_of",
    "plan_json",
    "reason_of",
    "references",
    "result_of",
    "saved",
    "settle_effect",
    "spent_json",
    "to_json",
    "unknown_effects",
]

_HOME = {
    "copied": "mayfly.promise._data",
    "classify": "mayfly.promise._classify",
    **dict.fromkeys(("ITEM", "reason_of", "references", "result_of"), "mayfly.promise._bind"),
    **dict.fromkeys(
        (
            "CannotCombine",
            "Joined",
        ),
        "mayfly.promise._combine",
    ),
    **dict.fromkeys(
        (
            "Effects",
            "Past",
            "Unknown",
            "past_of",
        ),
        "mayfly.promise._effects",
    ),
    **dict.fromkeys(
        (
            "Planned",
            "RunResumed",
        ),
        "mayfly.promise._events",
    ),
    **dict.fromkeys(
        (
            "Saved",
            "Unsettled",
            "cancel",
            "saved",
            "settle_effect",
            "unknown_effects",
        ),
        "mayfly.promise._history",
    ),
    **dict.fromkeys(
        (
            "Done",
            "Engine",
            "Job",
            "Part",
            "Worker",
        ),
        "mayfly.promise._job",
    ),
    **dict.fromkeys(("Journal",), "mayfly.promise._journal"),
    **dict.fromkeys(("part_of",), "mayfly.promise._keys"),
    **dict.fromkeys(("NOT_THERE",), "mayfly.promise._elsewhere"),
    **dict.fromkeys(("ToolSupply",), "mayfly.promise._supply"),
    **dict.fromkeys(
        (
            "Leaves",
            "Options",
            "Value",
            "about_store",
            "arguments_of",
            "input_of",
        ),
        "mayfly.promise._leaves",
    ),
    **dict.fromkeys(("Cycle",), "mayfly.promise._order"),
    **dict.fromkeys(("ValueClaim", "Contradict", "Contradicted", "attempt"), "mayfly.promise._contradict"),
    **dict.fromkeys(("Fix", "Fixed", "Ground"), "mayfly.promise._fix"),
    **dict.fromkeys(("Judge", "Judged", "Opinion"), "mayfly.promise._judge"),
    **dict.fromkeys(
        (
            "Children",
            "Combine",
            "Evidence",
            "IllegalTransition",
            "Promise",
            "State",
            "Work",
        ),
        "mayfly.promise._promise",
    ),
    **dict.fromkeys(
        (
            "from_json",
            "to_json",
        ),
        "mayfly.promise._promise_json",
    ),
    **dict.fromkeys(
        (
            "CHAOS_THRESHOLD",
            "Kind",
            "MAX_DEPTH",
            "Reality",
        ),
        "mayfly.promise._reality",
    ),
    **dict.fromkeys(("TreeLimits",), "mayfly.promise._limits"),
    **dict.fromkeys(("Resolver",), "mayfly.promise._resolve"),
    **dict.fromkeys(("check_shape",), "mayfly.promise._shape"),
    **dict.fromkeys(("spent_json",), "mayfly.promise._spent"),
    **dict.fromkeys(
        (
            "Held",
            "TestGenerator",
            "TestInput",
            "TestOutput",
            "Tester",
        ),
        "mayfly.promise._tester",
    ),
    **dict.fromkeys(
        (
            "EngineLost",
            "LocalEngine",
            "open_engine",
        ),
        "mayfly.promise.engines",
    ),
    **dict.fromkeys(
        (
            "Planner",
            "plan_json",
        ),
        "mayfly.promise.plan",
    ),
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'mayfly.promise' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
