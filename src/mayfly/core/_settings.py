"""Every number a user can change, with its default, its meaning and the package that honours it.

Order of precedence: `MAYFLY_<SECTION>_<NAME>` in the environment (`MAYFLY_<NAME>` for those at the top), then
`mayfly.toml` in the working directory, then the defaults written here and nowhere else.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from mayfly.core.errors import InputError

T = TypeVar("T")
MIB = 1024 * 1024


def setting(
    default: T,
    help: str,
    *,
    owner: str,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
) -> T:
    """Declare one setting; the metadata is what `mayfly config show` prints and what `load` checks."""
    metadata = {"help": help, "owner": owner, "minimum": minimum, "maximum": maximum, "choices": choices}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class SandboxSettings:
    """What one job may use, and how many workers wait for one."""

    timeout: float = setting(30.0, "wall-clock seconds for one job", owner="sandbox", minimum=0.001)
    memory: int = setting(512 * MIB, "bytes of memory a job may add", owner="sandbox", minimum=16 * MIB)
    threads: int = setting(16, "threads in one job, the first included", owner="sandbox", minimum=1)
    descriptors: int = setting(64, "open descriptors in one job", owner="sandbox", minimum=16)
    output: int = setting(1_000_000, "bytes a job may print", owner="sandbox", minimum=0)
    result: int = setting(16 * MIB, "bytes of a result as JSON", owner="sandbox", minimum=64)
    nodes: int = setting(1_000_000, "values in a result, keys included", owner="sandbox", minimum=64)
    depth: int = setting(100, "nesting of a result", owner="sandbox", minimum=1)
    source: int = setting(16 * MIB, "bytes of source and argument together", owner="sandbox", minimum=1024)
    file_size: int = setting(256 * MIB, "bytes of one file written to a workspace", owner="sandbox", minimum=0)
    workspace_size: int = setting(2048 * MIB, "bytes a workspace may grow to by jobs", owner="sandbox", minimum=0)
    workspace_files: int = setting(50_000, "files a workspace may grow to by jobs", owner="sandbox", minimum=0)
    workers: int = setting(0, "one-shot workers kept ready; 0 means one a core", owner="sandbox", minimum=0)
    jobs: int = setting(32, "jobs at once; more wait their turn", owner="sandbox", minimum=1)
    pinned: int = setting(8, "pinned workers kept; the least recently used is dropped", owner="sandbox", minimum=0)
    pinned_calls: int = setting(10_000, "calls before a pinned worker is renewed", owner="sandbox", minimum=1)
    pinned_age: float = setting(600.0, "seconds before a pinned worker is renewed", owner="sandbox", minimum=0)
    replay: int = setting(100, "one pinned call in this many is replayed one-shot", owner="sandbox", minimum=1)
    level: str = setting("best", "which wall to use", owner="sandbox", choices=("best", "namespaces", "landlock"))


@dataclass(frozen=True, kw_only=True)
class StoreSettings:
    """Where the ledger lives and how long it waits for a lock."""

    database_url: str = setting("", "PostgreSQL URL; empty means SQLite in the state directory", owner="store")
    busy_timeout: float = setting(30.0, "seconds to wait for a locked database", owner="store", minimum=0)
    blob_size: int = setting(64 * MIB, "bytes of one blob", owner="store", minimum=1)


@dataclass(frozen=True, kw_only=True)
class GateSettings:
    """What the gates demand, beyond the limits that follow from tier and depth."""

    criteria: str = setting("", "TOML file with the judge's criteria; empty means the shipped ones", owner="gates")
    complexity: float = setting(20.0, "complexity of a function, times the budget", owner="gates", minimum=1)
    arms: float = setting(5.0, "arms of one choice, times the budget, but at least 2", owner="gates", minimum=0)
    import_risk: float = setting(0.5, "sum of the risks of imports, times the budget", owner="gates", minimum=0)
    judge_reject: float = setting(0.3, "weighted pass rate below which the judge refuses", owner="gates", minimum=0)
    source: int = setting(100_000, "bytes of one source", owner="gates", minimum=1, maximum=1_000_000)
    mutants: int = setting(24, "mutants a proof tries to catch", owner="gates", minimum=0)
    inputs: int = setting(60, "inputs of the domain that a program is tried on", owner="gates", minimum=0)
    test_timeout: float = setting(5.0, "seconds for one job of tests", owner="gates", minimum=0.1)
    adversary_seconds: float = setting(5.0, "seconds for the adversarial run", owner="gates", minimum=0)
    adversary_memory: int = setting(100 * MIB, "bytes for the adversarial run", owner="gates", minimum=16 * MIB)
    type_memory: int = setting(400 * MIB, "bytes at which the type server is renewed", owner="gates", minimum=0)
    type_timeout: float = setting(20.0, "seconds for one type check", owner="gates", minimum=0.1)


@dataclass(frozen=True, kw_only=True)
class ForgeSettings:
    """How hard something is tried before help is asked for."""

    attempts: int = setting(3, "attempts at writing one agent; the budget may allow fewer", owner="forge", minimum=1)
    synthesis: float = setting(
        5.0, "seconds of computing to look for a program by example", owner="forge", minimum=0.01
    )
    rivals: int = setting(
        1,
        "second programs: 0 none, 1 where nothing else speaks for the first, 2 also where something is open",
        owner="forge",
        minimum=0,
        maximum=2,
    )
    judge: str = setting("", "'model' asks a model to judge below tier authored, too", owner="forge")
    sample: int = setting(2000, "lines of the input that are looked at before writing", owner="forge", minimum=1)
    max_jit_depth: int = setting(
        0, "nesting of compilation; compiled code never compiles", owner="forge", minimum=0, maximum=0
    )


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Which model writes, and what one run may spend on it."""

    name: str = setting("", "model used where none is named; empty means none, programs by example", owner="models")
    base_url: str = setting("", "server that speaks OpenAI's chat completions, for a bare NAME", owner="models")
    calls: int = setting(20, "model calls in one run", owner="models", minimum=0)
    input_tokens: int = setting(1_000_000, "tokens sent to models in one run", owner="models", minimum=0)
    output_tokens: int = setting(200_000, "tokens written by models in one run", owner="models", minimum=0)
    money: float = setting(
        1.0, "dollars spent on models in one run, where the price is known", owner="models", minimum=0
    )
    attempts: int = setting(3, "attempts at one call", owner="models", minimum=1)
    retry_delay: float = setting(0.5, "seconds before the second attempt", owner="models", minimum=0)
    retry_factor: float = setting(2.0, "how much longer each further wait is", owner="models", minimum=1)
    retry_after: float = setting(30.0, "longest wait a server may ask for", owner="models", minimum=0)
    timeout: float = setting(120.0, "seconds for one call with its retries", owner="models", minimum=0.01)
    max_output: int = setting(8192, "tokens of one answer", owner="models", minimum=1)
    max_answer: int = setting(1_000_000, "bytes of one answer", owner="models", minimum=1)


