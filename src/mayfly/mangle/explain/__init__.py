"""Explanations: why a fact holds, why a goal does not, and what would make it hold."""

from mayfly._lazy import public_names
from mayfly.mangle.explain._change import FactChange as FactChange
from mayfly.mangle.explain._change import Repair as Repair
from mayfly.mangle.explain._render import JSON as JSON
from mayfly.mangle.explain._render import DerivationBranch as DerivationBranch
from mayfly.mangle.explain._render import outline as outline
from mayfly.mangle.explain._render import to_json as to_json
from mayfly.mangle.explain._render import to_text as to_text
from mayfly.mangle.explain._repair import repairs as repairs
from mayfly.mangle.explain._solve import solve as solve
from mayfly.mangle.explain._terms import Bindings as Bindings
from mayfly.mangle.explain._why import DerivationLeaves as DerivationLeaves
from mayfly.mangle.explain._why import DerivationStep as DerivationStep
from mayfly.mangle.explain._why import Fact as Fact
from mayfly.mangle.explain._why import Why as Why
from mayfly.mangle.explain._why import leaves as leaves
from mayfly.mangle.explain._why import why as why
from mayfly.mangle.explain._why_not import RuleAttempt as RuleAttempt
from mayfly.mangle.explain._why_not import WhyNot as WhyNot
from mayfly.mangle.explain._why_not import why_not as why_not

__all__ = public_names(__name__)
