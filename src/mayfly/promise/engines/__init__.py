"""Where the leaves of a tree are done: in threads of this process, or on the nodes of a Ray cluster."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily
from mayfly.promise.engines._local import EngineLost, LocalEngine, WorkerLost
from mayfly.promise.engines._open import open_engine

if TYPE_CHECKING:
    from mayfly.promise.engines._ray import RayEngine
    from mayfly.promise.engines._tryout import Cluster, TryOut, cluster_processes

__all__ = [
    "Cluster",
    "EngineLost",
    "LocalEngine",
    "RayEngine",
    "TryOut",
    "WorkerLost",
    "cluster_processes",
    "open_engine",
]

__getattr__ = lazily(__name__, {"_ray": "RayEngine", "_tryout": "Cluster TryOut cluster_processes"})
