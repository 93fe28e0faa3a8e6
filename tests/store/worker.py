"""One process beside the test: it works on the store its environment names, as told by its arguments."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from mayfly.core import MayflyError, Settings
from mayfly.store import Cache, DoctorAttacked, Event, Ledger
from mayfly.store._database import Connection, Row


def here() -> Settings:
    return Settings.load(directory=Path("/"))


def start(*arguments: object, store: Settings, preload: Path | None = None) -> subprocess.Popen[str]:
    """Start this file as a process that works on *store*; a library in *preload* is loaded before all others."""
    environ = {
        **os.environ,
        "MAYFLY_STATE_DIR": str(store.state),
        "MAYFLY_DATABASE_URL": store.store.database_url,
        # Whoever is unlucky with a lock that many want waits as long as the others take, however slow the disk is.
        "MAYFLY_STORE_BUSY_TIMEOUT": "600" if preload is None else "1",
        **({} if preload is None else {"LD_PRELOAD": str(preload)}),
    }
    return subprocess.Popen(
        [sys.executable, __file__, *map(str, arguments)],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(worker: subprocess.Popen[str], given: str = "") -> list[str]:
    """Return the lines a worker printed until its good end."""
    try:
        output, _ = worker.communicate(given, timeout=800)
    except BaseException:
        # What still runs would be found by whichever test comes next.
        worker.kill()
        with worker:
            raise
    assert worker.returncode == 0
    return output.splitlines()


def finish_together(workers: list[subprocess.Popen[str]]) -> list[list[str]]:
    """Let workers that await their start go at once; return the lines each one printed from then on."""
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    return [finish(worker) for worker in workers]


def say(value: object) -> None:
    print(value, flush=True)


def await_start() -> None:
    say("ready")
    sys.stdin.readline()


def entry(number: int) -> DoctorAttacked:
    return DoctorAttacked(level="test", cases=number, contained=os.getpid())


def reserve_payments(name: str, number: str, room: str) -> None:
    """Reserve payments of one unit under a cap that all workers share; say how many there was room for."""
    from mayfly.core import LimitError
    from mayfly.market import PaymentReserved
    from mayfly.store import Cap, PaymentList

    cap = Cap(name="all", units=int(room), network="n", asset="a")
    made = 0
    with Ledger.open(here()) as ledger:
        payments = PaymentList(ledger)
        await_start()
        for one in range(int(number)):
            wanted = PaymentReserved(
                call=f"{name}-{one}",
                url="",
                host="",
                method="GET",
                request="r",
                network="n",
                asset="a",
                payee="p",
                payer="q",
                units=1,
                decimals=6,
            )
            try:
                payments.reserve(wanted, f"p-{name}-{one}", [cap])
                made += 1
            except LimitError:
                pass
    say(made)


def open_store() -> None:
    await_start()
    with Ledger.open(here()) as ledger:
        say(ledger.count())


def append(number: str) -> None:
    with Ledger.open(here()) as ledger:
        await_start()
        for index in range(int(number)):
            ledger.append(entry(index), subject="many")
        say("done")


def append_for_ever(size: str) -> None:
    with Ledger.open(here()) as ledger:
        for index in range(10**9):
            last = ledger.append_many([entry(index)] * int(size), subject=f"group-{index}")[-1]
            say(last.id)


def fill(largest: str) -> None:
    """Append until the disk, or the limit on a file's size, says no; then look whether what was kept is all there."""
    with Ledger.open(here()) as ledger:
        spare = here().state / "spare"
        if largest == "disk":
            spare.write_bytes(bytes(200_000))
        else:
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(largest), resource.RLIM_INFINITY))
        kept: list[Event] = []
        try:
            while True:
                kept.append(ledger.append(DoctorAttacked(level="x" * 1000, cases=len(kept), contained=0), subject="f"))
        except MayflyError as error:
            failure = f"{error.code}: {error}"
        spare.unlink(missing_ok=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        kept.append(ledger.append(entry(0), subject="f"))
    with Ledger.open(here()) as ledger:
        same = list(ledger.read(subject="f")) == kept
    say(json.dumps({"error": failure, "kept": len(kept), "same": same}))


def open_as_ordinary_user() -> None:
    """Open the store as somebody whom permission bits bind, which root is not."""
    with tempfile.TemporaryDirectory() as elsewhere:
        Ledger.open(Settings(state_dir=elsewhere)).close()  # imports everything while it still may
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    try:
        with Ledger.open(here()) as ledger:
            say(ledger.append(entry(0), subject="s").id)
    except MayflyError as error:
        say(f"{error.code}: {error}")


def fork(number: str) -> None:
    """Fork beside open connections and appending threads; parent and children all go on appending."""
    with Ledger.open(here()) as ledger:
        threads = [threading.Thread(target=append_as, args=(ledger, f"thread-{n}", number)) for n in range(2)]
        for thread in threads:
            thread.start()
        children = []
        for index in range(5):
            child = os.fork()
            if child == 0:
                inherited = connections()
                append_as(ledger, f"child-{index}", number)
                os._exit(1 if inherited else 0)
            children.append(child)
        append_as(ledger, "parent", number)
        for thread in threads:
            thread.join()
        say(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]))


