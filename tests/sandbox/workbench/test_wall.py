"""What a command must not see, reach or become."""

import os
import subprocess
from pathlib import Path

import pytest

from mayfly.core import InputError
from mayfly.sandbox.workbench import Workbench

from .conftest import Make


def test_the_environment_is_not_ours(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-4711")
    ran = bench.run("env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'")
    assert "canary" not in ran.output
    assert "HOME=" in ran.output
    assert "TERM=dumb" in ran.output


@pytest.mark.parametrize(
    "path",
    ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/root/.ssh", "~/.bash_history", "~/.ssh", "~/.config", "/boot"],
)
def test_what_is_private_outside_is_not_readable(bench: Workbench, path: str) -> None:
    ran = bench.run(f"cat {path} 2>&1 | grep -v -e 'No such file' -e 'Permission denied' -e 'Is a directory' | head -1")
    assert ran.output == ""


def test_the_home_is_empty_and_its_own(bench: Workbench, workspace: Path) -> None:
    home = os.environ.get("HOME", "/root")
    before = sorted(os.listdir(home))
    ran = bench.run(
        "echo evil >> ~/.bashrc; echo evil >> ~/.profile; mkdir -p ~/.ssh; echo key > ~/.ssh/authorized_keys"
    )
    assert (ran.status, len(ran.changes)) == ("ok", 0)
    assert sorted(os.listdir(home)) == before
    assert bench.run("cat ~/.ssh/authorized_keys").output == "key\n"


def test_scratch_files_are_found_again_by_the_next_command(bench: Workbench) -> None:
    bench.run("echo kept > /tmp/scratch-4711; echo also > /var/tmp/y")
    assert bench.run("cat /tmp/scratch-4711 /var/tmp/y").output == "kept\nalso\n"
    assert not Path("/tmp/scratch-4711").exists()


@pytest.mark.first(12)
@pytest.mark.parametrize(
    "way",
    [
        "echo x > /usr/bin/evil",
        "echo x > /etc/evil",
        "echo x >> /etc/hosts",
        "echo x > /evil",
        "rm -f /usr/bin/env",
        "chmod 777 /usr",
        "mount -t tmpfs none /mnt",
        "mount -o remount,rw /usr",
        "umount /etc/hosts",
        "unshare -Ur true",
        "unshare -n true",
        "nsenter -t 1 -m true",
        "chroot / true",
        "mknod /tmp/sda b 8 0",
        "echo x > /proc/sys/kernel/core_pattern",
        "echo b > /proc/sysrq-trigger",
        "echo 1 > /proc/sys/vm/drop_caches",
        "dmesg",
        "date -s 2001-01-01",
        "cat /proc/1/mem",
        "head -c 1 /proc/kcore",
        "ls /sys/kernel/debug/x",
        "python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).keyctl(0, -3, 1) >= 0)' && false",
    ],
)
def test_what_is_refused(bench: Workbench, way: str) -> None:
    assert bench.run(way).status == "failed"


def test_a_set_user_id_program_gives_nothing(bench: Workbench) -> None:
    ran = bench.run("cp /bin/sh ./sh; chmod 4755 sh; grep NoNewPrivs /proc/self/status; grep CapBnd /proc/self/status")
    assert "NoNewPrivs:\t1" in ran.output
    held = int(ran.output.split("CapBnd:")[1], 16)
    assert held & (1 << 21 | 1 << 27 | 1 << 16 | 1 << 12) == 0 or os.getuid() != 0


def test_programs_of_the_machine_work_in_threads_and_children(bench: Workbench) -> None:
    ran = bench.run("""
python3 - <<'END'
import concurrent.futures, multiprocessing, subprocess, tempfile, threading, os, pty, socket
with concurrent.futures.ThreadPoolExecutor() as pool: print(sum(pool.map(int, "123")))
with multiprocessing.Pool(2) as pool: print(sum(pool.map(abs, [-1, -2])))
print(subprocess.run(["sh", "-c", "echo sub"], capture_output=True, text=True).stdout.strip())
with tempfile.NamedTemporaryFile() as file: print(os.path.dirname(file.name))
master, slave = pty.openpty(); print(os.isatty(slave))
print(os.path.exists("/dev/shm"), open("/dev/urandom", "rb").read(1) != b"", socket.gethostname())
END
""")
    assert ran.output == "6\n3\nsub\n/tmp\nTrue\nTrue True mayfly\n"


def test_a_script_writes_to_its_output_by_name(bench: Workbench) -> None:
    ran = bench.run(
        "echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr > /dev/null; echo 4 >/dev/fd/1"
    )
    assert (ran.code, ran.output) == (0, "one\ntwo\nthree\n4\n")


def test_the_workspace_is_where_it_is_outside(bench: Workbench, workspace: Path) -> None:
    ran = bench.run("pwd; whoami; stat -c %u a.txt; git init -q . && git status --short | head -1")
    assert ran.output.splitlines()[:3] == [str(workspace), bench.run("echo $USER").output.strip(), str(os.getuid())]
    assert "dubious" not in ran.output


def test_a_granted_directory_is_read_only(bench: Workbench, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    (other / "data").write_text("data\n")
    (other / "data").chmod(0o600)
    assert bench.run(f"cat {other}/data").status == "failed"
    assert bench.run(f"cat {other}/data", grants=[f"fs:{other}"]).output == "data\n"
    assert bench.run(f"echo x > {other}/data", grants=[f"fs:{other}"]).status == "failed"


@pytest.mark.parametrize("path", ["/", "~", "/root/..", "/etc", "/proc/self", "nowhere", "/tmp"])
def test_what_cannot_be_a_workspace(path: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Workbench(Path(os.path.expanduser(path)), state=tmp_path / "state")


def test_a_workspace_that_is_a_link_is_found_by_both_names(make: Make, workspace: Path, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(workspace)
    bench = make(alias)
    assert bench.run(f"pwd; cat {alias}/a.txt").output == f"{workspace}\none\n"


def test_state_inside_the_workspace_is_hidden_and_never_a_change(workspace: Path) -> None:
    state = workspace / ".mayfly" / "workbench"
    with Workbench(workspace, state=state) as bench:
        ran = bench.run("ls -A .mayfly; echo new > c.txt")
        assert [change.path for change in ran.changes] == ["c.txt"]
        bench.commit()
        assert len(bench.run("ls .mayfly/workbench").changes) == 0
        with pytest.raises(InputError):
            bench.write({".mayfly/workbench/x": b""})


def test_files_of_all_owners(make: Make, workspace: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root has files of others")
    for number, name in ((1000, "a.txt"), (65534, "b.txt"), (0x6FFFFFF0, "src/main.py")):
        os.chown(workspace / name, number, number)
    (workspace / "a.txt").chmod(0o600)
    bench = make()
    ran = bench.run("stat -c %u a.txt b.txt src/main.py; echo more >> a.txt; cat a.txt; echo x >> src/main.py")
    assert ran.output == "1000\n65534\n1879048176\none\nmore\n"
    bench.commit()
    assert (workspace / "a.txt").stat().st_uid == 1000
    assert (workspace / "src" / "main.py").stat().st_uid == 0x6FFFFFF0


def test_what_is_mounted_below_the_workspace_is_seen_and_read_only(make: Make, workspace: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root mounts")
    place = workspace / "mounted"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "none", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        (place / "file").write_text("there\n")
        ran = make().run("cat mounted/file; echo x > mounted/new; echo y > c.txt")
        assert ran.output.startswith("there\n")
        assert "Read-only" in ran.output
        assert [change.path for change in ran.changes] == ["c.txt"]
    finally:
        subprocess.run(["umount", str(place)], check=True)
