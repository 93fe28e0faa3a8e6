"""`mayfly config show`."""

import json
from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.operations import settings_rows

from .conftest import Cli

MIB = 1024 * 1024

DEFAULTS = {
    "state_dir": ("", "core"),
    "sandbox.timeout": (30.0, "sandbox"),
    "sandbox.memory": (512 * MIB, "sandbox"),
    "sandbox.threads": (16, "sandbox"),
    "sandbox.descriptors": (64, "sandbox"),
    "sandbox.output": (1_000_000, "sandbox"),
    "sandbox.result": (16 * MIB, "sandbox"),
    "sandbox.nodes": (1_000_000, "sandbox"),
    "sandbox.depth": (100, "sandbox"),
    "sandbox.source": (16 * MIB, "sandbox"),
    "sandbox.file_size": (256 * MIB, "sandbox"),
    "sandbox.workspace_size": (2048 * MIB, "sandbox"),
    "sandbox.workspace_files": (50_000, "sandbox"),
    "sandbox.workers": (0, "sandbox"),
    "sandbox.jobs": (32, "sandbox"),
    "sandbox.pinned": (8, "sandbox"),
    "sandbox.pinned_calls": (10_000, "sandbox"),
    "sandbox.pinned_age": (600.0, "sandbox"),
    "sandbox.replay": (100, "sandbox"),
    "sandbox.level": ("best", "sandbox"),
    "sandbox.purchases": (4, "sandbox"),
    "sandbox.purchase_rate": (60, "sandbox"),
    "sandbox.purchase_size": (262_144, "sandbox"),
    "sandbox.data_memory": (0, "sandbox"),
    "sandbox.data_threads": (8, "sandbox"),
    "sandbox.data_spill": (32 * 1024**3, "sandbox"),
    "sandbox.data_directory": ("", "sandbox"),
    "sandbox.data_seconds": (60.0, "sandbox"),
    "sandbox.data_rate": (600.0, "sandbox"),
    "workbench.timeout": (300.0, "sandbox"),
    "workbench.memory": (4096 * MIB, "sandbox"),
    "workbench.tasks": (512, "sandbox"),
    "workbench.disk": (4096 * MIB, "sandbox"),
    "workbench.files": (200_000, "sandbox"),
    "workbench.output": (1_000_000, "sandbox"),
    "workbench.diff": (100_000, "sandbox"),
    "workbench.programs": (
        "~/.pyenv:~/.cargo/bin:~/.cargo/registry:~/.cargo/git:~/.rustup:~/.nvm:~/.local/bin:~/.local/lib:"
        "~/.local/pipx:~/.local/share/uv:~/.local/share/mise:~/.local/share/pnpm:~/.asdf:~/.volta:~/.rbenv:~/.sdkman:"
        "~/.bun:~/.deno/bin:~/go/bin:~/go/pkg:~/.juliaup:~/.opam:~/.ghcup",
        "sandbox",
    ),
    "workbench.undo_commits": (100, "sandbox"),
    "workbench.undo_size": (2048 * MIB, "sandbox"),
    "workbench.level": ("best", "sandbox"),
    "store.database_url": ("", "store"),
    "store.busy_timeout": (30.0, "store"),
    "store.blob_size": (64 * MIB, "store"),
    "schema.database_url": ("", "store"),
    "schema.role": ("mayfly_agent", "store"),
    "schema.readable": ("", "store"),
    "schema.lock_timeout": (30.0, "store"),
    "schema.statement_timeout": (30.0, "store"),
    "schema.rows": (1000, "store"),
    "schema.bytes": (1_000_000, "store"),
    "gates.criteria": ("", "gates"),
    "gates.complexity": (20.0, "gates"),
    "gates.arms": (5.0, "gates"),
    "gates.import_risk": (0.5, "gates"),
    "gates.judge_reject": (0.3, "gates"),
    "gates.source": (100_000, "gates"),
    "gates.mutants": (24, "gates"),
    "gates.inputs": (60, "gates"),
    "gates.test_timeout": (5.0, "gates"),
    "gates.adversary_seconds": (5.0, "gates"),
    "gates.adversary_memory": (100 * MIB, "gates"),
    "gates.type_memory": (400 * MIB, "gates"),
    "gates.type_timeout": (20.0, "gates"),
    "forge.attempts": (3, "forge"),
    "forge.synthesis": (5.0, "forge"),
    "forge.rivals": (1, "forge"),
    "forge.judge": ("", "forge"),
    "forge.sample": (2000, "forge"),
    "models.name": ("", "models"),
    "models.base_url": ("", "models"),
    "models.calls": (20, "models"),
    "models.input_tokens": (1_000_000, "models"),
    "models.output_tokens": (200_000, "models"),
    "models.money": (1.0, "models"),
    "models.attempts": (3, "models"),
    "models.retry_delay": (0.5, "models"),
    "models.retry_factor": (2.0, "models"),
    "models.retry_after": (30.0, "models"),
    "models.timeout": (120.0, "models"),
    "models.max_output": (8192, "models"),
    "models.max_answer": (1_000_000, "models"),
    "library.ttl": (3600.0, "library"),
    "library.size": (100, "library"),
    "library.grants": ("net:*,package", "library"),
    "library.timeout": (30.0, "library"),
    "library.result": (1_000_000, "library"),
    "library.retire": (180.0, "library"),
    "library.twins": (25, "library"),
    "library.package_bytes": (1024 * 1024 * 1024, "library"),
    "library.package_seconds": (600.0, "library"),
    "library.foreign": ("refuse", "library"),
    "library.offered": (12, "library"),
    "promotion.runs": (100, "library"),
    "promotion.quorum": (3, "library"),
    "promotion.failures": (3, "library"),
    "promotion.directory": ("", "library"),
    "staging.compile": (120.0, "library"),
    "staging.tests": (120.0, "library"),
    "staging.smoke": (180.0, "library"),
    "staging.health": (300.0, "library"),
    "staging.cooldown": (300.0, "library"),
    "policy.rules": ("", "policy"),
    "policy.packages": ("", "policy"),
    "policy.hosts": ("", "policy"),
    "policy.send_hosts": ("", "policy"),
    "policy.spend_limit": (0, "policy"),
    "policy.spend_session": (0, "policy"),
    "policy.spend_day": (0, "policy"),
    "policy.removals": (100, "policy"),
    "policy.facts": (200_000, "policy"),
    "policy.seconds": (2.0, "policy"),
    "policy.approval": (600.0, "policy"),
    "policy.longest_approval": (86_400.0, "policy"),
    "policy.denials": (3, "policy"),
    "policy.overrides": (2, "policy"),
    "policy.review_window": (3600.0, "policy"),
    "policy.proposals": (100, "policy"),
    "policy.debounce": (0.5, "policy"),
    "persona.budget": (8192, "persona"),
    "persona.largest": (200_000, "persona"),
    "persona.fallback": (4096, "persona"),
    "persona.headroom": (500, "persona"),
    "persona.reserve": (8000, "persona"),
    "persona.logic_weight": (0.7, "persona"),
    "persona.similarity_weight": (0.3, "persona"),
    "persona.threshold": (0.1, "persona"),
    "persona.shares": ("", "persona"),
    "persona.tier": ("authored", "persona"),
    "persona.files": (5000, "persona"),
    "promise.engine": ("local", "promise"),
    "promise.max_depth": (3, "promise"),
    "promise.chaos_threshold": (0.1, "promise"),
    "promise.max_children": (64, "promise"),
    "promise.max_nodes": (20_000, "promise"),
    "promise.seconds": (3600.0, "promise"),
    "promise.sandbox_seconds": (3600.0, "promise"),
    "promise.parallel": (32, "promise"),
    "promise.part_size": (16 * 1024 * 1024, "promise"),
    "promise.split_from": (64 * 1024 * 1024, "promise"),
    "promise.retries": (5, "promise"),
    "promise.retry_delay": (1.0, "promise"),
    "promise.retry_factor": (2.0, "promise"),
    "promise.ray_hosts": ("", "promise"),
    "promise.ray_keep": ("", "promise"),
    "promise.kill_cache": (1.0, "promise"),
    "session.tool_calls": (50, "session"),
    "session.tool_timeout": (300.0, "session"),
    "session.result": (8192, "session"),
    "session.history": (50, "session"),
    "session.campaign": (10, "session"),
    "session.model_calls": (200, "session"),
    "session.agents": (10, "session"),
    "session.agent_seconds": (1800.0, "session"),
    "session.agent_turns": (100, "session"),
    "session.agent_idle": (300.0, "session"),
    "session.profile": ("asking", "session"),
    "session.approvals": (20, "session"),
    "session.hosts": ("", "session"),
    "session.mcp": ("", "session"),
    "tools.web_seconds": (30.0, "session"),
    "tools.web_bytes": (4 * 1024 * 1024, "session"),
    "tools.web_characters": (400_000, "session"),
    "tools.code_files": (5000, "session"),
    "tools.code_seconds": (30.0, "session"),
    "tools.mcp_connect": (30.0, "session"),
    "tools.mcp_call": (120.0, "session"),
    "tools.mcp_tools": (100, "session"),
    "mcp.host": ("127.0.0.1", "serve"),
    "mcp.port": (8464, "serve"),
    "mcp.hosts": ("", "serve"),
    "mcp.token_file": ("", "serve"),
    "mcp.listed": (100, "serve"),
    "mcp.page": (50, "serve"),
    "mcp.body": (32 * 1024 * 1024, "serve"),
    "mcp.calls": (32, "serve"),
    "mcp.sessions": (256, "serve"),
    "mcp.idle": (1800.0, "serve"),
    "mcp.draft": (24.0, "serve"),
    "mcp.sampling": ("on", "serve"),
    "mcp.approve": ("off", "serve"),
    "web.host": ("127.0.0.1", "serve"),
    "web.port": (8465, "serve"),
    "web.workers": (1, "serve"),
    "web.hosts": ("", "serve"),
    "web.token_file": ("", "serve"),
    "web.body": (16777216, "serve"),
    "web.upload": (1073741824, "serve"),
    "web.calls": (16, "serve"),
    "web.waiting": (512, "serve"),
    "web.rate": (500.0, "serve"),
    "web.streams": (128, "serve"),
    "web.uploads": (7.0, "serve"),
    "market.rpc_url": ("", "market"),
    "market.network": ("", "market"),
    "market.asset": ("", "market"),
    "market.asset_decimals": (6, "market"),
    "market.facilitator_url": ("", "market"),
    "market.confirmations": (12, "market"),
    "market.hosts": ("", "market"),
    "market.shops": ("", "market"),
    "market.payees": ("", "market"),
    "market.per_call": ("0.10", "market"),
    "market.per_hour": ("1.00", "market"),
    "market.per_agent": ("1.00", "market"),
    "market.longest_validity": (600, "market"),
    "market.shortest_validity": (10, "market"),
    "market.timeout": (60.0, "market"),
    "market.rpc_timeout": (10.0, "market"),
    "market.answer_size": (4194304, "market"),
    "market.body_size": (1048576, "market"),
    "market.tries": (3, "market"),
    "market.try_delay": (0.5, "market"),
    "market.takeover": (5.0, "market"),
    "market.reconcile": (30.0, "market"),
    "market.payee": ("", "market"),
    "market.relay_key_file": ("", "market"),
    "market.asset_name": ("", "market"),
    "market.asset_version": ("", "market"),
    "market.sell_host": ("127.0.0.1", "market"),
    "market.sell_port": (8466, "market"),
    "market.sell_url": ("", "market"),
    "market.offer_seconds": (300, "market"),
    "market.lease": (120.0, "market"),
    "market.settle_wait": (30.0, "market"),
    "market.strategy": ("", "market"),
    "telemetry.exporter": ("off", "runtime"),
    "telemetry.endpoint": ("", "runtime"),
    "telemetry.service": ("mayfly", "runtime"),
    "telemetry.content": ("off", "runtime"),
    "telemetry.timeout": (5.0, "runtime"),
}


