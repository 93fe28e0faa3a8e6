"""A worker that needs neither a sandbox nor a database: its jobs say what should happen to it."""

import os
import threading
import time
from pathlib import Path

from mayfly.core import Settings, Stop
from mayfly.promise._job import Done, Job, Part
from mayfly.promise._promise import Work
from mayfly.promise.engines import WorkerLost


class Crew:
    """Do what the intent of a job says; remember what was going on."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.cancelled: dict[str, threading.Event] = {}
        self.lock = threading.Lock()
        self.running = 0
        self.most = 0
        self.closed = False

    def do(self, job: Job, data: bytes | None = None, *, stop: Stop | None = None) -> Done:
        told = threading.Event()
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
            self.cancelled[job.id] = told
        try:
            with (stop or Stop()).ending(told.set):
                return Done(status="resolved", value=self.act(job, data, told), where=str(os.getpid()))
        finally:
            with self.lock:
                self.running -= 1

    def act(self, job: Job, data: bytes | None, stop: threading.Event) -> object:
        verb, _, target = job.intent.partition(" ")
        if verb == "double":
            assert isinstance(job.argument, int)
            return job.argument * 2
        if verb == "meet":
            return self.meet(int(target))
        if verb == "hold":
            return hold(Path(target))
        if verb == "wait":
            return "stopped" if stop.wait(float(target)) else "slept"
        if verb == "note":
            Path(f"{target}.begun").touch()
            Path(target).write_text("stopped" if stop.wait(500) else "slept")
        if verb == "die" or (verb == "die-once" and mark(target)):
            os._exit(3)
        if verb == "vanish" or (verb == "vanish-once" and mark(target)):
            raise WorkerLost("its machinery broke")
        if verb == "raise":
            raise ValueError("no such thing")
        if verb == "large":
            return "x" * int(target)
        if verb == "data":
            return None if data is None else [len(data), data[:10].decode(), data[-10:].decode()]
        if verb == "environment":
            return [os.getpid(), dict(os.environ), Path("/proc/self/environ").read_text()]
        return [os.getpid(), self.settings.promise.engine]

    def meet(self, number: int) -> object:
        """Wait until that many jobs have been under way at once."""
        deadline = time.monotonic() + 100
        while self.most < number and time.monotonic() < deadline:
            time.sleep(0.005)
        return "met" if self.most >= number else "alone"

    def close(self) -> None:
        self.closed = True


class Scribe(Crew):
    """Write what it does into the ledger that its settings name."""

    def act(self, job: Job, data: bytes | None, stop: threading.Event) -> object:
        from mayfly.store import DoctorAttacked, Ledger

        with Ledger.open(self.settings) as ledger:
            return ledger.append(DoctorAttacked(level=str(os.getpid()), cases=0, contained=0), subject=job.id).id


def hold(door: Path) -> str:
    """Wait until there is a file."""
    while not door.exists():
        time.sleep(0.02)
    return "held"


def mark(path: str) -> bool:
    """Say whether this is the first time that *path* is asked about, in any process."""
    try:
        Path(path).open("x").close()
    except FileExistsError:
        return False
    return True


def make_crew(settings: Settings) -> Crew:
    return Crew(settings)


def make_scribe(settings: Settings) -> Crew:
    return Scribe(settings)


def make_broken(settings: Settings) -> Crew:
    raise RuntimeError(f"cannot reach {settings.store.database_url}")


def job(intent: str, node: int = 0, *, argument: object = None, part: Part | None = None) -> Job:
    return Job(run="r", node=str(node), work=Work(kind="run", name="crew"), intent=intent, argument=argument, part=part)
