"""Fixtures every package's tests may use."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from _type_servers import end_servers, lend_server
from mayfly import testing
from mayfly.gates.types import _gate

if TYPE_CHECKING:
    from mayfly.testing.chain import LocalChain, RpcServer

# The same examples in every run, however long the machine takes over one: what failed once fails again.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

HERE = Path(__file__).parent
# One cluster at a time: each takes memory, and some tests look at what is left of theirs.
CLUSTERS = (
    "promise/engines/",
    "runtime/test_tree_ray.py",
    "runtime/test_tools_ray.py",
    "runtime/test_spread_ray.py",
    "cli/test_ray.py",
)
# What takes longest begins first, so that no process is left alone with it at the end.
LONGEST = ("sandbox/test_attacks.py", "test_docs.py", "sandbox/test_faults.py", "store/test_processes.py")

# `make test` has every behaviour once; these are left to `make test-all`: whole files by kind, single tests by the mark
# `later`.
REST = {
    "cluster": CLUSTERS,
    "browser": ("serve/web/pages/test_looks.py", "serve/web/pages/test_walks.py", "serve/web/test_fuzz.py"),
    # Sellers, facilitator and commands over a real chain; a buyer, a shop, its MCP and the SDK both ways stay.
    "chain": (
        "market/test_matrix.py",
        "market/test_bought.py",
        "market/seller/test_faults.py",
        "market/seller/test_sales.py",
        "market/facilitator/",
        "market/buying/test_broker.py",
        "market/buying/test_commands.py",
        "market/buying/test_reconcile.py",
        "testing/test_chain.py",
        "cli/test_market_demo.py",
        "cli/test_market_sell.py",
        "sandbox/test_key_hunt.py",
        "sandbox/test_purchases.py",
        "session/test_paying_tool.py",
        "runtime/test_spending.py",
    ),
    # Programs, texts and trees by the thousand; processes, databases and disks that fail at every step.
    "storm": (
        "mangle/test_pipeline_fuzz.py",
        "mangle/test_parser_fuzz.py",
        "mangle/engine/test_random_programs.py",
        "mangle/builtins/test_tables.py",
        "mangle/builtins/test_limits.py",
        "policy/kernel/test_reasons.py",
        "promise/plan/test_properties.py",
        "runtime/test_tools_faults.py",
        "runtime/test_tree_faults.py",
        "library/staging/test_kill.py",
        "sandbox/test_injection.py",
        "sandbox/test_storm.py",
        "serve/test_faults.py",
        "session/test_durable.py",
        "session/test_source.py",
        "store/test_processes.py",
        "synthesis/records/test_agreement.py",
    ),
    # Code blocks of docs/, commands in processes of their own, the benchmarks' own tests, the site.
    "docs": (
        "test_docs.py",
        "test_bench.py",
        "test_examples.py",
        "test_site.py",
        "cli/test_first_answer.py",
        "cli/test_cost.py",
    ),
    # Servers in processes of their own: one walk over stdio and HTTP stays.
    "servers": ("serve/test_making.py", "serve/test_http.py", "serve/web/test_people.py", "serve/web/test_runs.py"),
    # Real packages, type checkers, compilers and test runners.
    "tools": (
        "forge/languages/test_typescript.py",
        "gates/test_own_source.py",
        "gates/types/test_server.py",
        "world/test_suite.py",
        "library/test_packages.py",
    ),
}
# A pass over the other level of the wall or the other database is a second one, but where the two differ.
SECOND = frozenset(("landlock", "copy", "postgres"))
DIFFER = (
    "sandbox/test_levels.py",
    "sandbox/workbench/test_levels.py",
    "sandbox/workbench/test_places.py",
    "sandbox/workbench/test_processes.py",
    "store/test_claim.py",
    "store/test_fencing.py",
    "store/test_migrate.py",
    "store/schema/test_apply.py",
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files of the rest unread where nothing of them is wanted: many import a chain, a cluster or a browser."""
    if config.getoption("markexpr") != "not later" or collection_path.suffix != ".py":
        return None
    return True if _is_rest_file(collection_path.relative_to(HERE).as_posix()) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what takes longest come first, and mark what `make test` leaves to the rest."""
    items.sort(key=_rank)
    cases: Counter[str] = Counter()
    for item in items:
        if _is_rest(item) or _is_further_case(item, cases):
            item.add_marker("later")


def _is_further_case(item: pytest.Item, cases: Counter[str]) -> bool:
    """Whether a test marked `first(n)` is a case behind the first n, which show the behaviour."""
    mark = item.get_closest_marker("first")
    if mark is None:
        return False
    name = item.nodeid.partition("[")[0]
    cases[name] += 1
    first: int = mark.args[0]
    return cases[name] > first


def _is_rest(item: pytest.Item) -> bool:
    file = item.nodeid.partition("::")[0].removeprefix("tests/")
    if _is_rest_file(file):
        return True
    call = getattr(item, "callspec", None)
    given = {value for value in call.params.values() if isinstance(value, str)} if call is not None else set()
    return bool(SECOND & given) and file not in DIFFER


def _is_rest_file(file: str) -> bool:
    return any(file.startswith(files) for files in REST.values())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Let the tests of a file run in one process, which makes what they share once; those with clusters likewise."""
    # Marks of xdist would say the same, but pytest 9.2 loses them: https://github.com/pytest-dev/pytest-xdist/issues/1386
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    if config.getoption("dist") != "loadgroup":
        return None
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = _group
    return scheduler


