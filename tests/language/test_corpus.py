import pytest

from mayfly.language import Request, verb_forms

from .helpers import changing, corpus, differs, lexicon, request, table

CASES = corpus()
PHENOMENA = list(dict.fromkeys(phenomenon for phenomenon, _, _ in CASES))
TEMPLATES = table("templates")
PAST = {"write": "written"}


def _forms(verb: str) -> tuple[str, str, str, str]:
    """Return base, third person, participle and gerund."""
    forms = {form: text for text, form in reversed(verb_forms(verb).items())}
    return verb, forms["third"], PAST.get(verb, forms["past"]), forms["gerund"]


CHANGING = [*map(_forms, str(TEMPLATES["changing"]).split()), *TEMPLATES["phrases"]]


def _fill(sentence: str, forms: tuple[str, str, str, str]) -> str:
    base, third, past, gerund = forms
    text = sentence.format(b=base, t=third, p=past, g=gerund)
    return text[0].upper() + text[1:]


def _changes(got: Request) -> bool:
    return any(found.kind == "command" and found.verb in changing() for found in got.clauses)


@pytest.mark.parametrize("phenomenon", PHENOMENA)
def test_requests_are_read_as_they_were_meant(phenomenon: str) -> None:
    found = [differs(text, expected) for name, text, expected in CASES if name == phenomenon]
    wrong = [told for told in found if told]
    assert not wrong, "\n".join(wrong)


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(CASES) > 750
    assert len({text for _, text, _ in CASES}) == len(CASES)


@pytest.mark.first(60)
@pytest.mark.parametrize("sentence", TEMPLATES["spoken_of"])
def test_a_verb_that_is_only_spoken_of_changes_nothing(sentence: str) -> None:
    texts = [_fill(sentence, forms) for forms in CHANGING]
    assert [text for text in texts if _changes(request(text))] == []


@pytest.mark.parametrize("text", TEMPLATES["pasted"])
def test_what_was_pasted_is_never_obeyed(text: str) -> None:
    wrong = []
    for base, third, past, gerund in CHANGING:
        found = request(text.format(b=base, t=third, p=past, g=gerund)).commands
        wrong += [base for one in found if one.text.lower().startswith((base, f"please {base}"))]
    assert wrong == []


@pytest.mark.first(40)
@pytest.mark.parametrize("sentence", TEMPLATES["asked"])
def test_every_verb_is_read_in_every_position(sentence: str) -> None:
    texts = {_fill(sentence, _forms(verb)): verb for verb in str(TEMPLATES["verbs"]).split()}
    read = {text: [(found.kind, found.verb) for found in request(text).routed] for text in texts}
    # A part of a file that goes is a change of the file.
    parted = {("command", "change")} if ".py" in sentence else set()
    wrong = {text: read[text] for text, verb in texts.items() if read[text] != [("command", verb)]}
    removing = {text for text, verb in texts.items() if verb in ("remove", "delete") and set(read[text]) == parted}
    assert wrong.keys() - removing == set()


def test_every_verb_of_the_rules_is_known_by_its_name() -> None:
    verbs = sorted(verb for verb in lexicon().verbs if "_" not in verb)
    read = {verb: [(one.verb, one.target, one.kind) for one in request(f"{verb} the x").routed] for verb in verbs}
    assert {verb: found for verb, found in read.items() if found != [(verb, "x", "command")]} == {}