@dataclass(frozen=True, kw_only=True)
class LibrarySettings:
    """How long something proven is remembered."""

    ttl: float = setting(3600.0, "seconds a proven agent is found again", owner="library", minimum=0)
    size: int = setting(100, "proven agents remembered; the least recently used goes first", owner="library", minimum=0)


@dataclass(frozen=True, kw_only=True)
class PolicySettings:
    """Which rules are in force besides the shipped ones, and what a decision may cost."""

    rules: str = setting("", "further rule files or directories, separated as in PATH", owner="policy")
    hosts: str = setting("", "hosts that may be reached without asking, separated by commas", owner="policy")
    send_hosts: str = setting("", "hosts that data may be sent to without asking, separated by commas", owner="policy")
    spend_limit: int = setting(0, "cents that may be spent at once without asking", owner="policy", minimum=0)
    spend_session: int = setting(
        0, "cents one session may spend in all without asking; 0: spend_limit", owner="policy", minimum=0
    )
    spend_day: int = setting(
        0,
        "cents spent on one day (UTC) without asking; 0: ten times spend_limit",
        owner="policy",
        minimum=0,
    )
    facts: int = setting(200_000, "facts one decision may derive", owner="policy", minimum=1)
    seconds: float = setting(2.0, "seconds one decision may take", owner="policy", minimum=0.001)
    approval: float = setting(600.0, "seconds an approval lasts", owner="policy", minimum=1)
    longest_approval: float = setting(86_400.0, "seconds an approval may last at most", owner="policy", minimum=1)
    denials: int = setting(3, "denials of one kind that ask for a look at the rules", owner="policy", minimum=0)
    overrides: int = setting(2, "approvals of one kind that ask for a look at the rules", owner="policy", minimum=0)
    review_window: float = setting(3600.0, "seconds over which these are counted", owner="policy", minimum=1)
    proposals: int = setting(100, "facts a model may propose in one turn", owner="policy", minimum=0)
    debounce: float = setting(0.5, "seconds a rule file has to rest before it is read again", owner="policy", minimum=0)


