"""`mayfly demo` and `init`: see it work, offline and for real; and the few files with which a project begins."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from mayfly.cli._frame import Shown, opened, show, shows
from mayfly.cli._output import AsJson, Screen, command, to_json
from mayfly.cli._progress import proof_words
from mayfly.cli._sandbox import ran, record
from mayfly.core import InputError, MachineError, Order, SandboxSettings, one_line, write_whole
from mayfly.operations import account_words

if TYPE_CHECKING:
    from mayfly.core import Outcome, Verdict
    from mayfly.gates import Admission
    from mayfly.runtime import Runtime
    from mayfly.sandbox import Result, Sandbox
    from mayfly.store import Payload

HERE = Path(__file__).parent / "demo"
MIB = 1024 * 1024


class HostileJob(NamedTuple):
    """One hostile program: what it does, and how it is called."""

    title: str
    file: str
    entry: str
    argument: object
    timeout: float = 10.0


class JobShown(NamedTuple):
    """What one job came to."""

    title: str
    status: str
    contained: bool
    milliseconds: float
    level: str
    detail: str


class Bait(NamedTuple):
    """What the hostile jobs are after."""

    secret: str
    file: Path
    port: int


def jobs(bait: Bait) -> tuple[HostileJob, ...]:
    """Return the programs, after what *bait* lays out."""
    hosts = [["127.0.0.1", bait.port], ["192.0.2.1", 443]]
    return (
        HostileJob("read a secret file and the environment", "steal_secret.py", "steal", str(bait.file)),
        HostileJob("open a connection and call home", "open_socket.py", "call", hosts),
        HostileJob("start processes without end", "fork_bomb.py", "multiply", 200),
        HostileJob("loop for ever, ignoring signals", "loop_forever.py", "loop", None, timeout=1.0),
        HostileJob("fill 2 GiB of memory", "eat_memory.py", "eat", 2048),
    )


@contextmanager
def laid_out() -> Iterator[Bait]:
    """Lay out a secret in a file and in our environment, and listen on a port: all three within a job's old reach."""
    secret = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as directory, socket.create_server(("127.0.0.1", 0)) as server:
        file = Path(directory) / "token"
        file.write_text(secret, encoding="utf-8")
        os.environ["MAYFLY_DEMO_TOKEN"] = secret
        try:
            yield Bait(secret, file, server.getsockname()[1])
        finally:
            del os.environ["MAYFLY_DEMO_TOKEN"]


def let_loose(box: Sandbox, job: HostileJob, bait: Bait, settings: SandboxSettings) -> tuple[JobShown, Result]:
    """Run one hostile program and say whether it was contained."""
    result = box.run((HERE / job.file).read_bytes(), job.entry, job.argument, timeout=job.timeout)
    if result.status == "refused":
        raise MachineError(one_line(result.error or "no wall works here"), fix="see: mayfly doctor")
    contained, detail = judge(job, result, bait, settings)
    return JobShown(job.title, result.status, contained, round(result.milliseconds, 3), result.level, detail), result


def judge(job: HostileJob, result: Result, bait: Bait, settings: SandboxSettings) -> tuple[bool, str]:
    """Say whether a hostile job was contained, and what stopped it."""
    if result.status == "timeout":
        return True, f"killed at its deadline of {job.timeout:g} s"
    if result.status == "memory":
        return True, f"stopped at {settings.memory // MIB} MiB"
    if result.status != "ok" or not isinstance(result.value, dict):
        return result.status != "ok", one_line(result.error or f"it came back with {result.value!r}")
    found = result.value["found"]
    escaped = bool(found) if job.file != "steal_secret.py" else bait.secret in str(found)
    return not escaped, one_line(str(result.value["stopped"] if not escaped else f"it got out: {found}"))


INTENT = "Parse NGINX access logs and extract 4xx error patterns"


