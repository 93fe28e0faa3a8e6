"""Connect to a Ray cluster: to the try-out cluster as one of its nodes, to any other by its client port."""

from __future__ import annotations

import atexit
import os
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from mayfly.core import InputError, MachineError, MayflyError

INSTALL = "pip install 'mayfly-agents[ray]'"
TOKEN = "set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN_PATH to the file that holds it"
TOKEN_MODE, TOKEN_FILE = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH"
PROBE_SECONDS = 5.0
CLIENT_TRIES = 3
LONGEST_REASON = 300


class NodeAddress(NamedTuple):
    """A host as a number, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def answers(address: NodeAddress, *, seconds: float = 3.0) -> bool:
    """Say whether anything listens there."""
    try:
        socket.create_connection(address, timeout=seconds).close()
    except OSError:
        return False
    return True


def import_ray() -> Any:
    """Import Ray with its telemetry and its warnings about future versions off."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    # Ray ends this whole process when the cluster was silent for so long; the engine gives up by itself, and sooner.
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "600")
    if find_spec("ray") is None or find_spec("grpc") is None:
        raise MachineError("the ray engine needs Ray, which is not installed", fix=INSTALL)
    # A task that its node has no memory for is tried as often as any other, not for ever.
    os.environ.setdefault("RAY_task_oom_retries", "5")
    return import_module("ray")


class ClusterConnection:
    """One process has one connection to Ray; engines that want the same cluster share it, the last one closes it."""

    _lock: ClassVar[threading.Lock] = threading.Lock()
    _address: ClassVar[NodeAddress | None] = None
    _users: ClassVar[int] = 0
    _before: ClassVar[dict[str, str | None]] = {}

    def __init__(self, ray: Any, address: NodeAddress) -> None:
        self.ray = ray
        self.address = address
        self._open = True

    @classmethod
    def open(cls, address: NodeAddress, *, token: Path | None = None, near: bool = False) -> ClusterConnection:
        """Connect, within seconds or with one line about the reason; *near* is the cluster's own address."""
        ray = import_ray()
        with cls._lock:
            if cls._users and cls._address != address:
                raise InputError(f"this process uses the Ray cluster at {cls._address}", fix="use one at a time")
            if not cls._users:
                cls._before = {name: os.environ.get(name) for name in (TOKEN_MODE, TOKEN_FILE)}
                try:
                    _use_token(token)
                    _connect(ray, address, near=near)
                except BaseException:
                    cls._restore()
                    raise
                cls._address = address
            cls._users += 1
        return cls(ray, address)

    def answers(self) -> bool:
        """Say whether anything still listens at the cluster's address."""
        return answers(self.address)

    def close(self) -> None:
        """Give the connection up; one to a cluster that is silent is left behind, since Ray would wait for it."""
        with type(self)._lock:
            if not self._open:
                return
            self._open = False
            type(self)._users -= 1
            if not type(self)._users:
                if self.answers():
                    self.ray.shutdown()
                else:
                    atexit.unregister(import_module("ray._private.worker").shutdown)
                self._restore()

    @classmethod
    def _restore(cls) -> None:
        """Forget the token of the cluster that was used, so that the next one is asked with its own."""
        for name, value in cls._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def check_client_port(address: NodeAddress) -> None:
    """Refuse an address behind which no client server of Ray answers within seconds."""
    if not answers(address):
        raise MachineError(f"no Ray cluster answers at {address}", fix="start one, or for a try-out: mayfly ray up")
    grpc = import_module("grpc")
    client, stub = (import_module(f"ray.core.generated.ray_client_pb2{kind}") for kind in ("", "_grpc"))
    ping = client.ClusterInfoRequest(type=client.ClusterInfoType.PING)
    with import_module("ray._private.grpc_utils").init_grpc_channel(str(address)) as channel:
        try:
            stub.RayletDriverStub(channel).ClusterInfo(ping, timeout=PROBE_SECONDS)
        except grpc.RpcError as error:
            raise _refusal(error.code().name, address) from None


def _refusal(status: str, address: NodeAddress) -> MayflyError:
    if status == "UNIMPLEMENTED":
        return InputError(
            f"{address} is the Ray cluster's own address", fix=f"use its client port: ray://{address.host}:10001"
        )
    if status in {"UNAUTHENTICATED", "PERMISSION_DENIED"}:
        return InputError(f"the Ray cluster at {address} asks for another token", fix=TOKEN)
    return MachineError(f"what answers at {address} is no Ray cluster ({status.lower()})")


def _use_token(token: Path | None) -> None:
    """Have Ray read the token of a cluster of ours; a cluster of somebody else's has its own settings for that."""
    if token is not None:
        os.environ.update({TOKEN_MODE: "token", TOKEN_FILE: str(token)})
    raylet = import_module("ray._raylet")
    # Ray reads these once in a process; have it look again.
    raylet.Config.initialize("")
    raylet.AuthenticationTokenLoader.instance().reset_cache()


def _connect(ray: Any, address: NodeAddress, *, near: bool) -> None:
    if ray.is_initialized():
        raise InputError("this process already uses Ray for something else", fix="run mayfly in a process of its own")
    if not near:
        check_client_port(address)
    try:
        (_init_near if near else _init_client)(ray, address)
    except Exception as error:
        ray.shutdown()
        raise _explain(address, error) from None


def _init_near(ray: Any, address: NodeAddress) -> None:
    """Connect to the try-out cluster, which is on loopback, as a process of its machine."""
    # Ray tells of dead workers on stdout, where only the answer belongs; the engine tells of them itself.
    worker: Any = import_module("ray._private.worker")
    worker.print_to_stdstream = _say_nothing
    # Ray takes a loopback address for a mistake and replaces it, unless it believes that there are no clusters here.
    constants: Any = import_module("ray._private.ray_constants")
    constants.ENABLE_RAY_CLUSTER = False
    ray.init(str(address), log_to_driver=False, logging_level="ERROR", include_dashboard=None)


def _init_client(ray: Any, address: NodeAddress) -> None:
    """Connect to a client port; Ray's server for one client sometimes dies while it starts, the next does not."""
    for left in reversed(range(CLIENT_TRIES)):
        try:
            with _quiet():
                ray.init(f"ray://{address}", log_to_driver=False, logging_level="ERROR")
            return
        except ConnectionError as error:
            ray.shutdown()
            if not left or "Starting Ray client server failed" not in str(error):
                raise


def _say_nothing(*_: object, **__: object) -> None:
    """Stand in for what prints."""


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Ray's client from warning about how it is used."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module=r"ray\.util\.client")
        yield


def _explain(address: NodeAddress, error: Exception) -> MayflyError:
    text = str(error)
    if "ersion" in text and "ismatch" in text:
        said = " ".join(text.split())
        return InputError(f"the Ray cluster at {address} has other versions: {said}", fix="use the same Python and Ray")
    if "uthentication" in text or "token" in text:
        return InputError(f"the Ray cluster at {address} asks for another token", fix=TOKEN)
    return MachineError(f"the Ray cluster at {address} cannot be used: {last_line(error)}")


def last_line(error: BaseException) -> str:
    """Return the last line of what an error says: Ray puts the cause there."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:LONGEST_REASON] if lines else type(error).__name__
