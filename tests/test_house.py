"""The house: which package may import which, and how large anything in it may grow.

Each rule is one test over all files, which names every offender at once.
"""

import ast
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "mayfly"
# From the ground up, as docs/architecture.md draws it; `store` stands on `core` and below everything else, and `cli`,
# which starts what `serve` serves, on that, beside `adapters`, where other frameworks reach Mayfly.
FLOORS = (
    {"core"},
    {"store"},
    {"sandbox", "models", "mangle", "language"},
    {"gates", "policy"},
    {"synthesis", "library", "world"},
    {"forge", "persona"},
    {"promise"},
    {"session", "market"},
    {"runtime"},
    {"operations"},
    {"serve"},
    {"cli", "adapters"},
)
FLOOR = {package: number for number, packages in enumerate(FLOORS) for package in packages}
# `testing` may use everything below the command line, and nothing of ours but the command line may use it.
TESTERS = {"cli"}
# No package: how packages load their names on first use.
SHARED = {"_lazy"}
# Programs that the sandbox runs are material, not parts of the house.
MATERIAL = (
    "cli/demo/",
    "cli/project/",
    "sandbox/attacks/cases/",
    "sandbox/jail/warm_up.py",
    "sandbox/probe.py",
    "forge/relations/",
    "adapters/cell.py",
)
LONGEST_FILE = 400
LONGEST_FUNCTION = 60
# Written anew these days and not divided yet: files leave this list, and none enters it.
STILL_LONG: set[str] = set()

FILES = sorted(path for path in SOURCE.rglob("*.py") if not path.relative_to(SOURCE).as_posix().startswith(MATERIAL))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(parse(path)))


