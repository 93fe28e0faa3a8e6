"""Large files in parts: where they are cut, how results of parts are joined, and the proof that they may be."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.promise.split._cut import (
        MOST_PARTS,
        check_unchanged,
        lines_before,
        part_as_file,
        parts_of,
        text_as_file,
        total_of_parts,
    )
    from mayfly.promise.split._merge import Unmergeable, merge
    from mayfly.promise.split._prove import MergeProof, OutOfTime, TrialFailed, Tried, prove_merge

__all__ = [
    "MOST_PARTS",
    "MergeProof",
    "OutOfTime",
    "TrialFailed",
    "Tried",
    "Unmergeable",
    "check_unchanged",
    "lines_before",
    "merge",
    "part_as_file",
    "parts_of",
    "prove_merge",
    "text_as_file",
    "total_of_parts",
]

__getattr__ = lazily(
    __name__,
    {
        "_cut": "MOST_PARTS check_unchanged lines_before part_as_file parts_of text_as_file total_of_parts",
        "_merge": "Unmergeable merge",
        "_prove": "MergeProof OutOfTime TrialFailed Tried prove_merge",
    },
)
