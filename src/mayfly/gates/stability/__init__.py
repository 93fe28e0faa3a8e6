"""The stability gate: code has to be simple enough for where it is written; what it finds, others read too."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.gates.stability._growth import truth as truth
    from mayfly.gates.stability._imports import import_table as import_table
    from mayfly.gates.stability._imports import importable as importable
    from mayfly.gates.stability._imports import modules_of as modules_of
    from mayfly.gates.stability._names import folded as folded
    from mayfly.gates.stability._scan import Scan as Scan
    from mayfly.gates.stability._scan import Scope as Scope
    from mayfly.gates.stability._scan import called_name as called_name
    from mayfly.gates.stability._scan import scan as scan
    from mayfly.gates.stability._stability import MAX_LINES as MAX_LINES
    from mayfly.gates.stability._stability import Metrics as Metrics
    from mayfly.gates.stability._stability import StabilityReport as StabilityReport
    from mayfly.gates.stability._stability import check_stability as check_stability
    from mayfly.gates.stability._stability import is_stable as is_stable
    from mayfly.gates.stability._stability import too_complex as too_complex
    from mayfly.gates.stability._stability import too_many_arms as too_many_arms

# Whatever changes what the gate says makes this larger: what was admitted by another version is tried again.
VERSION = 2

__all__ = ["VERSION", *public_names(__name__)]
__getattr__ = lazily(__name__)
