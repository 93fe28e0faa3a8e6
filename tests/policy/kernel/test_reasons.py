"""Every reason that is printed is one: take a named fact away, or add what must be absent, and the decision changes."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from mayfly.core import Settings
from mayfly.mangle import (
    Atom,
    Constant,
    DerivationStep,
    External,
    Model,
    Name,
    Program,
    Row,
    Symbol,
    Value,
    Why,
    compile_program,
    leaves,
    show_row,
    to_json,
    to_text,
    why,
)
from mayfly.mangle import Fact as Leaf
from mayfly.policy import Fact, Kernel, Permit, Recording, Rulebook, recordings
from mayfly.store import Ledger

from ..configured import policies_of  # noqa: TID252

PERMITTED, PENDING = Symbol("permitted", 3), Symbol("pending_action", 5)
DECISION = Symbol("decision", 2)
# Without one of these facts the question is another one, or none at all.
ASKED = {"pending_action", "action_class"}


@dataclass(frozen=True, kw_only=True)
class Question:
    """One action, on whose behalf it is asked for, and what else is told."""

    action: str
    target: str
    payload: str = ""
    persona: str | None = None
    told: tuple[str, ...] = ()
    decision: str = "permit"

    def __str__(self) -> str:
        return f"{self.persona or 'somebody'}: {self.action} {self.target} {self.payload[:30]}"


def ask(action: str, target: str, payload: str = "", who: str | None = None, *told: str) -> Question:
    return Question(action=action, target=target, payload=payload, persona=who, told=told)


TIER = "tier(/authored)"
PERMITS = [
    ask("ask_user", "May I?", "", "stranger"),
    ask("file_write", "src/app.py", "x = 1", "coder"),
    ask("file_write", "tests/test_app.py", "x", "tester"),
    ask("file_write", "docs/a.md", "x", "researcher"),
    ask("shell_exec", "ls src", "", "coder"),
    ask("shell_exec", "pytest -q", "", "coder"),
    ask("run_tests", "pytest -q", "", None, "granted_tool(/test_exec)"),
    ask("git_diff", "HEAD~1", "", None, "granted_tool(/git_diff)"),
    ask("git_commit", "", "add a thing", None, "granted_tool(/git_commit)"),
    ask("delete_file", "src/app.py", "", "coder"),
    ask("build", "make", "", None, "granted_tool(/build_check)"),
    ask("web_fetch", "https://example.org/", "", None, "granted_tool(/web_fetch)", 'allowed_host("example.org")'),
    ask("http_get", "https://api.example.org/", "", None, "granted_tool(/web_fetch)", 'allowed_host("example.org")'),
    ask("hypothesis_gen", "auth", "", None, "granted_tool(/hypothesis_gen)"),
    ask("schema_apply", "pnl", "CREATE TABLE pnl (id int)", "coder"),
    ask("spend", "tool", "5", None, "granted_tool(/spend)", "spend_limit(500)"),
    ask("web_fetch", "https://example.org/", "", None, TIER, 'grant(/net, "example.org")'),
    ask("file_write", "out.json", "{}", None, TIER, 'grant(/fs, "*")'),
    ask("file_write", "out.json", "{}", None, "tier(/builtin)"),
    ask("git_push", "origin main", "", None, "granted_tool(/git_push)", "approved"),
]


def deny(action: str, target: str, payload: str = "", who: str | None = None, *told: str) -> Question:
    return replace(ask(action, target, payload, who, *told), decision="deny")


def wait(action: str, target: str, payload: str = "", who: str | None = None, *told: str) -> Question:
    return replace(ask(action, target, payload, who, *told), decision="approval")


DENIALS = [
    deny("search_code", "../x"),
    deny("file_read", "deploy/prod.pem"),
    deny("file_read", ".env"),
    deny("git_push", "origin", '{"remote": "ext::sh", "ref": "main"}'),
    deny("web_search", "x", '{"url": "http://127.0.0.1/"}'),
    deny("web_search", "x", '{"url": "http://10.0.0.1/"}'),
    deny("shell_exec", "ls", "", "researcher", "granted_tool(/file_read)"),
    deny("file_read", ".mayfly/key"),
    deny("delete_file", "src/a.py", "", "tester"),
    deny("git_commit", "", "", "coder"),
    deny("schema_apply", "x", "dRoP/**/TABLE users"),
    deny("file_write", "src/a.py", "x", "tester"),
    deny("file_write", "node_modules/x.js", "x", "coder"),
    deny("file_write", "src/a.py", "x", None, TIER),
    deny("spend", "tool", "a lot"),
    deny("schema_apply", "x", "DROP TABLE users"),
    deny("an_action_of_no_name", "x"),
]
WAITS = [
    wait("git_push", "origin main", "", "coder"),
    wait("run_arbitrary_command", "rm -rf /", "", "coder"),
    wait("file_write", ".git/hooks/x", "x"),
    wait("file_write", ".github/workflows/ci.yml", "x", "coder"),
    wait("delete_file", ".", "", "coder"),
    wait("web_search", "x", '{"url": "https://example.org/"}'),
    wait("file_read", ".git/config"),
    wait("package_install", "left-pad"),
    wait("spend", "tool", "5", None, "spend_limit(100)"),
    wait("spend", "tool", "5"),
    wait("file_write", "uv.lock", "x", "coder"),
    wait("system_modify", "sudo reboot", "", "coder"),
]


@cache
def rulebook() -> Rulebook:
    return Rulebook()


class Told:
    """A question with its decision and the facts it was made of, put again with other facts."""

    def __init__(self, question: Question, place: Path) -> None:
        said = [fact for fact in question.told if not fact.startswith("approved")]
        (place / "work").mkdir()
        with Ledger.open(Settings(state_dir=str(place / "state"))) as ledger:
            policies = policies_of(question.persona)
            # One tool and no other of its class, so that taking it away is noticed.
            given = any(fact.startswith("granted_tool") for fact in said)
            said += [f"granted_tool(/{question.action})"] if policies and not given else []
            kernel = Kernel(
                rulebook().snapshot,
                workspace=place / "work",
                persona=question.persona,
                policies=policies,
                session=said,
                ledger=ledger,
            )
            self.permit: Permit = kernel.permitted(question.action, question.target, question.payload)
            (recorded,) = recordings(ledger)
        self.recording: Recording = recorded
        self.facts: list[Fact] = list(recorded.facts)
        self.asked = next(row for symbol, row in self.facts if symbol == PENDING)
        if any(fact.startswith("approved") for fact in question.told):
            approved = (*self.asked[1:4], 1)
            self.facts.append((Symbol("approved", 4), approved))

    def decision(self, *, without: Fact | None = None, plus: Iterable[Fact] = ()) -> str:
        """Return what is decided when a fact is left out, told or of the rules, or others are told as well."""
        rows = self._model(without, plus).rows(DECISION)
        return " ".join(sorted(str(row[1]).removeprefix("/") for row in rows))

    def holds(self, fact: Fact, *, without: Fact) -> bool:
        """Tell whether a fact holds when another is left out."""
        return self._model(without).holds(*fact)

    def _model(self, without: Fact | None = None, plus: Iterable[Fact] = ()) -> Model:
        facts = [*(fact for fact in self.facts if fact != without), *plus]
        program = _program(without) if without is not None and without not in self.facts else _program()
        return program.evaluate(facts, externals=_nothing(program))

    def reasons(self) -> list[Why]:
        """Return the derivations of what decided, of the permission also where an approval was told."""
        model, row = self._model(), self.asked[1:4]
        return [why(model, PERMITTED, row)] if model.holds(PERMITTED, row) else list(self.permit.explain_why(5))


@cache
def _program(without: Fact | None = None) -> Program:
    program = rulebook().snapshot.program()
    if without is None:
        return program
    kept = tuple(given for given in program.checked.given if (given.symbol, given.row) != tuple(without))
    assert len(kept) == len(program.checked.given) - 1
    return compile_program(replace(program.checked, given=kept))


def _nothing(program: Program) -> dict[Symbol, External]:
    return {symbol: lambda bound: () for symbol, known in program.checked.declared.items() if known.external}


def _example(atom: Atom) -> Row:
    """Return a row that an atom matches."""
    return tuple(term.value if isinstance(term, Constant) else _any() for term in atom.arguments)


def _plain(fact: Leaf) -> Fact:
    return fact.symbol, fact.row


def _any() -> Value:
    return Name("/any")


def _steps(step: DerivationStep) -> list[DerivationStep]:
    return [step, *(below for premise in step.premises for below in _steps(premise))]


@pytest.mark.parametrize("question", [*PERMITS, *DENIALS, *WAITS], ids=str)
def test_every_premise_is_printed_with_its_source(question: Question, tmp_path: Path) -> None:
    told = Told(question, tmp_path)
    for reason in told.reasons():
        text, found = to_text(reason), leaves(reason)
        for step in _steps(reason.root):
            if step.fact is not None:
                assert step.because in ("told", "external") or step.place is not None
        sources = {show_row(*step.fact) for step in _steps(reason.root) if step.fact is not None}
        assert {show_row(*fact) for fact in found.facts} <= sources
        assert all(fact.symbol.name in text for fact in found.facts)
        assert all(f"no fact matches {absent.predicate}(" in text for absent in found.absences)
        assert to_json(reason)


@pytest.mark.parametrize("question", PERMITS, ids=str)
def test_a_permission_ends_without_any_of_its_facts(question: Question, tmp_path: Path) -> None:
    told = Told(question, tmp_path)
    assert told.decision() == "permit"
    (reason,) = told.reasons()
    kept = [show_row(*fact) for fact in leaves(reason).facts if told.decision(without=_plain(fact)) == "permit"]
    assert kept == []


@pytest.mark.parametrize("question", PERMITS, ids=str)
def test_a_permission_ends_with_anything_that_must_be_absent(question: Question, tmp_path: Path) -> None:
    told = Told(question, tmp_path)
    (reason,) = told.reasons()
    absences = leaves(reason).absences
    assert absences
    kept = [atom for atom in absences if told.decision(plus=[(atom.symbol, _example(atom))]) == "permit"]
    assert kept == []


@pytest.mark.parametrize("question", [*DENIALS, *WAITS], ids=str)
def test_a_reason_ends_without_any_of_its_facts(question: Question, tmp_path: Path) -> None:
    told = Told(question, tmp_path)
    assert told.permit.decision == told.decision() == question.decision
    (reason,) = told.reasons()
    assert reason.root.fact is not None
    named = [fact for fact in leaves(reason).facts if fact.symbol.name not in ASKED]
    kept = [fact for fact in named if told.holds(reason.root.fact, without=_plain(fact))]
    assert kept == []


@pytest.mark.parametrize("question", [*DENIALS, *WAITS], ids=str)
def test_the_decision_changes_with_what_it_rests_on(question: Question, tmp_path: Path) -> None:
    told = Told(question, tmp_path)
    (reason,) = told.reasons()
    facts, absences = leaves(reason)
    named = [_plain(fact) for fact in facts if fact.symbol.name not in ASKED]
    without = [told.decision(without=fact) for fact in named]
    within = [told.decision(plus=[(atom.symbol, _example(atom))]) for atom in absences]
    assert any(decision not in ("", question.decision) for decision in (*without, *within))


@pytest.mark.parametrize("question", [*DENIALS, *WAITS], ids=str)
def test_what_would_help_does(question: Question, tmp_path: Path) -> None:
    told = Told(question, tmp_path)
    missing = told.permit.why_not()
    assert missing is not None
    assert not missing.holds
    assert len(told.permit.remedies()) == len(missing.repairs)
    assert all(repair.changes for repair in missing.repairs)
    for repair in missing.repairs:
        added = [_plain(change.fact) for change in repair.changes]
        assert all(change.kind == "add" for change in repair.changes)
        assert told.decision(plus=added) == "permit"


@pytest.mark.parametrize("question", WAITS, ids=str)
def test_a_person_who_approves_helps_whatever_waits(question: Question, tmp_path: Path) -> None:
    assert "a person approves exactly this action" in Told(question, tmp_path).permit.remedies()


@pytest.mark.parametrize("question", DENIALS, ids=str)
def test_a_refusal_is_shown_as_itself(question: Question, tmp_path: Path) -> None:
    permit = Told(question, tmp_path).permit
    (tree,) = permit.trees()
    first = to_text(tree).splitlines()[0]
    assert first.startswith("refused(")
    assert permit.because[0][:20] in first
    assert ".mg:" in first


def test_each_of_several_refusals_is_shown_and_not_too_many(tmp_path: Path) -> None:
    paths = [".env", "/etc/passwd", "/tmp/x", "../y", "a.pem", "~root/z", "/usr/bin/x"]
    permit = Told(deny("file_write", "x.md", json.dumps({"paths": paths})), tmp_path).permit
    assert len(permit.because) > len(permit.trees()) == 5


def test_what_waits_is_shown_with_what_is_missing(tmp_path: Path) -> None:
    reason, missing = Told(WAITS[0], tmp_path).permit.trees()
    assert to_text(reason).startswith("needs_approval(")
    assert "would hold if" in to_text(missing)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (wait("web_fetch", "https://example.org/"), "example.org is put on the list of hosts"),
        (deny("file_write", "out.json", "{}", None, TIER), "the artifact is granted fs"),
    ],
    ids=str,
)
def test_what_would_help_is_said_in_words(question: Question, words: str, tmp_path: Path) -> None:
    assert words in Told(question, tmp_path).permit.remedies()


def test_no_wider_host_is_suggested_than_the_one_that_was_asked_for(tmp_path: Path) -> None:
    said = Told(wait("web_fetch", "https://a.example.org/"), tmp_path).permit.remedies()
    assert [line for line in said if "list of hosts" in line] == ["a.example.org is put on the list of hosts"]


def test_the_examples_are_many_enough() -> None:
    assert min(len(PERMITS), len(DENIALS)) >= 15
    assert len(WAITS) >= 10
