import pytest

from mayfly.language import Lexicon, read
from mayfly.mangle import Name, Row, Symbol
from mayfly.policy import lexicon_of

PERSONA = Symbol("verb_persona", 2)
FORM = Symbol("verb_form", 2)


def verbs(text: str, lexicon: Lexicon) -> list[str]:
    return [found.verb for found in read(text, lexicon).routed]


def knowing(verb: str) -> Lexicon:
    return Lexicon.of({"verb_persona": [(verb, "x")]})


@pytest.mark.parametrize("text", ["translate it", "Translating is done; translate it", "please try translating it"])
def test_a_verb_that_any_rule_claims_is_known_by_its_name(text: str) -> None:
    assert verbs(text, knowing("translate")) == ["translate"]


@pytest.mark.parametrize("text", ["The manual must be translated", "The manual needs translating"])
def test_its_regular_forms_are_known_too(text: str) -> None:
    assert verbs(text, knowing("translate")) == ["translate"]


@pytest.mark.parametrize(
    "text", ["roll back the release", "rollback the release", "roll-back the release", "roll the release back"]
)
def test_a_verb_of_two_words_is_known_however_it_is_written(text: str) -> None:
    (found,) = read(text, knowing("roll_back")).routed
    assert (found.verb, found.target) == ("roll_back", "release")


@pytest.mark.parametrize(("known", "said"), [("optimize", "optimise"), ("analyse", "analyze"), ("colour", "color")])
def test_both_spellings_are_known(known: str, said: str) -> None:
    assert verbs(f"{said} the table", knowing(known)) == [known]


def test_a_name_of_its_own_wins_over_a_synonym() -> None:
    forms = [("fix", "repair")]
    assert verbs("repair it", Lexicon.of({"verb_form": forms})) == ["fix"]
    assert verbs("repair it", Lexicon.of({"verb_form": forms, "verb_persona": [("repair", "x")]})) == ["repair"]


def test_two_verbs_that_share_a_word_are_told_apart_the_same_way_in_any_order() -> None:
    rows = [("mend", "repair"), ("fix", "repair")]
    assert verbs("repair it", Lexicon.of({"verb_form": rows})) == ["fix"]
    assert verbs("repair it", Lexicon.of({"verb_form": rows[::-1]})) == ["fix"]


def test_what_was_said_is_kept_beside_the_verb_it_means() -> None:
    (found,) = read("please speed up the export", Lexicon.of({"verb_form": [("optimize", "speed up")]})).routed
    assert (found.verb, found.said) == ("optimize", "speed up")


def test_facts_of_other_predicates_and_odd_values_are_passed_over() -> None:
    odd: list[tuple[Symbol, Row]] = [
        (Symbol("user_intent", 5), ("i", Name("/c"), Name("/boil"), "", Name("/none"))),
        (Symbol("verb_form", 3), (Name("/boil"), "boil", 1)),
        (FORM, (Name("/boil"), b"boil")),
        (FORM, (Name("/boil"), "")),
        (Symbol("verb_hint", 3), (Name("/boil"), "hot", "often")),
    ]
    assert verbs("boil the water", lexicon_of(odd[:4])) == []
    assert not read("hot", lexicon_of(odd)).routed


def test_without_any_fact_everything_is_asked_back() -> None:
    assert read("fix the bug", Lexicon.of({})).ask
    assert read("How do I fix it?", Lexicon.of({})).ask
