import tomllib
from pathlib import Path

import pytest

from mayfly.policy.perception import Perceived
from mayfly.policy.perception._forms import inflections

from .helpers import changing, read

TABLE = tomllib.loads(Path(__file__).with_name("positions.toml").read_text(encoding="utf-8"))
IRREGULAR = {"find": "found", "understand": "understood"}


def _filled(sentence: str, base: str, third: str, past: str, gerund: str) -> str:
    text = sentence.format(b=base, t=third, p=past, g=gerund)
    return text[0].upper() + text[1:]


def _changes(got: Perceived) -> bool:
    return any(found.intent.category == "command" and found.intent.verb in changing() for found in got.intents)


@pytest.mark.parametrize("sentence", TABLE["harmless"])
def test_a_verb_that_is_only_spoken_of_changes_nothing(sentence: str) -> None:
    texts = [_filled(sentence, *forms) for forms in TABLE["changing"]]
    assert [text for text in texts if _changes(read(text))] == []


@pytest.mark.parametrize("text", TABLE["material"])
def test_what_stands_in_material_is_never_obeyed(text: str) -> None:
    wrong = []
    for base, third, past, gerund in TABLE["changing"]:
        found = read(text.format(b=base, t=third, p=past, g=gerund))
        orders = [perceived for perceived in found.intents if perceived.intent.category == "command"]
        if any(perceived.intent.text.lower().startswith((base, f"please {base}")) for perceived in orders):
            wrong.append(base)
    assert wrong == []


@pytest.mark.parametrize("sentence", TABLE["asked"])
def test_every_verb_is_read_in_every_position(sentence: str) -> None:
    wrong = []
    for verb in TABLE["verbs"].split():
        forms = {form: text for text, form in reversed(inflections(verb).items())}
        past = IRREGULAR.get(verb, forms["past"])
        text = _filled(sentence, verb, forms["third"], past, forms["gerund"])
        if [(found.intent.category, found.intent.verb) for found in read(text).intents] != [("command", verb)]:
            wrong.append(text)
    assert wrong == []
