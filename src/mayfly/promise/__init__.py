"""Promises: what an intent will take is judged and planned before anything is spent; values are proven on the way back.

The names below are loaded on first use: classifying an intent loads neither a database nor a sandbox.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.promise._classify import classify as classify
    from mayfly.promise._combine import CannotCombine as CannotCombine
    from mayfly.promise._data import ITEM as ITEM
    from mayfly.promise._data import copied as copied
    from mayfly.promise._data import reason_of as reason_of
    from mayfly.promise._data import references as references
    from mayfly.promise._data import result_of as result_of
    from mayfly.promise._effects import Effects as Effects
    from mayfly.promise._effects import Past as Past
    from mayfly.promise._effects import past_of as past_of
    from mayfly.promise._events import Planned as Planned
    from mayfly.promise._events import RunResumed as RunResumed
    from mayfly.promise._fix import Fix as Fix
    from mayfly.promise._fix import FixOutcome as FixOutcome
    from mayfly.promise._fix import Ground as Ground
    from mayfly.promise._history import Saved as Saved
    from mayfly.promise._history import Unsettled as Unsettled
    from mayfly.promise._history import cancel as cancel
    from mayfly.promise._history import saved as saved
    from mayfly.promise._history import settle_effect as settle_effect
    from mayfly.promise._history import spent_json as spent_json
    from mayfly.promise._history import unknown_effects as unknown_effects
    from mayfly.promise._job import Done as Done
    from mayfly.promise._job import Engine as Engine
    from mayfly.promise._job import Job as Job
    from mayfly.promise._job import Part as Part
    from mayfly.promise._job import part_of as part_of
    from mayfly.promise._journal import Journal as Journal
    from mayfly.promise._judge import Contradict as Contradict
    from mayfly.promise._judge import OpinionJudge as OpinionJudge
    from mayfly.promise._judge import PromiseOpinion as PromiseOpinion
    from mayfly.promise._judge import ValueClaim as ValueClaim
    from mayfly.promise._judge import attempt as attempt
    from mayfly.promise._leaves import NOT_THERE as NOT_THERE
    from mayfly.promise._leaves import Leaves as Leaves
    from mayfly.promise._leaves import Options as Options
    from mayfly.promise._leaves import ToolSupply as ToolSupply
    from mayfly.promise._limits import TreeLimits as TreeLimits
    from mayfly.promise._limits import check_shape as check_shape
    from mayfly.promise._promise import Children as Children
    from mayfly.promise._promise import Evidence as Evidence
    from mayfly.promise._promise import IllegalTransition as IllegalTransition
    from mayfly.promise._promise import IntentKind as IntentKind
    from mayfly.promise._promise import Promise as Promise
    from mayfly.promise._promise import Reality as Reality
    from mayfly.promise._promise import State as State
    from mayfly.promise._promise import Work as Work
    from mayfly.promise._promise_json import from_json as from_json
    from mayfly.promise._promise_json import to_json as to_json
    from mayfly.promise._resolve import Resolver as Resolver
    from mayfly.promise._tester import Tester as Tester
    from mayfly.promise._tester import TestGenerator as TestGenerator
    from mayfly.promise._tester import TestInput as TestInput
    from mayfly.promise._tester import TestOutput as TestOutput
    from mayfly.promise._values import about_store as about_store
    from mayfly.promise._values import arguments_of as arguments_of
    from mayfly.promise._values import input_of as input_of
    from mayfly.promise.engines import EngineLost as EngineLost
    from mayfly.promise.engines import LocalEngine as LocalEngine
    from mayfly.promise.engines import open_engine as open_engine
    from mayfly.promise.plan import Planner as Planner

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
