"""The house: which package may import which, and how large anything in it may grow."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "mayfly"
FLOORS = (
    {"core"},
    {"store"},
    {"sandbox", "models", "mangle", "language"},
    {"gates", "policy"},
    {"synthesis", "library"},
    {"forge", "persona"},
    {"promise"},
    {"session", "market", "views"},
    {"runtime"},
    {"cli", "serve"},
)
FLOOR = {package: number for number, packages in enumerate(FLOORS) for package in packages}
# Programs that the sandbox runs are material, not parts of the house.
MATERIAL = ("cli/demo/", "sandbox/attacks/cases/", "sandbox/jail/warm_up.py", "sandbox/probe.py", "forge/relations/")
LONGEST_FILE = 400
LONGEST_FUNCTION = 60

FILES = sorted(path for path in SOURCE.rglob("*.py") if not path.relative_to(SOURCE).as_posix().startswith(MATERIAL))
INITS = [path for path in FILES if path.name == "__init__.py"]


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def package(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """Yield every module of ours that *path* imports, absolute, whether at the top or inside a function."""
    here = ["mayfly", *path.relative_to(SOURCE).parent.parts]
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "mayfly")
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(here[: len(here) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            if module.split(".")[0] == "mayfly":
                yield from (f"{module}.{alias.name}" for alias in node.names)


def test_the_house_is_not_empty() -> None:
    assert {"core", "cli"} <= {package(path) for path in FILES}


@pytest.mark.parametrize("path", [path for path in FILES if path.parent != SOURCE], ids=name)
def test_imports_go_down_only(path: Path) -> None:
    here = package(path)
    assert here in FLOOR or here == "testing", f"{here} has no floor; give it one in tests/test_house.py"
    for module in imported(path):
        there = module.split(".")[1]
        if there == here or there not in FLOOR:
            continue
        assert FLOOR[there] < FLOOR.get(here, len(FLOORS)), f"{here} must not import {module}"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_other_packages_are_used_by_their_faces_only(path: Path) -> None:
    for module in imported(path):
        parts = module.split(".")
        if parts[1] != package(path):
            assert not any(part.startswith("_") and part != "__version__" for part in parts), f"{module} is private"


@pytest.mark.parametrize("path", INITS, ids=name)
def test_every_package_says_what_is_public(path: Path) -> None:
    tree = parse(path)
    targets = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
    targets += [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    assert "__all__" in [target.id for target in targets if isinstance(target, ast.Name)]
    assert ast.get_docstring(tree)


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_file_grows_too_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", FILES, ids=name)
def test_no_function_grows_too_long(path: Path) -> None:
    functions = (node for node in ast.walk(parse(path)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    long = [(node.name, length) for node in functions if (length := _length(node)) > LONGEST_FUNCTION]
    assert not long


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", FILES, ids=name)
def test_dataclasses_take_keywords(path: Path) -> None:
    for node in ast.walk(parse(path)):
        if not isinstance(node, ast.ClassDef):
            continue
        made = [found for decorator in node.decorator_list if (found := _dataclass(decorator)) is not None]
        fields = [statement for statement in node.body if isinstance(statement, ast.AnnAssign)]
        assert not made or len(fields) <= 1 or "kw_only" in made[0], f"{node.name}: add kw_only=True"


def _dataclass(decorator: ast.expr) -> set[str] | None:
    """Return the keywords that are true in a `@dataclass(...)`, or None for any other decorator."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    if not (isinstance(function, ast.Name) and function.id == "dataclass"):
        return None
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    true = (word for word in keywords if isinstance(word.value, ast.Constant) and word.value.value is True)
    return {word.arg for word in true if word.arg}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_function_says_what_it_returns(path: Path) -> None:
    functions = (node for node in ast.walk(parse(path)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    assert not [node.name for node in functions if node.returns is None]


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
        line for lines in (table["project"]["dependencies"], *extras.values(), *groups.values()) for line in lines
    ]
    names = {re.split(r"[\[<>=~! ]", line)[0].lower().replace("_", "-") for line in wanted} - {"mayfly-agents"}
    pins = [line for line in (root / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9.-]+==[0-9a-z.]+", line) for line in pins), "names and versions only"
    assert names <= {line.split("==")[0] for line in pins}
    assert pins == sorted(pins)