@dataclass(frozen=True, kw_only=True)
class PromiseSettings:
    """How large a tree of promises may become, what it may use, and where its leaves run."""

    engine: str = setting(
        "local", "where leaves run: local, ray (what `mayfly ray up` began) or ray://HOST:PORT", owner="promise"
    )
    max_depth: int = setting(3, "levels below the root", owner="promise", minimum=0, maximum=50)
    chaos_threshold: float = setting(0.1, "budget below which nothing is tried", owner="promise", minimum=0, maximum=1)
    max_children: int = setting(64, "children of one promise", owner="promise", minimum=0)
    max_nodes: int = setting(20_000, "promises in one tree", owner="promise", minimum=1)
    fix_iterations: int = setting(100, "rounds of an improvement, whatever budget is left", owner="promise", minimum=1)
    seconds: float = setting(3600.0, "wall-clock seconds for one tree", owner="promise", minimum=0)
    sandbox_seconds: float = setting(3600.0, "seconds behind the wall for one tree", owner="promise", minimum=0)
    parallel: int = setting(32, "leaves of one tree at once", owner="promise", minimum=1)
    part_size: int = setting(16 * MIB, "bytes of one part of a large file of lines", owner="promise", minimum=4096)
    split_from: int = setting(
        64 * MIB, "bytes from which a file of lines is split into parts", owner="promise", minimum=1
    )
    retries: int = setting(5, "further tries of a leaf whose worker was lost", owner="promise", minimum=0)
    retry_delay: float = setting(1.0, "seconds before the first of them", owner="promise", minimum=0)
    retry_factor: float = setting(2.0, "how much longer each further wait is", owner="promise", minimum=1)
    ray_hosts: str = setting(
        "", "hosts outside private networks whose Ray may be connected to, separated by commas", owner="promise"
    )
    ray_keep: str = setting(
        "", "variables a Ray worker keeps of its machine's environment, separated by commas", owner="promise"
    )
    kill_cache: float = setting(1.0, "seconds a look at the kill switch lasts", owner="promise", minimum=0)


