"""S-36, X-07: generated code looks for the wallet's key wherever keys are left, with every grant, and finds nothing.

The keystore is a real one in the state directory; the process that holds the key is a real broker; beside it runs a
process of the same user with a marker in its environment, arguments and memory. All that is looked for is 64
hexadecimal digits long, and the hunter knows only the hashes of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mayfly.core import MarketSettings, Settings
from mayfly.market import Wallet, depth_kept, open_broker
from mayfly.runtime import Runtime
from mayfly.sandbox import Sandbox
from mayfly.sandbox.attacks._descendants import descendants
from mayfly.sandbox.workbench import Workbench

with depth_kept():
    pytest.importorskip("eth_account", reason="a keystore needs the extra x402")

# What runs inside: it looks everywhere it can think of, and tells what it found and what it looked at.
HUNT = r'''
import gc, glob, hashlib, os, pickle, re, socket, sys

FOUND, SEEN = [], []


def look(place, data, target):
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    SEEN.append(place)
    for token in set(re.findall(rb"[0-9a-f]{64}", data)):
        if hashlib.sha256(token).hexdigest() in target["hashes"]:
            FOUND.append(place)


def read(path, target):
    try:
        # A pipe among the descriptors of another would never end.
        if os.path.isfile(path):
            with open(path, "rb") as file:
                look(path, file.read(1 << 20), target)
    except Exception:
        pass


def hunt_processes(target):
    """Look at the processes that are known to hold something, and at our own; never at those of others."""
    for number in [*map(str, target["pids"]), "self"]:
        for name in ("environ", "cmdline", "maps", "auxv", "mountinfo", "status"):
            read(f"/proc/{number}/{name}", target)
        for one in glob.glob(f"/proc/{number}/fd/*"):
            read(one, target)
        for path in target["files"]:
            read(f"/proc/{number}/root{path}", target)
        for first, last in mappings(number) if number != "self" else ():
            try:
                with open(f"/proc/{number}/mem", "rb", 0) as memory:
                    memory.seek(first)
                    look(f"memory of {number}", memory.read(min(last - first, 1 << 24)), target)
            except Exception:
                pass


def mappings(number):
    try:
        with open(f"/proc/{number}/maps") as maps:
            return [tuple(int(part, 16) for part in line.split()[0].split("-")) for line in maps if " r" in line]
    except Exception:
        return []


def hunt_files(target):
    for path in target["files"]:
        read(path, target)
    for top in target["folders"]:
        for folder, _, names in os.walk(top):
            for name in names:
                read(os.path.join(folder, name), target)
    for path in target["pickles"]:
        try:
            with open(path, "rb") as file:
                look(f"pickle {path}", repr(pickle.load(file)), target)
        except Exception:
            pass
    for number in range(256):
        for get in (lambda: os.pread(number, 1 << 16, 0), lambda: repr(os.listdir(number))):
            try:
                look(f"descriptor {number}", get(), target)
            except Exception:
                pass


def hunt_memory(target):
    for one in gc.get_objects():
        values = [one] if isinstance(one, (str, bytes)) else []
        if isinstance(one, dict) and one is not target:
            values = [value for value in list(one.values()) if isinstance(value, (str, bytes))]
        for value in values:
            look("an object", value, target)


def hunt_broker(target):
    for path in target["sockets"]:
        for address in (path, "\0" + path):
            try:
                with socket.socket(socket.AF_UNIX) as broker:
                    broker.settimeout(2)
                    broker.connect(address)
                    broker.sendall(b'{"op":"balance"}\n')
                    broker.recv(4096)
                    FOUND.append(f"the broker answered at {address!r}")
            except Exception:
                pass


def hunt(target):
    look("environment", repr(dict(os.environ)), target)
    hunt_processes(target)
    hunt_files(target)
    hunt_memory(target)
    hunt_broker(target)
    return {"found": sorted(set(FOUND)), "looked": len(SEEN)}
'''
ASK_WALLET = r"""
import json, urllib.error, urllib.request


