"""The desk: rules, settings and ledger joined, asked from Python."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import InputError, PolicySettings, Settings
from mayfly.persona import Desk
from mayfly.store import Ledger

VERBS = {
    "coder": "fix implement refactor create modify add update generate change edit patch remove delete",
    "tester": "test cover verify validate",
    "reviewer": "review audit check analyze inspect",
    "researcher": "research learn document understand explore find",
}
TRANSLATOR = "persona(/translator) :- user_intent(_, _, /translate, _, _).\n"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    place = tmp_path_factory.mktemp("desk")
    return Desk(Settings(state_dir=str(place / "state")), ledger=None, workspace=place)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=str(tmp_path / "state"))


@pytest.fixture
def ledger(settings: Settings) -> Iterator[Ledger]:
    with Ledger.open(settings) as ledger:
        yield ledger


@pytest.mark.parametrize(("persona", "verb"), [(who, verb) for who, verbs in VERBS.items() for verb in verbs.split()])
def test_every_verb_of_the_table_has_its_persona(plain: Desk, persona: str, verb: str) -> None:
    assert plain.understand(f"{verb} x").route.personas == (persona,)


def test_a_persona_acts_under_its_policies(plain: Desk) -> None:
    assert plain.kernel(persona="reviewer").permitted("file_write", "a.md").decision == "deny"
    assert plain.kernel(persona="coder").permitted("file_write", "a.md").decision == "permit"


def test_settings_say_which_hosts_and_how_much(settings: Settings, tmp_path: Path) -> None:
    free = replace(settings, policy=PolicySettings(hosts="api.example.com, docs.example.com", spend_limit=100))
    desk = Desk(free, ledger=None, workspace=tmp_path)
    assert desk.kernel().permitted("web_fetch", "https://docs.example.com/x").allowed
    assert not desk.kernel().permitted("web_fetch", "https://example.org/x").allowed
    assert desk.kernel().permitted("spend", "a tool", {"amount": "0.50"}).allowed
    assert desk.kernel().permitted("spend", "a tool", {"amount": "1.50"}).decision == "approval"


def test_a_host_in_the_settings_that_is_none_is_refused_at_once(settings: Settings, tmp_path: Path) -> None:
    odd = replace(settings, policy=PolicySettings(hosts='x"), grant(/exec, "'))
    with pytest.raises(InputError, match=r"policy\.hosts"):
        Desk(odd, ledger=None, workspace=tmp_path).kernel()


def test_a_rule_dropped_in_while_it_runs_counts_for_the_next_turn(settings: Settings, tmp_path: Path) -> None:
    desk = Desk(settings, ledger=None, workspace=tmp_path / "work")
    running = desk.kernel()
    rules = settings.state / "rules"
    rules.mkdir(parents=True)
    (rules / "translator.mg").write_text(TRANSLATOR)
    desk.rulebook.reload()
    facts = ['user_intent("i1", /command, /translate, "README", /none)']
    assert running.route(facts).personas == ("coder",)
    assert desk.kernel().route(facts).personas == ("translator",)
    assert [found.verb for found in desk.understand("Please translate it").request.routed] == ["translate"]


def test_a_broken_edit_leaves_the_last_good_rules_in_force(settings: Settings, tmp_path: Path) -> None:
    rules = settings.state / "rules"
    rules.mkdir(parents=True)
    (rules / "translator.mg").write_text(TRANSLATOR)
    desk = Desk(settings, ledger=None, workspace=tmp_path / "work")
    (rules / "translator.mg").write_text("persona(/translator :- ")
    told = desk.rulebook.reload()
    assert "last good version stays in force" in str(told.problems[0])
    assert desk.understand("Translate the README").route.personas == ("translator",)


def test_what_a_model_proposes_is_sifted(settings: Settings, ledger: Ledger, tmp_path: Path) -> None:
    desk = Desk(settings, ledger=ledger, workspace=tmp_path)
    told = desk.propose(['permitted(/shell_exec, "x", "")', 'approved(/git_push, "origin", "", 1)'], subject="t-1")
    assert told.accepted == ()
    assert [event.kind for event in ledger.read(kind="policy.fact_refused")] == ["policy.fact_refused"] * 2


def test_a_goal_without_any_question_recorded_is_answered_from_the_rules_alone(plain: Desk) -> None:
    (tree,) = plain.explain("verb_persona(/fix, /coder)")
    assert "routing.mg" in str(tree)


def test_of_names_the_question_whose_facts_count(settings: Settings, ledger: Ledger, tmp_path: Path) -> None:
    desk = Desk(settings, ledger=ledger, workspace=tmp_path)
    first = desk.understand("Fix it").route.id
    desk.understand("Review it")
    assert "/coder" in str(desk.explain("persona", of=first)[0])
    assert "/reviewer" in str(desk.explain("persona")[0])
    with pytest.raises(InputError, match="nothing is recorded"):
        desk.explain("persona", of="t-0")
