"""Where the leaves of a tree are done: in threads of this process, or on the nodes of a Ray cluster."""

from typing import TYPE_CHECKING, Any

from mayfly.promise.engines._local import LocalEngine
from mayfly.promise.engines._open import open_engine
from mayfly.promise.engines._runner import EngineLost, WorkerLost

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

_HOMES = {"RayEngine": "_ray", "Cluster": "_tryout", "TryOut": "_tryout", "cluster_processes": "_tryout"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