def demo(*, as_json: AsJson = False) -> None:
    """Show a task done by an agent that did not exist, the cache, a wrong program caught by its proof, and the wall."""
    screen = Screen(quiet=as_json)
    with opened() as runtime:
        if runtime.parts.sandbox.warm() == "none":
            raise MachineError("this machine gives no sandbox", fix="see: mayfly doctor")
        runtime.parts.types.start()
        first, again = _task(runtime, screen)
        caught = _wrong(runtime, screen)
        shown = _hostiles(runtime, screen)
    well = bool(first.resolved and again.cached and caught and all(row.contained for row in shown))
    data = _summary(first, again, caught, shown, well=well)
    show(Shown(data, lambda: _close(screen, shown, well=well), status=0 if well else 1), as_json=as_json)


def _task(runtime: Runtime, screen: Screen) -> tuple[Outcome[Any], Outcome[Any]]:
    """Do the same task twice; a word nobody has used before makes sure that the first time is the first."""
    screen.line(("Mayfly writes the agent a task needs, proves it, and runs it behind a wall", "title"))
    screen.title(f"a task: {INTENT}")
    options: dict[str, Any] = {"lines": HERE / "access.log", "context": {"demo": secrets.token_hex(8)}, "ground": []}
    # One line of the log is no request: it is counted and shown, and the demo asks no question about it.
    options["bad_lines"] = "skip"
    first = runtime.run(INTENT, **options)
    _show_run(screen, "written, gated, proven, run", first)
    if first.resolved:
        screen.line((f"    read as {one_line(first.reading)}", "dim"))
        if first.account is not None:
            screen.line((f"    lines   {account_words(first.account)}", "dim"))
        screen.line((f"    the first of {len(first.value)}: {one_line(to_json(first.value[0]), limit=110)}", "dim"))
    again = runtime.run(INTENT, **options)
    _show_run(screen, "the same again", again)
    return first, again


def _show_run(screen: Screen, title: str, outcome: Outcome[Any]) -> None:
    word, style = ("ok", "good") if outcome.resolved else ("FAILED", "bad")
    told = one_line(outcome.reason)
    if outcome.resolved:
        proof = f"proof {proof_words(outcome.proof)}" if outcome.proof and not outcome.cached else "cached"
        told = f"{proof}, 0 model calls"
    _show_row(screen, title, (word, style), outcome.cost.seconds * 1000, told)


def _wrong(runtime: Runtime, screen: Screen) -> Verdict | None:
    """Hand in a program that looks right and is not, and see what stops it."""
    screen.title("a wrong program, with the same name and types: it takes 5xx for 4xx")
    source = (HERE / "wrong_errors.py").read_text(encoding="utf-8")
    found, _ = runtime.compiler.prove(Order.of(INTENT, lines=HERE / "access.log"), source)
    refused = [verdict for verdict in found.verdicts if verdict.decision == "reject" and verdict.gate == "proof"]
    passed = [gate for gate in ("syntax", "stability", "judge", "types") if _passed(found, gate)]
    _show_row(screen, f"passes {', '.join(passed)}", ("ok", "good"), _spent(found, passed), "")
    word, style = ("caught", "good") if refused else ("MISSED", "bad")
    told = _in_short(refused[0].message) if refused else "no test failed"
    _show_row(screen, "then the proof", (word, style), _spent(found, ["proof"]), told)
    return refused[0] if refused else None


def _in_short(message: str) -> str:
    """Return which test failed and how, without its long input."""
    test, _, rest = message.partition(", input ")
    return one_line(f"{test}: {rest.rpartition(': ')[2]}" if rest else message, limit=110)


def _passed(found: Admission, gate: str) -> bool:
    said = [verdict.decision for verdict in found.verdicts if verdict.gate == gate]
    return bool(said) and "reject" not in said


def _spent(found: Admission, gates: list[str]) -> float:
    return sum(found.milliseconds.get(gate, 0.0) for gate in gates)


