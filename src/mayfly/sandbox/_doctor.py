"""Say which level this machine gives, layer by layer, by trying it; and how to get a better one."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mayfly.core import SandboxSettings
from mayfly.sandbox._box import Sandbox
from mayfly.sandbox._cgroup import NoGroups, find
from mayfly.sandbox._grants import Grants, Outfit
from mayfly.sandbox._result import Level
from mayfly.sandbox._zygote import Zygote, ZygoteFailed

_SWITCHES = {
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": ("1", "sudo sysctl -w {key}=0"),
    "/proc/sys/kernel/unprivileged_userns_clone": ("0", "sudo sysctl -w {key}=1"),
    "/proc/sys/user/max_user_namespaces": ("0", "sudo sysctl -w {key}=10000"),
}


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One layer of the wall: whether it stands, what was seen, and how to raise it where it does not."""

    name: str
    ok: bool
    detail: str
    fix: str | None = None


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """The level a job gets on this machine, and the layers it is made of."""

    level: Level
    layers: tuple[Layer, ...]
    reason: str


def diagnose(settings: SandboxSettings | None = None, *, level: str | None = None) -> Diagnosis:
    """Try the levels from the best down and look at the first that stands from the inside."""
    settings = settings or SandboxSettings()
    wanted = level or settings.level
    layers = [_machine()]
    reached: Level = "none"
    reasons = []
    for name in ("namespaces", "landlock"):
        if reached != "none" or wanted not in ("best", name):
            continue
        found, reason = _try_level(name, settings)
        layers += found
        reasons.append(reason)
        if all(layer.ok for layer in found):
            reached = name
    if reached != "none":
        layers.append(_groups())
        layers += _inside(replace(settings, level=reached))
    return Diagnosis(level=reached, layers=tuple(layers), reason="; ".join(reasons))


def _machine() -> Layer:
    system = os.uname()
    ok = system.sysname == "Linux" and system.machine in ("x86_64", "aarch64")
    fix = None if ok else "the sandbox needs Linux on x86_64 or aarch64"
    return Layer(name="machine", ok=ok, detail=f"{system.sysname} {system.release} on {system.machine}", fix=fix)


def _try_level(name: Level, settings: SandboxSettings) -> tuple[list[Layer], str]:
    try:
        zygote = Zygote(name, Outfit(Grants(), lean=True), settings, ready=0, brief=False)
    except ZygoteFailed as error:
        fix = _one_user_fix() or (_namespace_fix() if name == "namespaces" else _landlock_fix())
        return [Layer(name=name, ok=False, detail=str(error), fix=fix)], f"{name}: {error}"
    landlock = zygote.layers.get("landlock", "")
    zygote.close()
    found = []
    if name == "namespaces":
        found.append(Layer(name=name, ok=True, detail="user, pid, mount, network, ipc, uts and cgroup of their own"))
    note = None if landlock.startswith("ABI") else _landlock_fix()
    found.append(Layer(name="landlock", ok=True, detail=landlock, fix=note))
    return found, f"{name} stands"


def _groups() -> Layer:
    """Say whether the kernel counts all that a job holds; the wall stands without it."""
    try:
        return Layer(name="cgroup", ok=True, detail=find().description)
    except NoGroups as error:
        detail = f"none ({error}): what the kernel holds for a job is bounded by the filter alone"
        return Layer(
            name="cgroup", ok=True, detail=detail, fix="delegate a cgroup (systemd: Delegate=yes) to this user"
        )


def _one_user_fix() -> str | None:
    """Return the advice for root of a user namespace that holds nobody else to step down to."""
    try:
        users = sum(int(line.split()[2]) for line in Path("/proc/self/uid_map").read_text().splitlines())
    except OSError:
        return None
    if os.geteuid() or users > 1:
        return None
    return "this user namespace has one user, so root has none to become: map more (subuid), or be another user in it"


def _namespace_fix() -> str:
    for path, (bad, hint) in _SWITCHES.items():
        try:
            value = Path(path).read_text().strip()
        except OSError:
            continue
        if value == bad:
            return hint.format(key=path.removeprefix("/proc/sys/").replace("/", "."))
    return "in a container, allow user namespaces (for Docker: --security-opt seccomp=unconfined)"


def _landlock_fix() -> str:
    return "use a kernel from 6.2 on with Landlock enabled (lsm=landlock,... on the kernel's command line)"


def _inside(settings: SandboxSettings) -> list[Layer]:
    source = (Path(__file__).parent / "probe.py").read_bytes()
    with Sandbox(settings) as box:
        result = box.run(source, "probe", {"host": os.getpid()}, timeout=10)
    seen = result.value
    if not result.ok or not isinstance(seen, dict):
        return [Layer(name="inside", ok=False, detail=str(result.error), fix="please report this")]
    return [
        _refused("files", seen, ("passwd", "write"), "/etc/passwd: {passwd}; writing to /tmp: {write}"),
        _refused("network", seen, ("socket",), "a socket: {socket}; {interfaces} interfaces seen"),
        _refused("processes", seen, ("fork", "exec"), "fork: {fork}; exec: {exec}; own pid {pid}"),
        _refused("signals", seen, ("kill",), "to the host: {kill}; ptrace: {ptrace}"),
        Layer(
            name="privileges",
            ok=seen["capabilities"] == 0 and seen["environment"] == 0,
            detail=f"{seen['capabilities']} capabilities, {seen['environment']} environment variables",
        ),
        Layer(
            name="limits",
            ok=seen["memory"] > 0 and seen["threads"] > 0,
            detail=f"{settings.memory >> 20} MiB, {settings.threads} threads, {settings.timeout:g} s",
        ),
    ]


def _refused(name: str, seen: dict[str, Any], keys: tuple[str, ...], text: str) -> Layer:
    return Layer(name=name, ok=all(seen[key] for key in keys), detail=text.format(**seen))