class Default(NamedTuple):
    """One setting as it is in force: where its value comes from and who honours it."""

    key: str
    value: object
    default: object
    owner: str
    source: str
    help: str

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return variable(self.key)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings in force."""

    state_dir: str = setting("", "directory of the ledger and caches; empty means ~/.mayfly", owner="core")
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    gates: GateSettings = field(default_factory=GateSettings)
    forge: ForgeSettings = field(default_factory=ForgeSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    library: LibrarySettings = field(default_factory=LibrarySettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    promise: PromiseSettings = field(default_factory=PromiseSettings)
    sources: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def load(cls, *, environ: Mapping[str, str] | None = None, directory: Path | None = None) -> Settings:
        """Read the environment and `mayfly.toml`; a value that does not fit is an `InputError` naming it."""
        environ = os.environ if environ is None else environ
        table = _read_toml((directory or Path.cwd()) / "mayfly.toml")
        sources: dict[str, str] = {}
        settings = cls()
        for key, spec in _walk(settings):
            given = _given(key, environ, table)
            if given is not None:
                text, origin = given
                settings = _put(settings, key, _convert(key, spec, text, origin))
                sources[key] = origin
        _refuse_leftovers(table)
        return replace(settings, sources=sources)

    @property
    def state(self) -> Path:
        """The state directory as a path; nothing is created by asking."""
        try:
            return Path(self.state_dir).expanduser() if self.state_dir else Path.home() / ".mayfly"
        except RuntimeError:
            named = self.state_dir or "~/.mayfly"
            raise InputError(f"state_dir: {named} has no home directory", fix="set MAYFLY_STATE_DIR") from None

    def show(self) -> Iterator[Default]:
        """Yield every setting with its value, its default, its owner and where the value came from."""
        for key, spec in _walk(self):
            meta = spec.metadata
            yield Default(
                key, _get(self, key), spec.default, meta["owner"], self.sources.get(key, "default"), meta["help"]
            )


def _walk(settings: Settings) -> Iterator[tuple[str, Field[Any]]]:
    for spec in fields(settings):
        if "owner" in spec.metadata:
            yield spec.name, spec
        elif spec.name != "sources":
            for inner in fields(getattr(settings, spec.name)):
                yield f"{spec.name}.{inner.name}", inner


def _get(settings: Settings, key: str) -> object:
    value: object = settings
    for part in key.split("."):
        value = getattr(value, part)
    return value


def _put(settings: Settings, key: str, value: object) -> Settings:
    section, _, name = key.rpartition(".")
    if not section:
        return replace(settings, **cast("dict[str, Any]", {name: value}))
    inner = replace(getattr(settings, section), **{name: value})
    return replace(settings, **cast("dict[str, Any]", {section: inner}))


def variable(key: str) -> str:
    """Return the name of the environment variable for *key*; two have the short names people expect."""
    short = {"store.database_url": "MAYFLY_DATABASE_URL", "promise.engine": "MAYFLY_ENGINE"}
    return short.get(key) or "MAYFLY_" + key.replace(".", "_").upper()


def _given(key: str, environ: Mapping[str, str], table: dict[str, Any]) -> tuple[object, str] | None:
    section, _, name = key.rpartition(".")
    inner = table.get(section, {}) if section else table
    from_file = inner.pop(name, None) if isinstance(inner, dict) else None
    if environ.get(variable(key), "") != "":
        return environ[variable(key)], variable(key)
    return None if from_file is None else (from_file, "mayfly.toml")


def _convert(key: str, spec: Field[Any], value: object, origin: str) -> object:
    kind: type[float] | type[int] | type[str] = type(cast("float | int | str", spec.default))
    fits = isinstance(value, (str, kind)) or (kind is float and isinstance(value, int))
    try:
        if isinstance(value, bool) or not fits:
            raise ValueError
        converted = kind(cast("str", value))
        if isinstance(converted, float) and not math.isfinite(converted):
            raise ValueError
    except ValueError:
        raise InputError(f"{origin}: {key} must be {_KINDS[kind]}, not {value!r}") from None
    _check_range(key, spec, converted, f"not {value!r}", origin)
    choices = spec.metadata["choices"]
    if choices and converted not in choices:
        raise InputError(f"{origin}: {key} must be one of {', '.join(choices)}, not {value!r}")
    return converted


def _check_range(key: str, spec: Field[Any], value: float | str, shown: str, origin: str) -> None:
    minimum, maximum = spec.metadata["minimum"], spec.metadata["maximum"]
    if minimum is not None and not isinstance(value, str) and not value >= minimum:
        raise InputError(f"{origin}: {key} must be at least {minimum:g}, {shown}")
    if maximum is not None and not isinstance(value, str) and not value <= maximum:
        raise InputError(f"{origin}: {key} must be at most {maximum:g}, {shown}")


_KINDS = {int: "a whole number", float: "a number", str: "text"}


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from None
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}") from None


def _refuse_leftovers(table: dict[str, Any]) -> None:
    for key, value in table.items():
        if isinstance(value, dict) and key in {spec.name for spec in fields(Settings)}:
            for name in value:
                raise InputError(f"mayfly.toml: unknown setting {key}.{name}", fix="see: mayfly config show --defaults")
        else:
            raise InputError(f"mayfly.toml: unknown setting {key}", fix="see: mayfly config show --defaults")