def _hostiles(runtime: Runtime, screen: Screen) -> list[JobShown]:
    screen.title("hostile programs, with no gate before them: the wall alone")
    shown: list[JobShown] = []
    events: list[Payload] = []
    with laid_out() as bait:
        for job in jobs(bait):
            row, result = let_loose(runtime.parts.sandbox, job, bait, runtime.settings.sandbox)
            shown.append(row)
            events.append(ran(result, (HERE / job.file).read_bytes()))
            word, style = ("contained", "good") if row.contained else ("ESCAPED", "bad")
            _show_row(screen, row.title, (word, style), row.milliseconds, row.detail)
    record(runtime.settings, events, subject="demo")
    return shown


def _show_row(screen: Screen, title: str, word: tuple[str, str], milliseconds: float, detail: str) -> None:
    screen.line(
        ("  " + title.ljust(41), ""),
        (word[0].ljust(9), word[1]),
        (f"{milliseconds:8.1f} ms  ", "dim"),
        (detail, "dim"),
    )


def _summary(
    first: Outcome[Any], again: Outcome[Any], caught: Verdict | None, shown: list[JobShown], *, well: bool
) -> dict[str, object]:
    return {
        "well": well,
        "level": shown[-1].level,
        "task": {"intent": INTENT, "status": first.status, "records": len(first.value), "seconds": first.cost.seconds},
        "again": {"cached": again.cached, "model_calls": again.cost.model_calls, "seconds": again.cost.seconds},
        "wrong": {"caught": caught is not None, "message": caught.message if caught else None},
        "hostile": [row._asdict() for row in shown],
    }


def _close(screen: Screen, shown: list[JobShown], *, well: bool) -> None:
    held = sum(row.contained for row in shown)
    screen.line()
    style = "good" if well else "bad"
    screen.line((f"{held} of {len(shown)} hostile programs contained at level {shown[-1].level}", style))
    screen.commands(
        [
            ('run "count requests by status" --input FILE.log', "a task of your own"),
            ("compile INTENT --input FILE --show-source", "read what would be run"),
            ("why ID", "what was written, measured and proven"),
            ("doctor --attack", "fire the published escapes at the wall"),
        ]
    )


# What can be typed next, each line with one of the files.
NEXT = (
    "policy test mayfly.d/rules",
    "permit file_write releases/1.txt",
    "tools write --name slug --source mayfly.d/tools/slug.py --tests mayfly.d/tools/slug_tests.py",
)


@shows
def init(
    directory: Annotated[Path, typer.Argument(help="Where; made if it is not there.", metavar="DIR")] = Path(),
) -> Shown:
    """Write a project file, a sample rule and a sample tool.

    Rule and tool have tests beside them. Nothing that is there is changed: a file that exists stays, and is named.
    """
    wrote: list[str] = []
    kept: list[str] = []
    for name, text in _templates(files("mayfly.cli").joinpath("project")):
        (wrote if _write_new(directory / name, text) else kept).append(name)
    following = [f"{command()} {line}" for line in NEXT]
    into = "" if directory == Path() else f"cd {one_line(str(directory))} && "
    hints = [f"next: {into}{line}" for line in following]
    if "mayfly.toml" in kept and "mayfly.d/rules" not in _read(directory / "mayfly.toml"):
        hints.insert(0, 'to have the sample rule in force, mayfly.toml needs: [policy] rules = "mayfly.d/rules"')
    return Shown(
        {"directory": str(directory), "wrote": wrote, "kept": kept, "next": following},
        [*(f"wrote  {name}" for name in wrote), *(f"kept   {name} (it was there)" for name in kept)],
        "\n".join(hints),
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _templates(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    """Yield every file of the sample project with its name below it; what Python left there is none of it."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from _templates(entry, f"{above}{entry.name}/")
        else:
            yield f"{above}{entry.name}", entry.read_text(encoding="utf-8")


def _write_new(path: Path, text: str) -> bool:
    """Write a file that is not there yet, whole or not at all; return whether it was written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode(), fresh=True, durable=False, private=False)
    except FileExistsError:
        if path.parent.is_dir():
            return False
        raise InputError(f"{one_line(str(path.parent))} is a file, not a directory") from None
    except OSError as error:
        raise InputError(f"cannot write {one_line(str(path))}: {error.strerror or error}") from None
    return True