def _group(test: str) -> str:
    file = test.partition("::")[0]
    return "clusters" if any(part in file for part in CLUSTERS) else file


def _rank(item: pytest.Item) -> int:
    """Return when the group of a test has its turn: clusters, which mostly wait, beside what computes."""
    group = _group(item.nodeid)
    first = ["clusters", *(f"tests/{name}" for name in LONGEST)]
    return first.index(group) if group in first else len(first)


@pytest.fixture(scope="session")
def of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory that all processes of this run share."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"
    shared.mkdir(mode=0o700, exist_ok=True)
    return shared


@pytest.fixture(scope="module", autouse=True)
def together(request: pytest.FixtureRequest, of_all: Path) -> None:
    """Fail where a group is torn apart: nothing else would tell that everything shared is made several times."""
    if not getattr(request.config.option, "loadgroup", False):
        return
    here, seen = os.environ["PYTEST_XDIST_WORKER"], of_all / _group(request.node.nodeid).replace("/", "-")
    try:
        seen.symlink_to(here)
    except FileExistsError:
        assert str(seen.readlink()) == here


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    """Take back how long numbers may be, which a command sets for its process."""
    before = sys.get_int_max_str_digits()
    yield
    sys.set_int_max_str_digits(before)


@pytest.fixture(scope="session")
def type_cache(of_all: Path) -> Path:
    """Return where all processes of this run keep what the type checker has read of the standard library."""
    shared = of_all / "types"
    shared.mkdir(mode=0o700, exist_ok=True)
    return shared


@pytest.fixture(scope="session", autouse=True)
def type_servers() -> Iterator[None]:
    """Let all runtimes of this process share servers of the type checker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_gate, "TypeServer", lend_server)
        yield
    end_servers()


@pytest.fixture(scope="session")
def compiled_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a state directory in which the shipped rules lie compiled."""
    made = tmp_path_factory.mktemp("rules") / "state"
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAYFLY_")}
    command = [sys.executable, "-m", "mayfly.cli", "route", "fix a.py", "--json"]
    env["MAYFLY_STATE_DIR"] = str(made)
    subprocess.run(command, env=env, cwd=made.parent, check=True, capture_output=True)
    return made


@pytest.fixture
def state(tmp_path: Path, type_cache: Path, compiled_rules: Path) -> Path:
    """Return a state directory of the test's own, as a first command leaves it: rules compiled, types read, no runs."""
    made = tmp_path / "state"
    made.mkdir(mode=0o700)
    (made / "mypy-cache").symlink_to(type_cache)
    shutil.copy2(compiled_rules / "seal.key", made)
    shutil.copytree(compiled_rules / "rules-cache", made / "rules-cache")
    return made


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Yield the URL of a running server."""
    with testing.postgres_server() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Yield a URL whose tables live in an empty schema of their own."""
    with testing.postgres_schema(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def chain_and_rpc() -> "Iterator[tuple[LocalChain, RpcServer]]":
    """Yield one chain for all tests of this process, and where it answers JSON-RPC: it takes seconds to make."""
    from mayfly.testing.chain import local_chain

    with local_chain() as made:
        yield made


@pytest.fixture
def chain(chain_and_rpc: "tuple[LocalChain, RpcServer]") -> "Iterator[LocalChain]":
    """Yield the chain; what a test does to it, to its clock too, is taken back."""
    with chain_and_rpc[0].taken_back():
        yield chain_and_rpc[0]


@pytest.fixture
def rpc(chain_and_rpc: "tuple[LocalChain, RpcServer]") -> "RpcServer":
    """Return where the chain answers JSON-RPC."""
    return chain_and_rpc[1]


@pytest.fixture
def lifted() -> Iterator[Callable[[int], None]]:
    """A function that lifts the limit of recursion for one test."""
    before = sys.getrecursionlimit()
    yield lambda limit: sys.setrecursionlimit(max(before, limit))
    sys.setrecursionlimit(before)