def test_every_default_is_in_force_and_has_one_owner(cli: Cli) -> None:
    ran = cli("config", "show", "--defaults", "--json")
    rows = json.loads(ran.out)
    assert ran.status == 0
    assert {row["key"]: (row["value"], row["owner"]) for row in rows} == DEFAULTS
    assert all(row["value"] == row["default"] and row["source"] == "default" for row in rows)


def test_defaults_ignore_the_environment_and_the_file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cli("config", "show", "--defaults")
    monkeypatch.setenv("MAYFLY_SANDBOX_TIMEOUT", "nonsense")
    Path("mayfly.toml").write_text("also nonsense")
    assert cli("config", "show", "--defaults") == before
    assert cli("config", "show").status == 2


def test_a_value_shows_where_it_comes_from(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_SANDBOX_TIMEOUT", "5")
    Path("mayfly.toml").write_text("[sandbox]\nthreads = 2\n")
    rows = {row["key"]: row for row in json.loads(cli("config", "show", "--json").out)}
    assert (rows["sandbox.timeout"]["value"], rows["sandbox.timeout"]["source"]) == (5.0, "MAYFLY_SANDBOX_TIMEOUT")
    assert (rows["sandbox.threads"]["value"], rows["sandbox.threads"]["source"]) == (2, "mayfly.toml")
    assert rows["sandbox.jobs"]["source"] == "default"


def test_the_table_has_a_line_for_every_setting(cli: Cli) -> None:
    lines = cli("config", "show").out.splitlines()
    assert lines[0].split() == ["KEY", "VALUE", "DEFAULT", "OWNER", "SOURCE", "MEANING"]
    assert [line.split()[0] for line in lines[1:]] == list(DEFAULTS)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada:hunter2@host/db", "postgresql://ada:‹secret: password 1›@host/db"),
        (
            "postgresql+psycopg://ada:hunter2@host:5432/db?x=1",
            "postgresql+psycopg://ada:‹secret: password 1›@host:5432/db?x=1",
        ),
        ("postgresql://ada:hun:ter2@host/db", "postgresql://ada:‹secret: password 1›@host/db"),
        ("postgresql://:hunter2@host/db", "postgresql://:‹secret: password 1›@host/db"),
        ("postgresql://ada:hun/ter2?#@host/db", "postgresql://ada:‹secret: password 1›@host/db"),
        ("postgresql://ada:hun@ter2@host/db", "postgresql://ada:‹secret: password 1›@host/db"),
        (
            "postgresql://host/db?user=ada&password=hunter2&x=1",
            "postgresql://host/db?user=ada&password=‹secret: password 1›&x=1",
        ),
        ("host=h password=hunter2", "host=h password=‹secret: password 1›"),
        ("postgresql://ada@host/db", "postgresql://ada@host/db"),
        ("", ""),
    ],
)
def test_the_password_of_the_database_is_hidden(url: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_DATABASE_URL", url)
    [row] = [one for one in settings_rows(Settings.load()) if one["key"] == "store.database_url"]
    assert row["value"] == shown


def test_no_form_of_the_answer_holds_the_password(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_DATABASE_URL", "postgresql://ada:hunter2@host/db")
    for ran in (cli("config", "show"), cli("config", "show", "--json")):
        assert ran.status == 0
        assert "hunter2" not in ran.out + ran.err
