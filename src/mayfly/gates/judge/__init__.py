"""The judge: is the code tasteful, ethical and joyful? Small judges say so, and a model where there is one."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.gates.judge._criteria import REJECT_RATE, Criteria, Decision, decide, pass_rate
    from mayfly.gates.judge._judge import Judge, Judgement
    from mayfly.gates.judge._ruff import run_ruff

# Whatever changes what the gate says makes this larger: what was admitted by another version is tried again.
VERSION = 1

__all__ = [
    "REJECT_RATE",
    "VERSION",
    "Criteria",
    "Decision",
    "Judge",
    "Judgement",
    "decide",
    "pass_rate",
    "run_ruff",
]

__getattr__ = lazily(
    __name__,
    {
        "_criteria": "REJECT_RATE Criteria Decision decide pass_rate",
        "_judge": "Judge Judgement",
        "_ruff": "run_ruff",
    },
)
