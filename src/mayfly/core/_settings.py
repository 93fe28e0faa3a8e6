"""All settings as they are in force, and where each value comes from.

Order of precedence: `MAYFLY_<SECTION>_<NAME>` in the environment (`MAYFLY_<NAME>` for those at the top), then
`mayfly.toml` in the working directory, then the defaults in `_sections`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from mayfly.core._face_sections import MarketSettings, McpSettings, TelemetrySettings, WebSettings
from mayfly.core._sections import (
    ForgeSettings,
    GateSettings,
    LibrarySettings,
    ModelSettings,
    PersonaSettings,
    PolicySettings,
    PromiseSettings,
    PromotionSettings,
    SandboxSettings,
    SchemaSettings,
    SessionSettings,
    StagingSettings,
    StoreSettings,
    ToolSettings,
    WorkbenchSettings,
    setting,
)
from mayfly.core.errors import InputError


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

    state_dir: str = setting("", "directory of the ledger and caches; empty means ~/.mayfly")
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    workbench: WorkbenchSettings = field(default_factory=WorkbenchSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    schema: SchemaSettings = field(default_factory=SchemaSettings)
    gates: GateSettings = field(default_factory=GateSettings)
    forge: ForgeSettings = field(default_factory=ForgeSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    library: LibrarySettings = field(default_factory=LibrarySettings)
    promotion: PromotionSettings = field(default_factory=PromotionSettings)
    staging: StagingSettings = field(default_factory=StagingSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    persona: PersonaSettings = field(default_factory=PersonaSettings)
    promise: PromiseSettings = field(default_factory=PromiseSettings)
    session: SessionSettings = field(default_factory=SessionSettings)
    tools: ToolSettings = field(default_factory=ToolSettings)
    mcp: McpSettings = field(default_factory=McpSettings)
    web: WebSettings = field(default_factory=WebSettings)
    market: MarketSettings = field(default_factory=MarketSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
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

    @property
    def workbench_state(self) -> Path:
        """Where the workbench keeps overlays, held sets and what undo needs."""
        return self.state.absolute() / "workbench"

    def show(self) -> Iterator[Default]:
        """Yield every setting with its value, its default, its owner and where the value came from."""
        for key, spec in _walk(self):
            part, source = key.rpartition(".")[0], self.sources.get(key, "default")
            owner = _OWNERS.get(part, part)
            yield Default(key, _get(self, key), spec.default, owner, source, spec.metadata["help"])


# Which package honours a section where it is not the one of the same name.
_OWNERS = {
    "": "core",
    "workbench": "sandbox",
    "schema": "store",
    "promotion": "library",
    "staging": "library",
    "tools": "session",
    "mcp": "serve",
    "web": "serve",
    "telemetry": "runtime",
}


def _walk(settings: Settings) -> Iterator[tuple[str, Field[Any]]]:
    for spec in fields(settings):
        if spec.metadata:
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
        if not fits or (isinstance(value, bool) and kind is not bool):
            raise ValueError
        # A text that is not empty is true to Python, "false" too.
        converted = _is_true(value) if kind is bool else kind(cast("str", value))
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


_KINDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def _is_true(value: object) -> bool:
    """Return what a file or a variable says; a `ValueError` for what is neither."""
    if isinstance(value, bool):
        return value
    said = str(value).strip().lower()
    if said not in ("true", "1", "false", "0"):
        raise ValueError
    return said in ("true", "1")


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
