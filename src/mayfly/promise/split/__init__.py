"""Large files in parts: where they are cut, how results of parts are joined, and the proof that they may be."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.promise.split._cut import MOST_PARTS as MOST_PARTS
    from mayfly.promise.split._cut import check_unchanged as check_unchanged
    from mayfly.promise.split._cut import part_as_file as part_as_file
    from mayfly.promise.split._cut import parts_of as parts_of
    from mayfly.promise.split._cut import text_as_file as text_as_file
    from mayfly.promise.split._merge import Unmergeable as Unmergeable
    from mayfly.promise.split._merge import merge as merge
    from mayfly.promise.split._prove import MergeProof as MergeProof
    from mayfly.promise.split._prove import OutOfTime as OutOfTime
    from mayfly.promise.split._prove import TrialFailed as TrialFailed
    from mayfly.promise.split._prove import prove_merge as prove_merge

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