def package(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def functions(path: Path) -> Iterator[Function]:
    return (node for node in nodes(path) if isinstance(node, Function))


def imported(path: Path) -> Iterator[str]:
    """Yield every module of ours that *path* imports, absolute, whether at the top or inside a function."""
    here = ["mayfly", *path.relative_to(SOURCE).parent.parts]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "mayfly")
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(here[: len(here) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            if module.split(".")[0] == "mayfly":
                yield from (f"{module}.{alias.name}" for alias in node.names)


def hold(rule: Callable[[Path], Iterator[str]], *, but: Collection[str] = (), without: Collection[str] = ()) -> None:
    """Fail with all that *rule* says against our files *without* some; those in *but* may offend, and have to."""
    said = {name(path): list(rule(path)) for path in FILES if name(path) not in without}
    told = [f"{file}: {word}" for file, words in said.items() if file not in but for word in words]
    told += [f"{file}: it is in order now, so take it off the list" for file in but if not said.get(file)]
    if told:
        pytest.fail("\n".join(told), pytrace=False)


def test_the_house_is_not_empty() -> None:
    assert {"core", "cli"} <= {package(path) for path in FILES}


def test_every_package_has_a_floor() -> None:
    packages = {package(path) for path in FILES if path.parent != SOURCE}
    assert packages - set(FLOOR) == {"testing"}


@pytest.mark.later
def test_imports_go_down_only() -> None:
    def upward(path: Path) -> Iterator[str]:
        here = package(path)
        for module in imported(path) if path.parent != SOURCE else ():
            there = module.split(".")[1]
            if there in FLOOR and there != here and FLOOR[there] >= FLOOR.get(here, FLOOR["cli"]):
                yield f"{here} must not import {module}"

    hold(upward)


def test_only_the_command_line_and_tests_import_testing() -> None:
    def testing(path: Path) -> Iterator[str]:
        if package(path) not in TESTERS | {"testing"}:
            yield from (module for module in imported(path) if module.split(".")[1] == "testing")

    hold(testing)


def test_other_packages_are_used_by_their_faces_only() -> None:
    def private(path: Path) -> Iterator[str]:
        for module in imported(path):
            parts = module.split(".")[1:]
            if parts[0] == package(path) or parts[0] in SHARED:
                continue
            if any(part.startswith("_") and part != "__version__" for part in parts):
                yield f"{module} is private"

    hold(private)


def test_every_package_says_what_is_public() -> None:
    def silent(path: Path) -> Iterator[str]:
        if path.name != "__init__.py":
            return
        tree = parse(path)
        targets = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
        targets += [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
        if "__all__" not in [target.id for target in targets if isinstance(target, ast.Name)]:
            yield "it has no __all__"
        if not ast.get_docstring(tree):
            yield "it has no docstring"

    hold(silent)


def test_every_name_that_is_public_is_there() -> None:
    missing = []
    for found in sorted(FLOOR.keys() | {"testing"}):
        if (SOURCE / found).exists():
            module = import_module(f"mayfly.{found}")
            missing += [f"{found}.{public}" for public in module.__all__ if not _is_there(module.__name__, public)]
    assert not missing


def _is_there(module: str, public: str) -> bool:
    space: dict[str, object] = {}
    try:
        exec(f"from {module} import {public}", space)
    except (ImportError, AttributeError):
        return False
    return True


def test_no_file_grows_too_long() -> None:
    def long(path: Path) -> Iterator[str]:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LONGEST_FILE:
            yield f"{lines} lines"

    hold(long, but=STILL_LONG)


def test_no_function_grows_too_long() -> None:
    def long(path: Path) -> Iterator[str]:
        for node in functions(path):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield f"{node.name} has {length} lines"

    hold(long, without=STILL_LONG)


def test_dataclasses_take_keywords() -> None:
    def positional(path: Path) -> Iterator[str]:
        for node in nodes(path):
            if not isinstance(node, ast.ClassDef):
                continue
            made = [found for decorator in node.decorator_list if (found := _dataclass(decorator)) is not None]
            fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
            if made and len(fields) > 1 and "kw_only" not in made[0]:
                yield f"{node.name}: add kw_only=True"

    hold(positional)


def _dataclass(decorator: ast.expr) -> set[str] | None:
    """Return the keywords that are true in a `@dataclass(...)`, or None for any other decorator."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    if not (isinstance(function, ast.Name) and function.id == "dataclass"):
        return None
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    true = (word for word in keywords if isinstance(word.value, ast.Constant) and word.value.value is True)
    return {word.arg for word in true if word.arg}


def test_every_function_says_what_it_returns() -> None:
    def silent(path: Path) -> Iterator[str]:
        yield from (node.name for node in functions(path) if node.returns is None)

    hold(silent)


@pytest.mark.parametrize("package", ["", ".core", ".cli", ".store", ".sandbox", ".models"])
def test_importing_a_package_loads_no_heavy_library(package: str) -> None:
    script = f"import sys, mayfly{package}; print(*{{name.split('.')[0] for name in sys.modules}})"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"sqlite3", "rich", "typer", "pydantic", "pydantic_ai", "httpx", "httpx2", "psycopg", "mypy"}
    assert not heavy & set(ran.stdout.split())


def test_every_public_name_of_the_top_package_is_there() -> None:
    import mayfly

    assert all(getattr(mayfly, found) is not None for found in mayfly.__all__)
    assert dir(mayfly) == sorted(mayfly.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = mayfly.nonsense


def test_the_version_is_said_once() -> None:
    import tomllib

    import mayfly

    project = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == mayfly.__version__


def test_everything_that_is_installed_is_pinned() -> None:
    import re
    import tomllib

    root = SOURCE.parents[1]
    table = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    extras, groups = table["project"]["optional-dependencies"], table["dependency-groups"]
    wanted = [
        line
        for lines in (table["project"]["dependencies"], *extras.values(), *groups.values())
        for line in lines
        if isinstance(line, str)  # else another group that this one includes
    ]
    names = {re.split(r"[\[<>=~! ]", line)[0].lower().replace("_", "-") for line in wanted} - {"mayfly-agents"}
    pins = [line for line in (root / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9.-]+==[0-9a-z.]+", line) for line in pins), "names and versions only"
    assert names <= {line.split("==")[0] for line in pins}
    assert pins == sorted(pins)
