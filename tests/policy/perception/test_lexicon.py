import pytest

from mayfly.mangle import Name, Row, Symbol
from mayfly.policy.perception import Lexicon, perceive

PERSONA = Symbol("verb_persona", 2)
FORM = Symbol("verb_form", 2)


def of(*rows: tuple[Symbol, Row]) -> Lexicon:
    return Lexicon.of(rows)


def verbs(text: str, lexicon: Lexicon) -> list[str]:
    return [found.intent.verb for found in perceive(text, lexicon).intents]


TRANSLATOR = of((PERSONA, (Name("/translate"), Name("/translator"))))


@pytest.mark.parametrize("text", ["translate it", "Translating is done; translate it", "please try translating it"])
def test_a_verb_that_any_rule_claims_is_known_by_its_name(text: str) -> None:
    assert verbs(text, TRANSLATOR) == ["translate"]


@pytest.mark.parametrize("text", ["The manual must be translated", "The manual needs translating"])
def test_its_regular_forms_are_known_too(text: str) -> None:
    assert verbs(text, TRANSLATOR) == ["translate"]


@pytest.mark.parametrize("text", ["roll back the release", "rollback the release", "roll-back the release"])
def test_a_verb_of_two_words_is_known_however_it_is_written(text: str) -> None:
    assert verbs(text, of((PERSONA, (Name("/roll_back"), Name("/x"))))) == ["roll_back"]


def test_a_particle_may_stand_after_the_object() -> None:
    (found,) = perceive("roll the release back", of((PERSONA, (Name("/roll_back"), Name("/x"))))).intents
    assert found.intent.target == "release back" or found.intent.target == "release"


@pytest.mark.parametrize(("known", "said"), [("optimize", "optimise"), ("analyse", "analyze"), ("colour", "color")])
def test_both_spellings_are_known(known: str, said: str) -> None:
    assert verbs(f"{said} the table", of((PERSONA, (Name("/" + known), Name("/x"))))) == [known]


def test_a_name_of_its_own_wins_over_a_synonym() -> None:
    claimed = (FORM, (Name("/fix"), "repair"))
    assert verbs("repair it", of(claimed)) == ["fix"]
    assert verbs("repair it", of(claimed, (PERSONA, (Name("/repair"), Name("/x"))))) == ["repair"]


def test_two_verbs_that_share_a_word_are_told_apart_the_same_way_in_any_order() -> None:
    rows: list[tuple[Symbol, Row]] = [(FORM, (Name("/mend"), "repair")), (FORM, (Name("/fix"), "repair"))]
    assert verbs("repair it", Lexicon.of(rows)) == verbs("repair it", Lexicon.of(reversed(rows))) == ["fix"]


def test_facts_of_other_predicates_and_odd_values_are_passed_over() -> None:
    odd: list[tuple[Symbol, Row]] = [
        (Symbol("user_intent", 5), ("i", Name("/c"), Name("/boil"), "", Name("/none"))),
        (Symbol("verb_form", 3), (Name("/boil"), "boil", 1)),
        (FORM, (Name("/boil"), b"boil")),
        (FORM, (Name("/boil"), "")),
        (Symbol("verb_hint", 3), (Name("/boil"), "hot", "often")),
    ]
    assert verbs("boil the water", Lexicon.of(odd[:4])) == []
    assert not perceive("hot", Lexicon.of(odd)).intents


def test_without_any_fact_everything_is_asked_back() -> None:
    assert perceive("fix the bug", Lexicon.of(())).ask
    assert perceive("How do I fix it?", Lexicon.of(())).ask