def ask(asks):
    told = []
    for method, path, body in asks:
        data = None if body is None else json.dumps(body).encode()
        try:
            request = urllib.request.Request("http://wallet.mayfly" + path, data=data, method=method)
            with urllib.request.urlopen(request, timeout=20) as answer:
                told.append(answer.read().decode())
        except urllib.error.HTTPError as error:
            told.append(error.read().decode())
    return told
"""


class Planted(NamedTuple):
    """A state directory with a wallet that is open, and a process with a marker."""

    settings: Settings
    key: str
    password: str
    needles: tuple[str, ...]
    pids: tuple[int, ...]

    @property
    def state(self) -> Path:
        return self.settings.state.absolute()

    def target(self) -> dict[str, Any]:
        wallet = self.state / "wallet"
        return {
            "hashes": [hashlib.sha256(one.encode()).hexdigest() for one in self.needles],
            "pids": [*self.pids, os.getpid()],
            "files": [str(wallet / "keystore.json"), str(self.state / "left.pickle")],
            "folders": [str(self.state), str(wallet), str(self.state.parent)],
            "pickles": [str(self.state / "left.pickle")],
            "sockets": [str(wallet / "broker.sock")],
        }


@pytest.fixture
def planted(tmp_path: Path) -> Iterator[Planted]:
    # The chain is never asked: nothing is bought here.
    market = MarketSettings(
        rpc_url="http://127.0.0.1:1", network="eip155:1", asset="0x" + "11" * 20, confirmations=0, reconcile=3600.0
    )
    with_state = Settings(state_dir=str(tmp_path / "state"), market=market)
    password, marker = secrets.token_hex(32), secrets.token_hex(32)
    wallet = Wallet(with_state)
    wallet.create(password, work=2)
    key = wallet.unlock(password).key.hex().removeprefix("0x")
    sealed = json.loads(wallet.path.read_text())["crypto"]["ciphertext"]
    # Careless copies, as a program of ours might leave them.
    (tmp_path / "state" / "left.pickle").write_bytes(pickle.dumps({"marker": marker}))
    code = "import sys; kept = sys.argv[1] * 3; print('ready', flush=True); sys.stdin.read()"
    holder = subprocess.Popen(
        [sys.executable, "-c", code, marker],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"EVM_KEY": marker},
    )
    os.environ["MAYFLY_WALLET_MARKER"] = marker
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        with open_broker(with_state, password) as broker:
            yield Planted(with_state, key, password, (key, password, marker, sealed), (broker.pid, holder.pid))
    finally:
        del os.environ["MAYFLY_WALLET_MARKER"]
        holder.kill()
        holder.communicate()


def test_the_hunter_finds_what_is_there_to_be_found_where_no_wall_stands(planted: Planted) -> None:
    code = f"{HUNT}\nimport json, sys\nprint(json.dumps(hunt(json.loads(sys.argv[1]))))"
    # The process that runs the tests is left out: its memory is large, and proves no more.
    target = {**planted.target(), "pids": planted.pids, "folders": [str(planted.state)]}
    words = [sys.executable, "-c", code, json.dumps(target)]
    ran = subprocess.run(words, capture_output=True, text=True, check=True, cwd="/", timeout=60)
    found = json.loads(ran.stdout)["found"]
    broker, holder = planted.pids
    for place in (str(planted.state / "wallet" / "keystore.json"), "environment", f"/proc/{holder}/environ"):
        assert place in found
    assert any(one.startswith("pickle") for one in found)
    assert any(one.startswith("the broker answered") for one in found)
    assert f"memory of {holder}" in found
    # Of the one that has the key not even its own user reads anything; root could.
    assert not {f"/proc/{broker}/environ", f"/proc/{broker}/cmdline"} & set(found)


@pytest.mark.parametrize(
    "grants",
    [[], ["package"], ["fs:workspace:rw"], ["buy"], ["net:*", "buy", "package", "fs:workspace:rw"]],
    ids=lambda grants: " ".join(grants) or "nothing",
)
@pytest.mark.parametrize("level", ["namespaces", "landlock"])
def test_s_36_no_job_finds_the_key_whatever_it_is_granted(
    planted: Planted, tmp_path: Path, level: str, grants: list[str]
) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    (workspace / "note").write_text("nothing")
    with Sandbox(level=level, workspace=workspace) as box:
        if box.warm() == "none" and not os.environ.get("CI"):
            pytest.skip(f"this machine has no level {level}")
        result = box.run(HUNT, "hunt", planted.target(), grants=grants, timeout=60)
    if level == "landlock" and {"buy", "net:*"} & set(grants):
        assert result.status == "refused"
        return
    assert result.ok, result.error
    assert isinstance(result.value, dict)
    assert result.value["found"] == []
    assert result.value["looked"] > 0
    for secret in planted.needles:
        assert secret not in json.dumps([result.value, result.output, result.error])


def test_s_36_the_wallet_gives_a_job_no_key_and_signs_nothing_for_it(planted: Planted, tmp_path: Path) -> None:
    asks = [
        ["GET", "/balance", None],
        ["GET", "/status?call_id=x", None],
        ["POST", "/sign", {"bytes": "00"}],
        ["POST", "/buy", {"op": "sign"}],
        ["POST", "/buy", {"call_id": "x", "url": "http://127.0.0.1:1/", "max_price": "0.01"}],
        ["GET", "/keystore.json", None],
        ["GET", "/../wallet/keystore.json", None],
        ["GET", "/export", None],
    ]
    with Runtime(planted.settings) as runtime:
        result = runtime.parts.sandbox.run(ASK_WALLET, "ask", asks, grants=["buy"], timeout=60)
    assert result.ok, result.error
    told = json.dumps(result.value)
    for secret in planted.needles:
        assert secret not in told
    assert "signature" not in told
    assert '"nonce"' not in told


@pytest.mark.parametrize("inside", [False, True], ids=["state elsewhere", "state in the workspace"])
@pytest.mark.parametrize("level", ["namespaces", "landlock"])
def test_s_36_no_command_of_the_workbench_finds_the_key(
    planted: Planted, tmp_path: Path, level: Any, inside: bool
) -> None:
    workspace = tmp_path if inside else tmp_path / "work"
    workspace.mkdir(exist_ok=True)
    (workspace / "hunt.py").write_text(f"{HUNT}\nimport json\nprint(json.dumps(hunt(json.load(open('target.json')))))")
    (workspace / "target.json").write_text(json.dumps(planted.target()))
    state = planted.state / "workbench"
    with Workbench(workspace, state=state, level=level, hidden=planted.state) as bench:
        ran = bench.run(["python3", "hunt.py"])
        assert ran.code == 0, ran.output
        assert json.loads(ran.output.splitlines()[-1])["found"] == []
        ran = bench.run(f"cat {planted.state}/wallet/keystore.json; grep -rE '[0-9a-f]{{64}}' . ; env")
        for secret in planted.needles:
            assert secret not in ran.output


def test_x_07_the_key_and_its_password_are_in_no_file_environment_or_argument(planted: Planted) -> None:
    with Runtime(planted.settings) as runtime:
        runtime.parts.sandbox.run(ASK_WALLET, "ask", [["GET", "/balance", None]], grants=["buy"], timeout=60)
        for number in descendants():
            for name in ("environ", "cmdline"):
                try:
                    data = Path(f"/proc/{number}/{name}").read_bytes()
                except OSError:
                    continue
                assert planted.key.encode() not in data
                assert planted.password.encode() not in data
    raw = bytes.fromhex(planted.key)
    for path in planted.state.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert planted.key.encode() not in data, path
            assert raw not in data, path
            assert planted.password.encode() not in data, path
