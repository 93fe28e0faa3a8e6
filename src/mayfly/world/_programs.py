"""Programs of the machine: the shell, git, tests and checks, each on the workbench."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Sequence

from mayfly.core import Asked, Capability, InputError, Invocation
from mayfly.sandbox.workbench import Ran
from mayfly.world._declare import NUMBER, PLACE, TEXT, Declared, Schema, listed, said, takes, tool
from mayfly.world._place import find_python, own_python
from mayfly.world._push import plan_push, push
from mayfly.world._room import Room, SettledChanges, ToolResult

_SECONDS = said(NUMBER, "seconds it may take", maximum=3600)
_HOSTS = listed(TEXT, "hosts it has to reach, such as example.com; none unless named")
_PATHS = listed(PLACE, "files or directories; all unless said")
_WORDS = listed(TEXT, "further arguments, word by word")
# What a check prints is told up to here before the general limit on results.
_TAIL = 6000
# Said too, so that no line a program prints is taken for what became of its changes.
_UNCHANGED = "[no file was changed]"
# Ways of looking at the repository that are tools of their own.
_LOOKING = ("status", "diff", "log")
_READING = ("status", "diff", "log", "show", "blame")
_CHANGING = ("add", "branch", "checkout", "commit", "merge", "mv", "rebase", "restore", "revert", "rm", "stash",
             "switch", "tag", "cherry-pick", "reset", "apply", "init")  # fmt: skip


def run_tools(room: Room) -> tuple[Capability, ...]:
    """Return the tools of *room* that run programs."""
    return tuple(one.bound(room) for one in (shell_exec, git, *map(_looking, _LOOKING), git_push, *_CHECKS))


@tool(
    takes(
        "command",
        command=said(TEXT, "a command line or script", minLength=1, maxLength=100_000),
        cwd=said(PLACE, "the directory it runs in"),
        seconds=_SECONDS,
        hosts=_HOSTS,
    ),
    effect="idempotent",
    asks=lambda call: (
        Asked("shell_exec", call.arguments["command"]),
        *(Asked("http_fetch", f"https://{host}/") for host in call.arguments.get("hosts", ())),
    ),
    seconds=3600.0,
)
def shell_exec(room: Room, call: Invocation) -> ToolResult:
    """Run a shell command in the workspace.

    Changes to files are kept when the rules permit them; there is no network but to the hosts that are named and
    permitted.
    """
    given = call.arguments
    grants = [f"net:{host}" for host in given.get("hosts", ())]
    ran, settled = room.run(
        given["command"], key=call.key, cwd=given.get("cwd", "."), timeout=given.get("seconds"), grants=grants
    )
    return _told(ran, settled)


@tool(
    takes("operation", operation={"enum": [*_READING, *_CHANGING]}, arguments=_WORDS),
    summary="Run git in the workspace: " + ", ".join((*_READING, *_CHANGING)) + ". push has a tool of its own.",
    effect="idempotent",
    asks=lambda call: (Asked(_git_action(call.arguments["operation"]), shlex.join(_git_words(call))),),
)
def git(room: Room, call: Invocation) -> ToolResult:
    """Run one operation of git on the workbench."""
    return _told(*room.run(_git_words(call), key=call.key))


def _looking(operation: str) -> Declared:
    """Make the tool for one way of looking at the repository, for who may not change it."""

    def look(room: Room, call: Invocation) -> ToolResult:
        return _told(room.run(["git", operation, *call.arguments.get("arguments", ())], key=call.key, keep=False)[0])

    return tool(
        takes(arguments=_WORDS),
        name=f"git_{operation}",
        summary=f"Run git {operation} in the workspace.",
        effect="idempotent",
        asks=lambda call: (Asked(f"git_{operation}", shlex.join(call.arguments.get("arguments", ()))),),
    )(look)


def _planned(room: Room, call: Invocation) -> str:
    return plan_push(room.workspace, call.arguments["remote"], call.arguments["ref"]).payload()


@tool(
    takes(
        "remote",
        "ref",
        remote=said(TEXT, "the name of the remote", pattern=r"^[A-Za-z0-9][\w./-]*$"),
        ref=said(TEXT, "the branch or tag", pattern=r"^[A-Za-z0-9][\w./-]*$"),
    ),
    effect="once",
    asks_with=lambda room, call: (Asked("git_push", call.arguments["remote"], _planned(room, call)),),
)
def git_push(room: Room, call: Invocation) -> str:
    """Push one branch or tag to a remote, once a person has agreed to exactly that."""
    # What the rules permit, and not what came to stand there since they were asked.
    payload = _planned(room, call)
    if not room.kernel().permitted("git_push", call.arguments["remote"], payload).allowed:
        raise InputError("what would be pushed is not what was permitted", fix="ask for the push again")
    return push(room.workspace, payload)


def _told(ran: Ran, settled: SettledChanges | None = None, *, tail: int = 0) -> ToolResult:
    """Return what a program printed and how it ended; the last line says what became of its changes."""
    output = ran.output if not tail or len(ran.output) <= tail else f"[…]\n{ran.output[-tail:]}"
    end = {
        "ok": "",
        "failed": f"[exit status {ran.code}]",
        "timeout": "[it took too long and was ended]",
        "stopped": "[stopped by the person]",
    }.get(ran.status, f"[{ran.status}: {ran.reason}]")
    asked = [f"[it tried to reach {host}, which is not granted]" for host in ran.refused_hosts[:5]]
    unchanged = _UNCHANGED if settled is not None and settled.status == "nothing" else ""
    lines = [part for part in (output.rstrip("\n"), end, *asked, unchanged) if part]
    return ToolResult("\n".join(lines), settled, failed=ran.status not in ("ok", "failed"))


def _git_action(operation: str) -> str:
    return f"git_{operation}" if operation in _READING else "git_commit"


def _git_words(call: Invocation) -> list[str]:
    return ["git", call.arguments["operation"], *call.arguments.get("arguments", ())]


def test_command(room: Room) -> list[str]:
    """Return how the tests of the workspace are run, by the rules that know the frameworks."""
    rows = room.kernel().query("test_command(F, C)", ())
    known = {str(framework): str(command) for framework, command in rows}
    for (framework,) in room.kernel().query("test_framework(F)", ()):
        if str(framework) in known:
            return shlex.split(known[str(framework)])
    if _has(room, "Makefile") and re.search(r"^test:", room.read("Makefile").decode("utf-8", "replace"), re.MULTILINE):
        return ["make", "test"]
    raise InputError("no test runner was found", fix="say how in shell_exec, such as: python -m pytest")


def _has(room: Room, path: str) -> bool:
    try:
        room.read(path)
    except (InputError, OSError):
        return False
    return True


def _check(schema: Schema) -> Callable[[Callable[[Room, Invocation], list[str]]], Declared]:
    """Declare a function that returns the command of a check as the tool that runs it."""

    def declare(command: Callable[[Room, Invocation], list[str]]) -> Declared:
        def run(room: Room, call: Invocation) -> ToolResult:
            words = _in_own_python(command(room, call))
            return _told(*room.run(words, key=call.key, timeout=call.arguments.get("seconds")), tail=_TAIL)

        return tool(
            schema,
            name=command.__name__,
            summary=inspect.getdoc(command),
            effect="idempotent",
            asks_with=lambda room, call: (Asked(command.__name__, shlex.join(command(room, call))),),
            seconds=3600.0,
        )(run)

    return declare


@_check(takes(arguments=_WORDS, seconds=_SECONDS))
def test_exec(room: Room, call: Invocation) -> list[str]:
    """Run the tests of the workspace with the runner it is made for."""
    return [*test_command(room), *call.arguments.get("arguments", ())]


@_check(takes(paths=_PATHS, keyword=said(TEXT, "pytest's -k"), seconds=_SECONDS))
def run_pytest(room: Room, call: Invocation) -> list[str]:
    """Run tests with pytest."""
    chosen = ["-k", call.arguments["keyword"]] if call.arguments.get("keyword") else []
    return ["python", "-m", "pytest", "-q", *chosen, *_paths(call, ())]


@_check(takes(paths=_PATHS))
def run_mypy(room: Room, call: Invocation) -> list[str]:
    """Check types with mypy --strict."""
    return ["python", "-m", "mypy", "--strict", *_paths(call, ["."])]


@_check(takes(paths=_PATHS))
def run_syntax_check(room: Room, call: Invocation) -> list[str]:
    """Parse Python files without running them."""
    code = (
        "import ast,pathlib,sys\nbad=0\n"
        "for p in sys.argv[1:]:\n"
        "  q=pathlib.Path(p)\n"
        "  for f in sorted(q.rglob('*.py')) if q.is_dir() else [q]:\n"
        "    try: ast.parse(f.read_bytes(), str(f))\n"
        "    except (SyntaxError, ValueError) as e: bad+=1; print(f'{f}: {e}')\n"
        "print('no fault found' if not bad else f'{bad} files with faults'); sys.exit(bool(bad))"
    )
    return ["python", "-c", code, *_paths(call, ["."])]


@_check(takes(command=said(TEXT, "another command than the one that is found"), seconds=_SECONDS))
def build_check(room: Room, call: Invocation) -> list[str]:
    """Build the workspace: make, cargo, go, npm or compileall, as it is made for."""
    if call.arguments.get("command"):
        return ["sh", "-c", call.arguments["command"]]
    found = {
        "Cargo.toml": ["cargo", "build"],
        "go.mod": ["go", "build", "./..."],
        "Makefile": ["make"],
        "package.json": ["npm", "run", "build", "--if-present"],
        "pom.xml": ["mvn", "-q", "-o", "compile"],
    }
    for name, command in found.items():
        if _has(room, name):
            return command
    return ["python", "-m", "compileall", "-q", "."]


@_check(takes(arguments=_WORDS, seconds=_SECONDS))
def coverage_analyzer(room: Room, call: Invocation) -> list[str]:
    """Run the tests and say which lines none of them reaches."""
    tests = shlex.join(call.arguments.get("arguments", ())) or "-q"
    run = f'"$python" -m coverage run --data-file=/tmp/coverage -m pytest {tests}'
    report = '"$python" -m coverage report -m --skip-covered --data-file=/tmp/coverage'
    return ["sh", "-c", f"{find_python('coverage')}\n{run} | tail -20; {report}"]


def _in_own_python(words: list[str]) -> list[str]:
    """Return a command as it is run: the rules are told `python`, which is the project's own that has the module."""
    if words[0] != "python":
        return words
    return own_python(words[2] if words[1] == "-m" else "", *words[1:])


def _paths(call: Invocation, default: Sequence[str]) -> list[str]:
    return list(call.arguments.get("paths") or default)


_CHECKS = (test_exec, run_pytest, run_mypy, run_syntax_check, build_check, coverage_analyzer)
