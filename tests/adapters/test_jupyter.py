"""The cell magic in a real IPython shell, and how an outcome is shown."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.testing.globalipapp import get_ipython

from mayfly.core import Cost, Outcome, Proof
from mayfly.core._types import OpenPoint, Witness

from .conftest import documented


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, state: Path, tmp_path: Path) -> Iterator[Any]:
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(state))
    monkeypatch.chdir(tmp_path)
    made: Any = InteractiveShell.instance() if InteractiveShell.initialized() else get_ipython()  # type: ignore[no-untyped-call]
    made.extension_manager.load_extension("mayfly.adapters.jupyter")
    yield made
    made.extension_manager.unload_extension("mayfly.adapters.jupyter")
    made.reset()


@pytest.mark.later
def test_a_cell_is_an_intent_and_its_outcome_is_kept_and_shown(shell: Any) -> None:
    ran = shell.run_cell(documented("Jupyter"))
    assert ran.success, ran.error_in_exec
    html = shell.display_formatter.formatters["text/html"]
    html.enabled = True
    assert "resolved" in html(shell.user_ns["tripled"])


@pytest.mark.first(2)
@pytest.mark.parametrize("line", ["--input nothing", "--nonsense", "--examples nothing", '"'])
def test_a_mistake_is_one_line(shell: Any, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell.run_cell_magic("mayfly", line, "count things") is None
    printed = capsys.readouterr().out
    assert printed.startswith("mayfly: ")
    assert "Traceback" not in printed


def test_how_a_mistake_is_mended_is_said_once(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell_magic("mayfly", "--nonsense", "count things")
    assert capsys.readouterr().out.count("usage:") == 1


def test_an_outcome_shows_what_it_is_and_only_as_text() -> None:
    proof = Proof(
        strength="tested",
        tests=4,
        evidence=(Witness(kind="tests", author="a", count=4, what="4 tests <agree>"),),
        open=(OpenPoint(kind="words", author="b", count=1, what="ties"),),
    )
    value = {"a": "<script>alert(1)</script>\x1b[2J", "token": "ghp_" + "a1B2" * 9}
    shown = Outcome(
        status="resolved", value=value, reason="", id="r-1", proof=proof, cost=Cost(seconds=1.25)
    )._repr_html_()
    assert "<script" not in shown
    assert "\x1b" not in shown
    assert "ghp_" not in shown
    for word in ("resolved", "4 tests &lt;agree&gt;", "ties", "1.25 s"):
        assert word in shown


def test_a_fallback_never_looks_like_an_answer() -> None:
    shown = Outcome(status="collapsed", value=0, reason="nobody knows", id="r-2", question="which?")._repr_html_()
    for word in ("gave the fallback", "nobody knows", "which?", ">fallback<"):
        assert word in shown
    assert ">value<" not in shown
