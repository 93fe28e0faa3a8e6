"""Which engine the settings name."""

from __future__ import annotations

from collections.abc import Callable

from mayfly.core import InputError, MayflyError, Settings
from mayfly.promise._job import Engine, Worker
from mayfly.promise.engines._address import find
from mayfly.promise.engines._local import LocalEngine


def open_engine(settings: Settings, make_worker: Callable[[Settings], Worker]) -> Engine:
    """Return the engine that `promise.engine` names; *make_worker* is called where the work is done."""
    name = settings.promise.engine.strip()
    if name == "local":
        return LocalEngine(settings, make_worker)
    if name == "ray" or name.startswith("ray://"):
        return _open_ray(name, settings, make_worker)
    raise InputError(f"{name}: an engine is local, ray or ray://HOST:PORT", fix="set MAYFLY_ENGINE")


def _open_ray(name: str, settings: Settings, make_worker: Callable[[Settings], Worker]) -> Engine:
    if not settings.store.database_url:
        raise MayflyError("the ray engine needs a shared store: set MAYFLY_DATABASE_URL to a PostgreSQL")
    from mayfly.promise.engines._connect import ClusterConnection, import_ray

    import_ray()
    from mayfly.promise.engines._ray import RayEngine
    from mayfly.promise.engines._tryout import TryOut

    tryout = TryOut(settings)
    near = name == "ray"
    address = tryout.expect().address if near else find(name, settings.promise)
    connection = ClusterConnection.open(address, token=tryout.token_for(address), near=near)
    try:
        return RayEngine(settings, connection, make_worker)
    except BaseException:
        connection.close()
        raise