def append_as(ledger: Ledger, subject: str, number: str) -> None:
    for index in range(int(number)):
        ledger.append(entry(index), subject=subject)


def put(name: str, number: str, keys: str, size: str) -> None:
    """Put texts under a few keys, each later than the one before; say the most entries that were ever seen."""
    with Ledger.open(here()) as ledger:
        cache, most = Cache(ledger, size=int(size), ttl=3600.0), 0
        await_start()
        for index in range(int(number)):
            cache.put(f"{name}-{index % int(keys)}", f"{index}", now=float(index))
            most = max(most, len(cache.entries(now=float(index))))
        say(most)


def put_for_ever() -> None:
    with Ledger.open(here()) as ledger:
        for index in count():
            Cache(ledger, size=1, ttl=3600.0).put(f"k-{index}", f"{index}", now=float(index))
            say(index)


def put_killed() -> None:
    """Put in a child killed after one statement, in a child killed after two, and so on; say what each one left."""
    with Ledger.open(here()) as ledger:
        cache = Cache(ledger, size=1, ttl=3600.0)
        for number in count(1):
            child = os.fork()
            if child == 0:
                kill_after(number)
                cache.put("k", "new", now=3.0)
                os._exit(0)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            say(json.dumps([status, {entry.key: entry.value for entry in cache.entries(now=3.0)}]))
            if status == 0:
                return


def archive_killed() -> None:
    """Archive in a child killed after one statement, in one killed after two, and so on; say what each one left."""
    with Ledger.open(here()) as ledger:
        for number in count(1):
            child = os.fork()
            if child == 0:
                kill_after(number)
                list(ledger.archive(before=datetime.now(UTC) + timedelta(days=1)))
                os._exit(0)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            say(json.dumps([status, ledger.count(), ledger.verify().ok]))
            if status == 0:
                return


def append_failing(errno: str, fresh: str) -> None:
    """Append once for each system call that an append makes, and let that call fail; say what each one left."""
    shim = ctypes.CDLL(None)
    number = 0
    with ExitStack() as stack:
        ledger = stack.enter_context(Ledger.open(here()))
        while True:
            number += 1
            if fresh == "fresh":
                ledger.close()
                ledger = stack.enter_context(Ledger.open(here()))
            with Ledger.open(here()) as other:
                before = other.before_last(0)
            shim.failing_start(ctypes.c_long(number), int(errno))
            try:
                told = str(ledger.append_many([entry(number), entry(number)], subject="f")[-1].id)
            except MayflyError as error:
                told = f"{error.code}: {error}"
            calls = shim.failing_stop()
            with Ledger.open(here()) as other:
                after, whole = other.before_last(0), other.verify()
            say(json.dumps([told, before, after, whole.broken]))
            if calls < number:
                return


def kill_after(number: int) -> None:
    """Have this process killed once the database has carried out *number* statements more."""
    left, run = count(number - 1, -1), Connection.run

    def run_and_die(self: Connection, sql: str, values: Sequence[object] = ()) -> list[Row]:
        rows = run(self, sql, values)
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    Connection.run = run_and_die  # type: ignore[method-assign]


def connections() -> list[str]:
    """Return what this process has open that is a connection to the store."""
    paths = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
    links = [os.readlink(path) for path in paths if path.is_symlink()]
    return [link for link in links if "ledger.db" in link or link.startswith("socket:")]


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
