"""The small pieces a promise tree is made of, as agents with laws: they compose with `>>` like any other.

Compose is `>>` itself and the identity is `core.Identity`; collapsing gives a `Ground`, lazy expansion is a `Fix`, a
test is an attempt to `Contradict`, and accepting is what `Judge` does.
"""

from mayfly.promise._pieces_contradict import Claim, Contradict, Contradicted, Contradiction, Detector, attempt
from mayfly.promise._pieces_fix import Fix, Fixed, Ground
from mayfly.promise._pieces_judge import Judge, Judged, Opinion

__all__ = [
    "Claim",
    "Contradict",
    "Contradicted",
    "Contradiction",
    "Detector",
    "Fix",
    "Fixed",
    "Ground",
    "Judge",
    "Judged",
    "Opinion",
    "attempt",
]
