"""The stability gate: code has to be simple enough for where it is written; what it finds, others read too."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.gates.stability._growth import truth
    from mayfly.gates.stability._imports import importable, modules_of
    from mayfly.gates.stability._imports import table as import_table
    from mayfly.gates.stability._names import folded
    from mayfly.gates.stability._scan import Scan, Scope, called_name, scan
    from mayfly.gates.stability._stability import (
        MAX_LINES,
        Metrics,
        StabilityReport,
        check_stability,
        is_stable,
        too_complex,
        too_many_arms,
    )

# Whatever changes what the gate says makes this larger: what was admitted by another version is tried again.
VERSION = 2

__all__ = [
    "MAX_LINES",
    "VERSION",
    "Metrics",
    "Scan",
    "Scope",
    "StabilityReport",
    "called_name",
    "check_stability",
    "folded",
    "import_table",
    "importable",
    "is_stable",
    "modules_of",
    "scan",
    "too_complex",
    "too_many_arms",
    "truth",
]

__getattr__ = lazily(
    __name__,
    {
        "_growth": "truth",
        "_imports": "importable modules_of table=import_table",
        "_names": "folded",
        "_scan": "Scan Scope called_name scan",
        "_stability": "MAX_LINES Metrics StabilityReport check_stability is_stable too_complex too_many_arms",
    },
)
