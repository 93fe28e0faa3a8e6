"""`./mayfly`: makes `.venv` once, whatever interrupts it, and says in one line what is missing.

The Pythons are stubs that write down how they were called: `-m venv` and `-m pip` only pretend, all else is real. uv
cannot be had unless a test says how it acts.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = ("sh", "cat", "cksum", "grep", "mkdir", "mv", "readlink", "rm", "rmdir", "sed", "sleep", "tail", "touch", "cp")

PYTHON = """#!/bin/sh
printf '%s\\n' "${0##*/} $*" >>"$STUB_LOG"
case "$1 $2" in
"-m venv")
    mkdir -p "$3/bin" "$3/lib/python3.11/site-packages/pip"
    cp "$0" "$3/bin/python"
    touch "$3/lib/python3.11/site-packages/pip/__init__.py" ;;
"-m pip")
    case " $* " in *" --target "*)
        [ -n "${STUB_UV:-}" ] || exit 1
        mkdir -p .venv.uv/bin
        printf '#!/bin/sh\\nprintf "%%s\\\\n" "uv $*" >>"$STUB_LOG"\\n%s' "$STUB_UV" >.venv.uv/bin/uv
        chmod +x .venv.uv/bin/uv
        exit ;;
    esac
    [ -z "${STUB_SLEEP:-}" ] || sleep "$STUB_SLEEP"
    while [ -n "${STUB_GATE:-}" ] && [ ! -e "$STUB_GATE" ]; do sleep 0.05; done
    [ -z "${STUB_PIP_SAYS:-}" ] || { printf '%s\\n' "$STUB_PIP_SAYS"; exit 1; }
    exec "$0" -m made ;;
"-m made")
    venv=${0%/bin/python}
    info=$venv/lib/python3.11/site-packages/mayfly_agents-0.dist-info
    mkdir -p "$info"
    touch "$info/RECORD"
    cp .venv.wanted "$venv/wanted"
    printf '#!/bin/sh\\nprintf "%%s|" "$MAYFLY_COMMAND" "$@"\\n' >"$venv/bin/mayfly"
    chmod +x "$venv/bin/mayfly" ;;
