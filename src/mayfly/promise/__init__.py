"""Promises: what an intent will take is judged and planned before anything is spent; values are proven on the way back.

The names below are loaded on first use: classifying an intent loads neither a database nor a sandbox.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.promise._classify import classify
    from mayfly.promise._combine import CannotCombine
    from mayfly.promise._data import ITEM, copied, reason_of, references, result_of
    from mayfly.promise._effects import Effects, Past, past_of
    from mayfly.promise._events import Planned, RunResumed
    from mayfly.promise._fix import Fix, Fixed, Ground
    from mayfly.promise._history import Saved, Unsettled, cancel, saved, settle_effect, spent_json, unknown_effects
    from mayfly.promise._job import Done, Engine, Job, Part, part_of
    from mayfly.promise._journal import Journal
    from mayfly.promise._judge import Contradict, Judge, Opinion, ValueClaim, attempt
    from mayfly.promise._leaves import NOT_THERE, Leaves, Options, ToolSupply
    from mayfly.promise._limits import TreeLimits, check_shape
    from mayfly.promise._promise import Children, Evidence, IllegalTransition, Kind, Promise, Reality, State, Work
    from mayfly.promise._promise_json import from_json, to_json
    from mayfly.promise._resolve import Resolver
    from mayfly.promise._tester import Tester, TestGenerator, TestInput, TestOutput
    from mayfly.promise._values import about_store, arguments_of, input_of
    from mayfly.promise.engines import EngineLost, LocalEngine, open_engine
    from mayfly.promise.plan import Planner

__all__ = [
    "ITEM",
    "NOT_THERE",
    "CannotCombine",
    "Children",
    "Contradict",
    "Done",
    "Effects",
    "Engine",
    "EngineLost",
    "Evidence",
    "Fix",
    "Fixed",
    "Ground",
    "IllegalTransition",
    "Job",
    "Journal",
    "Judge",
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
    "Unsettled",
    "ValueClaim",
    "Work",
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
    "reason_of",
    "references",
    "result_of",
    "saved",
    "settle_effect",
    "spent_json",
    "to_json",
    "unknown_effects",
]

__getattr__ = lazily(
    __name__,
    {
        "_classify": "classify",
        "_combine": "CannotCombine",
        "_data": "ITEM copied reason_of references result_of",
        "_effects": "Effects Past past_of",
        "_events": "Planned RunResumed",
        "_fix": "Fix Fixed Ground",
        "_history": "Saved Unsettled cancel saved settle_effect spent_json unknown_effects",
        "_job": "Done Engine Job Part part_of",
        "_journal": "Journal",
        "_judge": "Contradict Judge Opinion ValueClaim attempt",
        "_leaves": "NOT_THERE Leaves Options ToolSupply",
        "_limits": "TreeLimits check_shape",
        "_promise": "Children Evidence IllegalTransition Kind Promise Reality State Work",
        "_promise_json": "from_json to_json",
        "_resolve": "Resolver",
        "_tester": "TestGenerator TestInput TestOutput Tester",
        "_values": "about_store arguments_of input_of",
        "engines": "EngineLost LocalEngine open_engine",
        "plan": "Planner",
    },
)
