"""Staging: how a built-in tool is changed. A branch and a worktree of its own, stages behind the wall, fast forward."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.library.staging._events import RolledBack as RolledBack
    from mayfly.library.staging._events import StageResult as StageResult
    from mayfly.library.staging._events import StagingPromoted as StagingPromoted
    from mayfly.library.staging._live import take_up as take_up
    from mayfly.library.staging._live import under_watch as under_watch
    from mayfly.library.staging._live import watched as watched
    from mayfly.library.staging._repository import Repository as Repository
    from mayfly.library.staging._staging import Staging as Staging
    from mayfly.library.staging._staging import StagingReport as StagingReport
    from mayfly.library.staging._target import homes_of as homes_of

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
