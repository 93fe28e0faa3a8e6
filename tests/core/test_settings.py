"""Settings: precedence, and one clear line for every value that does not fit."""

from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from mayfly.core import InputError, Settings
from mayfly.core._sections import setting
from mayfly.core._settings import _convert, variable


def load(tmp_path: Path, *, toml: str = "", **environ: str) -> Settings:
    if toml:
        (tmp_path / "mayfly.toml").write_text(toml, encoding="utf-8")
    return Settings.load(environ=environ, directory=tmp_path)


def test_with_nothing_given_the_defaults_are_in_force(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert settings == Settings()
    assert {row.source for row in settings.show()} == {"default"}


def test_the_file_wins_over_the_default(tmp_path: Path) -> None:
    settings = load(tmp_path, toml="[sandbox]\ntimeout = 5\n")
    assert settings.sandbox.timeout == 5.0
    assert isinstance(settings.sandbox.timeout, float)
    assert settings.sources == {"sandbox.timeout": "mayfly.toml"}


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    settings = load(tmp_path, toml="[sandbox]\ntimeout = 5\n", MAYFLY_SANDBOX_TIMEOUT="7")
    assert settings.sandbox.timeout == 7.0
    assert settings.sources == {"sandbox.timeout": "MAYFLY_SANDBOX_TIMEOUT"}


def test_an_empty_variable_counts_as_not_given(tmp_path: Path) -> None:
    settings = load(tmp_path, toml="[sandbox]\nthreads = 3\n", MAYFLY_SANDBOX_THREADS="")
    assert settings.sandbox.threads == 3


def test_settings_at_the_top_have_no_section(tmp_path: Path) -> None:
    assert load(tmp_path, toml='state_dir = "/a"\n').state == Path("/a")
    assert load(tmp_path, MAYFLY_STATE_DIR="~/b").state == Path.home() / "b"
    assert Settings().state == Path.home() / ".mayfly"


def test_the_database_has_the_variable_people_expect(tmp_path: Path) -> None:
    assert load(tmp_path, MAYFLY_DATABASE_URL="postgresql://h/d").store.database_url == "postgresql://h/d"


def test_every_setting_can_be_given_by_its_variable(tmp_path: Path) -> None:
    rows = list(Settings().show())
    environ = {variable(row.key): str(row.default) for row in rows if row.default != ""}
    settings = Settings.load(environ=environ, directory=tmp_path)
    assert settings == Settings()
    assert set(settings.sources) == {row.key for row in rows if row.default != ""}


@dataclass(frozen=True, kw_only=True)
class Flags:
    on: bool = setting(False, "a switch")


@pytest.mark.parametrize(
    ("said", "meant"), [("true", True), ("True", True), ("1", True), ("false", False), ("0", False)]
)
def test_what_is_true_or_false_is_said_in_words(said: str, meant: bool) -> None:
    [on] = fields(Flags)
    assert _convert("flags.on", on, said, "a variable") is meant
    assert _convert("flags.on", on, meant, "a file") is meant


@pytest.mark.parametrize("said", ["maybe", "2", " "])
def test_what_is_neither_true_nor_false_is_refused(tmp_path: Path, said: str) -> None:
    [on] = fields(Flags)
    with pytest.raises(InputError, match="must be true or false"):
        _convert("flags.on", on, said, "a variable")
    with pytest.raises(InputError, match="must be a whole number"):
        load(tmp_path, toml="[sandbox]\njobs = true\n")


def test_every_setting_has_an_owner_and_a_meaning() -> None:
    rows = list(Settings().show())
    assert {row.owner for row in rows} <= {
        "core",
        "sandbox",
        "store",
        "gates",
        "forge",
        "market",
        "models",
        "library",
        "persona",
        "policy",
        "promise",
        "session",
        "serve",
        "runtime",
    }
    assert all(row.help for row in rows)
    assert len({variable(row.key) for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("MAYFLY_SANDBOX_TIMEOUT", "soon", "sandbox.timeout must be a number, not 'soon'"),
        ("MAYFLY_SANDBOX_TIMEOUT", "0", "sandbox.timeout must be at least 0.001, not '0'"),
        ("MAYFLY_SANDBOX_TIMEOUT", "nan", "sandbox.timeout must be a number, not 'nan'"),
        ("MAYFLY_SANDBOX_TIMEOUT", "inf", "sandbox.timeout must be a number, not 'inf'"),
        ("MAYFLY_SANDBOX_TIMEOUT", "1e999", "sandbox.timeout must be a number, not '1e999'"),
        ("MAYFLY_SANDBOX_THREADS", "1.5", "sandbox.threads must be a whole number, not '1.5'"),
        ("MAYFLY_SANDBOX_THREADS", "0", "sandbox.threads must be at least 1, not '0'"),
        ("MAYFLY_SANDBOX_MEMORY", "-1", "sandbox.memory must be at least"),
        ("MAYFLY_SANDBOX_LEVEL", "none", "sandbox.level must be one of best, namespaces, landlock, not 'none'"),
        ("MAYFLY_STORE_BUSY_TIMEOUT", "x", "store.busy_timeout must be a number, not 'x'"),
    ],
)
def test_a_bad_variable_gets_one_line_that_names_it(tmp_path: Path, name: str, value: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Settings.load(environ={name: value}, directory=tmp_path)
    assert str(caught.value).startswith(f"{name}: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("[sandbox]\ntimeout = true\n", "mayfly.toml: sandbox.timeout must be a number, not True"),
        ("[sandbox]\nthreads = 2.0\n", "mayfly.toml: sandbox.threads must be a whole number, not 2.0"),
        ("[sandbox]\nlevel = 3\n", "mayfly.toml: sandbox.level must be text, not 3"),
        ("[sandbox]\ntimeout = [1]\n", "mayfly.toml: sandbox.timeout must be a number, not [1]"),
        ("[sandbox]\nspeed = 3\n", "mayfly.toml: unknown setting sandbox.speed; see: mayfly config show --defaults"),
        ("speed = 3\n", "mayfly.toml: unknown setting speed; see: mayfly config show --defaults"),
        ("[fast]\nspeed = 3\n", "mayfly.toml: unknown setting fast; see: mayfly config show --defaults"),
        ("sandbox = 3\n", "mayfly.toml: unknown setting sandbox; see: mayfly config show --defaults"),
        ("[sources]\na = 3\n", "mayfly.toml: unknown setting sources"),
        ("[state_dir]\na = 3\n", "mayfly.toml: state_dir must be text"),
    ],
)
def test_a_bad_file_gets_one_line_that_names_the_setting(tmp_path: Path, toml: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, toml=toml)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"= broken", b"\xff\xfe", b"[sandbox\n"])
def test_a_file_that_is_not_toml_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mayfly.toml").write_bytes(content)
    with pytest.raises(InputError, match=r"mayfly\.toml"):
        Settings.load(environ={}, directory=tmp_path)


def test_a_directory_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "mayfly.toml").mkdir()
    with pytest.raises(InputError, match=r"mayfly\.toml"):
        Settings.load(environ={}, directory=tmp_path)


def test_a_state_directory_in_nobodys_home_is_named() -> None:
    with pytest.raises(InputError, match="~nobody-here/x has no home directory; set MAYFLY_STATE_DIR"):
        _ = Settings(state_dir="~nobody-here/x").state
