"""`mayfly run` and what belongs to it, as they are typed."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from mayfly.testing import write_script
from popcount import EXAMPLES, GOOD, INTENT, TESTS, WRONG

from .conftest import Cli

PAIRS = [("Ada Lovelace", "A.L."), ("Alan Turing", "A.T."), ("Grace Hopper", "G.H."), ("Edsger Dijkstra", "E.D.")]


@pytest.fixture
def bits(tmp_path: Path) -> list[str]:
    (tmp_path / "examples.json").write_text(json.dumps(EXAMPLES))
    (tmp_path / "input.json").write_text("1023")
    return ["run", INTENT, "--input", "input.json", "--examples", "examples.json", "--ground", "-1"]


def scripted(tmp_path: Path, *answers: str) -> str:
    return write_script(tmp_path / "script.jsonl", *(("architect", answer) for answer in answers))


def data(ran: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_the_answer_alone_is_on_stdout(cli: Cli, tmp_path: Path, bits: list[str]) -> None:
    ran = cli(*bits, "--model", scripted(tmp_path, GOOD))
    assert (ran.status, ran.out) == (0, "10\n")
    said = "tested: 2 of your examples held out; open: only examples speak for it: nothing was tested that follows from"
    assert f"\nproof     {said} the words\n" in f"\n{ran.err}"
    assert ", 1 model call; why: mayfly why r-" in ran.err
    assert "budget" not in ran.err
    assert "stability" not in ran.err


def test_json_has_the_keys_that_scripts_rely_on(cli: Cli, tmp_path: Path, bits: list[str]) -> None:
    ran = cli(*bits, "--model", scripted(tmp_path, GOOD), "--json", "--quiet")
    found = data(ran)
    assert (ran.status, ran.err) == (0, "")
    wanted = {"status", "value", "reason", "id", "cached", "model_calls", "question", "proof", "source_hash"}
    assert wanted <= set(found)
    assert {"strength", "tests", "mutants_killed", "mutants"} <= set(found["proof"])
    assert (found["status"], found["value"], found["cached"]) == ("resolved", 10, False)
    again = data(cli(*bits, "--model", scripted(tmp_path, GOOD), "--json"))
    assert (again["cached"], again["model_calls"], again["value"]) == (True, 0, 10)


def test_help_needed_is_status_3_and_can_be_answered(cli: Cli, tmp_path: Path, bits: list[str]) -> None:
    ran = cli(*bits, "--model", scripted(tmp_path, WRONG))
    assert (ran.status, ran.out) == (3, "-1\n")
    assert "mayfly answer h-" in ran.err
    [call] = json.loads(cli("inbox", "--json").out)
    assert call["task"] == INTENT
    answered = cli("answer", call["id"], "look at it in base two", "--model", scripted(tmp_path, GOOD), "--json")
    assert (answered.status, data(answered)["value"]) == (0, 10)
    assert json.loads(cli("inbox", "--json").out) == []
    assert json.loads(cli("inbox", "--all", "--json").out)[0]["answer"] == "look at it in base two"


def test_why_tells_what_every_gate_measured(cli: Cli, tmp_path: Path, bits: list[str]) -> None:
    id = data(cli(*bits, "--model", scripted(tmp_path, "def f(:", GOOD), "--json"))["id"]
    told = cli("why", id).out
    for words in (
        "asked: count the bits",
        "syntax reject",
        "reflection on attempt 1",
        "complexity 1/20",
        "proof tested",
        "resolved",
    ):
        assert words in told
    steps = data(cli("why", id, "--json"))["steps"]
    assert {"gate.judged", "proof.made", "run.resolved"} <= {step["kind"] for step in steps}


def test_a_proof_can_be_run_again(cli: Cli, tmp_path: Path, bits: list[str]) -> None:
    model = scripted(tmp_path, GOOD)
    id = data(cli(*bits, "--model", model, "--json"))["id"]
    cached = data(cli(*bits, "--model", model, "--json"))["id"]
    assert cli("prove", id).out.endswith("True\n")
    assert data(cli("prove", cached, "--json"))["holds"] is True


def test_by_example_needs_no_model(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "examples.json").write_text(json.dumps([{"input": name, "output": short} for name, short in PAIRS]))
    (tmp_path / "names.txt").write_text("Barbara Liskov\nDonald Knuth\n")
    ran = cli("run", "initials", "--examples", "examples.json", "--input", "names.txt")
    assert (ran.status, json.loads(ran.out)) == (0, ["B.L.", "D.K."])
    assert "0 model calls" in ran.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["run", ""], "the intent is empty"),
        (["run", "x", "--input", "missing.log"], "cannot read missing.log"),
        (["run", "x", "--examples", "missing.json"], "cannot read missing.json"),
        (["run", "x", "--examples", "bad.json"], "is not JSON"),
        (["run", "x", "--examples", "half.json"], "example 1 needs input and output"),
        (["run", "x", "--examples", "two.json"], "contradict each other"),
        (["run", "x", "--ground", "{"], "--ground is not JSON"),
        (["run", "x", "--input", "bad.json"], "is not JSON"),
        (["run", "x", "--tier", "golden"], "--tier golden"),
        (["run", "x", "--context", "nonsense"], "is not KEY=VALUE"),
        (["run", "x", "--model", "scripted:missing"], "missing"),
        (["why", "r-nothing"], "nothing is recorded"),
        (["prove", "r-nothing"], "nothing is recorded"),
        (["answer", "h-nothing", "x"], "no call for help"),
        (["check", "missing.py"], "cannot read missing.py"),
        (["check", "bad.json", "--tier", "golden"], "no tier 'golden'"),
        (["compile"], "say what to write"),
        (["freeze", "missing.py"], "cannot read missing.py"),
    ],
)
def test_bad_input_is_one_line_and_status_2(cli: Cli, tmp_path: Path, args: list[str], words: str) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "half.json").write_text('[{"input": 1}]')
    (tmp_path / "two.json").write_text('[{"input": 1, "output": 1}, {"input": 1, "output": 2}]')
    ran = cli(*args)
    assert ran.status == 2
    errors = [line for line in ran.err.splitlines() if line.startswith("mayfly: ")]
    assert len(errors) == 1
    assert words in errors[0]
    assert "Traceback" not in ran.err


def test_what_cannot_be_done_says_what_would_help(cli: Cli) -> None:
    ran = cli("run", "make the world a better place", "--ground", '"no"')
    assert (ran.status, ran.out) == (1, '"no"\n')
    assert "model (--model)" in ran.err


def test_input_can_come_from_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "examples.json").write_text(json.dumps([{"input": name, "output": short} for name, short in PAIRS]))
    (tmp_path / "piped").write_text("Tony Hoare\n")
    with (tmp_path / "piped").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        ran = cli("run", "initials", "--examples", "examples.json", "--input", "-")
    assert json.loads(ran.out) == ["T.H."]


def test_check_says_where_and_how_to_fix_it(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(:\n    return 1\n")
    ran = cli("check", "bad.py")
    assert ran.status == 1
    assert ran.out.startswith("Syntax error at line 1: ")
    (tmp_path / "os.py").write_text("import os\n\n\ndef f(x: int) -> int:\n    return x\n")
    found = data(cli("check", "os.py", "--json"))
    assert found["decision"] == "reject"
    verdict = next(verdict for verdict in found["verdicts"] if verdict["decision"] == "reject")
    assert (verdict["gate"], verdict["line"]) == ("stability", 1)
    assert "import os" in verdict["message"]


def test_check_accepts_good_code_and_counts(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    ran = cli("check", "good.py", "--json")
    assert (ran.status, data(ran)["decision"]) == (0, "accept")
    assert [verdict["gate"] for verdict in data(ran)["verdicts"]] == ["syntax", "stability", "judge", "types"]


def test_a_single_agent_is_checked_with_the_whole_budget(cli: Cli, tmp_path: Path) -> None:
    sign = (
        "def sign(number: int) -> int:\n    if number < 0:\n        return -1\n    elif number == 0:\n"
        "        return 0\n    else:\n        return 1\n"
    )
    (tmp_path / "sign.py").write_text(sign)
    assert cli("check", "sign.py").status == 0
    deeper = data(cli("check", "sign.py", "--depth", "1", "--json"))
    assert [verdict["code"] for verdict in deeper["verdicts"] if verdict["decision"] != "accept"] == ["ARMS"]
    (tmp_path / "examples.json").write_text(
        json.dumps([{"input": n, "output": (n > 0) - (n < 0)} for n in range(-3, 4)])
    )
    found = data(cli("compile", "sign", "--source", "sign.py", "--examples", "examples.json", "--json"))
    assert [verdict["decision"] for verdict in found["verdicts"] if verdict["gate"] == "stability"] == ["accept"]


def test_compile_prints_source_with_one_entry(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "examples.json").write_text(json.dumps([{"input": name, "output": short} for name, short in PAIRS]))
    found = data(cli("compile", "initials", "--examples", "examples.json", "--json"))
    assert found["decision"] == "accept"
    assert "def invoke" in found["source"]
    assert found["proof"]["strength"] == "strong"
    shown = cli("compile", "initials", "--examples", "examples.json", "--show-source", "--show-tests")
    assert "def invoke" in shown.out
    assert "Ada Lovelace" in shown.err


def test_compile_tries_given_code(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "examples.json").write_text(json.dumps(EXAMPLES))
    (tmp_path / "tests.json").write_text(TESTS)
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "wrong.py").write_text(WRONG)
    options = ("--examples", "examples.json", "--json")
    good = cli("compile", INTENT, "--source", "good.py", *options)
    wrong = cli("compile", INTENT, "--source", "wrong.py", *options)
    tested = cli("compile", INTENT, "--source", "good.py", "--tests", "tests.json", *options)
    # Whoever wrote it may have seen every example: they alone speak for nothing that was not shown.
    assert (good.status, data(good)["decision"], data(good)["proof"]["strength"]) == (0, "accept", "weak")
    assert (wrong.status, data(wrong)["decision"], data(wrong)["proof"]["strength"]) == (1, "reject", "none")
    assert (tested.status, data(tested)["proof"]["strength"]) == (0, "strong")


def test_metrics_match_a_hand_count(cli: Cli, tmp_path: Path, bits: list[str]) -> None:
    model = scripted(tmp_path, GOOD)
    cli(*bits, "--model", model)
    cli(*bits, "--model", model)
    cli("run", "make the world a better place")
    found = data(cli("metrics", "--json"))
    assert (found["runs"], found["resolved"], found["collapsed"], found["compiled"]) == (3, 2, 1, 1)
    assert found["jit_contribution"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["generated_lines"] == len(GOOD.splitlines())
    assert found["autopoiesis_score"] == pytest.approx(found["generated_lines"] / found["total_lines"], abs=1e-6)
    assert found["jit_collapse"] == {"UNSERVED": 1}


def test_the_cache_can_be_seen_and_cleared(cli: Cli, tmp_path: Path, bits: list[str]) -> None:
    cli(*bits, "--model", scripted(tmp_path, GOOD))
    [entry] = json.loads(cli("cache", "show", "--json").out)
    assert entry["intent"] == INTENT
    assert cli("cache", "clear").out == "forgot 1 agent\n"
    assert data(cli(*bits, "--model", scripted(tmp_path, GOOD), "--json"))["cached"] is False


def test_a_changed_criterion_misses_the_cache(
    cli: Cli, tmp_path: Path, bits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mayfly.gates import Criteria

    model = scripted(tmp_path, GOOD)
    cli(*bits, "--model", model)
    shipped = next(Path(Criteria.load.__func__.__code__.co_filename).parent.glob("criteria.toml"))  # type: ignore[attr-defined]
    changed = tmp_path / "criteria.toml"
    changed.write_text(shipped.read_text().replace("readable", "beautiful"))
    monkeypatch.setenv("MAYFLY_GATES_CRITERIA", str(changed))
    assert data(cli(*bits, "--model", model, "--json"))["cached"] is False


def test_no_key_reaches_the_store(cli: Cli, tmp_path: Path, bits: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-value-1234567890")
    note = "--context=note=the key is sk-very-secret-value-1234567890"
    ran = cli(*bits, "--model", scripted(tmp_path, GOOD), note)
    assert ran.status == 0
    state = Path(os.environ["MAYFLY_STATE_DIR"])
    assert not [p for p in state.rglob("*") if p.is_file() and b"sk-very-secret" in p.read_bytes()]