*) exec REAL "$@" ;;
esac
"""
OLD = """#!/bin/sh
case $2 in *print*) echo 3.9 ;; *) exit 1 ;; esac
"""
BARE = """#!/bin/sh
case $2 in *print*) echo 3.11 ;; *ensurepip*) exit 1 ;; esac
"""


class Checkout:
    """A copy of the script and its lists, with a PATH that holds nothing but stubs and small tools."""

    def __init__(self, base: Path) -> None:
        self.root = base / "check out"
        self.bin = base / "bin"
        self.log = base / "log"
        self.venv = self.root / ".venv"
        self.root.mkdir()
        self.bin.mkdir()
        for name in ("mayfly", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, self.root / name)
        for tool in (*TOOLS, "chmod"):
            (self.bin / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
        self.python("python3", PYTHON)

    def python(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text.replace("REAL", sys.executable))
        path.chmod(0o755)

    def popen(
        self, *args: str, command: str | None = None, cwd: Path | None = None, **env: str
    ) -> "subprocess.Popen[str]":
        environ = {"PATH": str(self.bin), "STUB_LOG": str(self.log), "HOME": "/nonexistent", **env}
        return subprocess.Popen(
            [command or str(self.root / "mayfly"), *args],
            env=environ,
            cwd=cwd or self.root,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def start(
        self, *args: str, command: str | None = None, cwd: Path | None = None, **env: str
    ) -> tuple[int, str, str]:
        process = self.popen(*args, command=command, cwd=cwd, **env)
        out, err = process.communicate(timeout=200)
        return process.returncode, out, err

    def calls(self, what: str) -> int:
        return sum(what in line for line in self.log.read_text().splitlines()) if self.log.exists() else 0

    def until_pip(self) -> None:
        """Wait until the packages are being installed."""
        deadline = time.monotonic() + 200
        while not self.calls(INSTALLED):
            assert time.monotonic() < deadline
            time.sleep(0.02)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


INSTALLED = "-r .venv.wanted"
SETTING_UP = "mayfly: setting up .venv (first use only) ...\n"


def test_the_first_start_sets_up_and_the_second_does_not(checkout: Checkout) -> None:
    script = str(checkout.root / "mayfly")
    assert checkout.start("a b", "c") == (0, f"{script}|a b|c|", SETTING_UP)
    checkout.log.unlink()
    assert checkout.start("d") == (0, f"{script}|d|", "")
    assert not checkout.log.exists(), "the second start asked no Python anything"


def test_it_installs_the_package_with_the_pins(checkout: Checkout) -> None:
    checkout.start()
    assert (checkout.venv / "wanted").read_text().splitlines()[0] == "-e .[market,mcp,models,serve]"
    assert not list(checkout.root.glob(".venv.log")), "a log is kept only where something failed"


def test_uv_installs_what_pip_would_and_is_not_kept(checkout: Checkout) -> None:
    hosts: dict[str, Any] = {
        "PIP_INDEX_URL": "https://a.test/simple",
        "PIP_EXTRA_INDEX_URL": "https://b.test https://c.test",
    }
    shown = 'echo "$UV_DEFAULT_INDEX|$UV_INDEX" >>"$STUB_LOG"; exec .venv/bin/python -m made'
    status, _, err = checkout.start(STUB_UV=shown, **hosts)
    assert (status, err) == (0, SETTING_UP)
    assert "https://a.test/simple|https://b.test https://c.test" in checkout.log.read_text()
    assert checkout.calls(INSTALLED) == checkout.calls("uv pip install") == 1, "pip brought uv and nothing else"
    assert not list(checkout.root.glob(".venv.uv"))


def test_pip_installs_what_uv_could_not(checkout: Checkout) -> None:
    assert checkout.start(STUB_UV="exit 2")[::2] == (0, SETTING_UP)
    assert [checkout.calls(f"{name} {INSTALLED}") for name in ("constraints.txt", "--no-input")] == [1, 1]
    assert not list(checkout.root.glob(".venv.uv"))


def test_it_works_from_anywhere_and_through_links(checkout: Checkout, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "one").symlink_to("../check out/mayfly")
    (elsewhere / "two").symlink_to("one")
    assert checkout.start("x", command="./two", cwd=elsewhere)[:2] == (0, "./two|x|")
    assert checkout.venv.is_dir()
    assert checkout.start("x", command="./mayfly")[:2] == (0, "./mayfly|x|")


def test_two_starts_at_once_set_up_once(checkout: Checkout) -> None:
    gate = checkout.root / "gate"
    first = checkout.popen("1", STUB_GATE=str(gate))
    checkout.until_pip()
    second = checkout.popen("2")
    assert second.stderr is not None
    assert second.stderr.readline() == "mayfly: another start is setting up .venv; waiting for it\n"
    gate.touch()
    out1, out2 = first.communicate(timeout=200), second.communicate(timeout=200)
    assert (first.returncode, second.returncode) == (0, 0)
    assert out1[0].endswith("|1|")
    assert (out2[0].endswith("|2|"), out2[1]) == (True, "")
    assert checkout.calls("-m venv") == checkout.calls(INSTALLED) == 1


def test_eight_starts_at_once_set_up_once(checkout: Checkout) -> None:
    started = [checkout.popen(str(number), STUB_SLEEP="0.3") for number in range(8)]
    outs = [process.communicate(timeout=200)[0] for process in started]
    assert [out.split("|")[1] for out in outs] == [str(number) for number in range(8)]
    assert checkout.calls(INSTALLED) == 1


def test_a_start_killed_in_the_middle_is_repaired_by_the_next(checkout: Checkout) -> None:
    process = checkout.popen("1", STUB_SLEEP="600")
    checkout.until_pip()
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    status, out, err = checkout.start("2")
    assert (status, err) == (0, SETTING_UP)
    assert out.endswith("|2|")
    assert not (checkout.root / ".venv.old").exists(), "what it made itself is not worth keeping"


@pytest.mark.parametrize("missing", ["bin/mayfly", "bin/python", ".mayfly", "lib", "bin"])
def test_a_venv_that_lost_a_part_is_rebuilt(checkout: Checkout, missing: str) -> None:
    checkout.start()
    path = checkout.venv / missing
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    status, out, _ = checkout.start("x")
    assert status == 0
    assert out.endswith("|x|")


@pytest.mark.parametrize("half", [["pyvenv.cfg"], ["bin/python", "pyvenv.cfg"], []])
def test_a_half_made_venv_of_unknown_origin_is_replaced(checkout: Checkout, half: list[str]) -> None:
    (checkout.venv / "bin").mkdir(parents=True) if half else checkout.venv.mkdir()
    for name in half:
        (checkout.venv / name).write_text("")
    status, out, err = checkout.start("x")
    assert status == 0
    assert out.endswith("|x|")
    assert err.endswith(SETTING_UP)
    assert (checkout.root / ".venv.old").exists() == bool(half), "somebody else's .venv is kept aside"


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_list_is_installed_again_without_starting_over(checkout: Checkout, name: str) -> None:
    checkout.start()
    with (checkout.root / name).open("a") as file:
        file.write("\n# changed\n")
    status, _, err = checkout.start()
    assert (status, err) == (0, "mayfly: bringing .venv up to date ...\n")
    assert (checkout.calls("-m venv"), checkout.calls(INSTALLED)) == (1, 2)
    assert checkout.start()[2] == ""


def test_a_checkout_that_was_moved_is_set_up_again(checkout: Checkout) -> None:
    checkout.start()
    checkout.root = checkout.root.rename(checkout.root.parent / "moved")
    assert checkout.start()[2] == SETTING_UP


def test_sets_are_installed_on_demand_and_kept(checkout: Checkout) -> None:
    assert checkout.start(MAYFLY_SETUP="dev") == (0, "", SETTING_UP)
    wanted = (checkout.venv / "wanted").read_text()
    assert wanted.startswith("-e .[market,mcp,models,postgres,ray,serve,x402]\n")
    assert "pytest" in wanted
    assert "smolagents" not in wanted
    assert checkout.start(MAYFLY_SETUP="dev") == (0, "", "")
    assert checkout.start(MAYFLY_SETUP="bench")[2] == "mayfly: bringing .venv up to date ...\n"
    wanted = (checkout.venv / "wanted").read_text()
    assert "pytest" in wanted
    assert "smolagents" in wanted
    assert checkout.start("x")[2] == ""


def test_the_set_chain_adds_a_chain_to_what_is_installed(checkout: Checkout) -> None:
    assert checkout.start("x")[0] == 0
    assert checkout.start(MAYFLY_SETUP="chain") == (0, "", "mayfly: bringing .venv up to date ...\n")
    assert (checkout.venv / "wanted").read_text().split() == ["-e", ".[chain,market,mcp,models,serve]"]
    assert checkout.start(MAYFLY_SETUP="chain")[2] == ""
    assert checkout.start(MAYFLY_SETUP="dev")[0] == 0
    wanted = (checkout.venv / "wanted").read_text()
    assert wanted.startswith("-e .[chain,market,mcp,models,postgres,ray,serve,x402]\n"), "what was installed is kept"
    assert "pytest" in wanted


def test_a_set_that_does_not_exist_is_named(checkout: Checkout) -> None:
    status, _, err = checkout.start(MAYFLY_SETUP="prod")
    assert (status, err) == (
        4,
        "mayfly: MAYFLY_SETUP: no set is called prod; there are run, chain, test, dev and bench\n",
    )


def test_an_old_python_is_told_what_to_do_in_one_line(checkout: Checkout) -> None:
    checkout.python("python3", OLD)
    status, out, err = checkout.start(command="./mayfly")
    assert (status, out) == (4, "")
    assert err == (
        "mayfly: Python 3.11 or newer is needed and python3 is 3.9; "
        "install one, or name it: MAYFLY_PYTHON=/path/to/python3.11 ./mayfly\n"
    )


def test_no_python_at_all_is_told_too(checkout: Checkout) -> None:
    (checkout.bin / "python3").unlink()
    status, _, err = checkout.start()
    assert status == 4
    assert err.startswith("mayfly: Python 3.11 or newer is needed; install one")


def test_a_newer_python_is_found_beside_an_old_one(checkout: Checkout) -> None:
    checkout.python("python3", OLD)
    checkout.python("python3.12", PYTHON)
    assert checkout.start()[0] == 0
    assert checkout.calls("python3.12 -m venv") == 1


def test_a_python_without_ensurepip_is_told_what_to_install(checkout: Checkout) -> None:
    checkout.python("python3", BARE)
    status, _, err = checkout.start()
    assert status == 4
    assert err == (
        "mayfly: Python 3.11 cannot make virtual environments (no ensurepip); "
        "on Debian or Ubuntu: sudo apt install python3.11-venv\n"
    )
    assert not checkout.venv.exists()


def test_mayfly_python_is_taken_first_and_alone(checkout: Checkout, tmp_path: Path) -> None:
    checkout.python("my python", PYTHON)
    assert checkout.start(MAYFLY_PYTHON=str(checkout.bin / "my python"))[0] == 0
    assert checkout.calls("my python -m venv") == 1
    shutil.rmtree(checkout.venv)
    status, _, err = checkout.start(MAYFLY_PYTHON="/no/such/python")
    assert (status, err) == (
        4,
        "mayfly: MAYFLY_PYTHON=/no/such/python is not a Python 3.11 or newer; point it at one\n",
    )


def test_no_network_is_one_line(checkout: Checkout) -> None:
    status, out, err = checkout.start(STUB_PIP_SAYS="WARNING: Retrying after NewConnectionError(...)")
    assert (status, out) == (4, "")
    assert err.startswith(SETTING_UP + "mayfly: no connection to the package index")
    assert err.count("\n") == 2
    assert checkout.start("x")[0] == 0, "the next start repairs it"


def test_another_failure_shows_the_end_of_the_log(checkout: Checkout) -> None:
    status, _, err = checkout.start(STUB_PIP_SAYS="ERROR: something odd")
    assert status == 4
    assert "ERROR: something odd\nmayfly: could not install into .venv; " in err


def test_a_failed_update_leaves_the_old_stamp_so_nothing_starts_over(checkout: Checkout) -> None:
    checkout.start()
    with (checkout.root / "constraints.txt").open("a") as file:
        file.write("# changed\n")
    assert checkout.start(STUB_PIP_SAYS="ERROR: something odd")[0] == 4
    assert checkout.start()[2] == "mayfly: bringing .venv up to date ...\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_checkout_that_cannot_be_written_is_one_line(checkout: Checkout) -> None:
    checkout.root.chmod(0o555)
    status, _, err = checkout.start()
    checkout.root.chmod(0o755)
    assert (status, err.count("\n")) == (4, 1)
    assert err.startswith(f"mayfly: cannot write to {checkout.root}")


def test_the_lock_that_cannot_be_written_is_one_line(checkout: Checkout) -> None:
    (checkout.root / ".venv.lock").mkdir()
    status, _, err = checkout.start()
    assert (status, err.count("\n")) == (4, 1)
    assert err.startswith(f"mayfly: cannot write to {checkout.root}")


def test_a_ready_checkout_needs_no_right_to_write(checkout: Checkout) -> None:
    checkout.start()
    for path in (checkout.root / ".venv.lock", checkout.root / ".venv.log"):
        path.unlink(missing_ok=True)
    checkout.root.chmod(0o555)
    status, out, err = checkout.start("x")
    checkout.root.chmod(0o755)
    assert (status, err) == (0, "")
    assert out.endswith("|x|")


def test_the_commands_exit_status_and_stdout_are_its_own(checkout: Checkout) -> None:
    checkout.start()
    (checkout.venv / "bin" / "mayfly").write_text("#!/bin/sh\necho answer\nexit 3\n")
    assert checkout.start() == (3, "answer\n", "")
