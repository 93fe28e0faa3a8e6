"""The judge with a model: what it is asked, how its opinion counts, and what happens when it gives none."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from gates.stability.test_stability import NGINX
from mayfly.gates._syntax import check_syntax
from mayfly.gates.judge import _taste
from mayfly.gates.judge._criteria import Criteria
from mayfly.gates.judge._judge import Judge, Judgement
from mayfly.gates.judge._model import HasValue, Opinion

from .test_judge import AWS, DOCUMENTED, RANDOM

UGLY = "def doIt(l, q):\n    list = l\n    max = q\n    return 1\n    return 2\n"


@dataclass(frozen=True)
class Said:
    value: object


@dataclass(kw_only=True)
class Model:
    """Answer what it was made with, and remember what it was asked."""

    answer: object
    prompts: list[str] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)

    def ask(self, purpose: Literal["judge"], prompt: str, *, system: str, schema: type[Opinion]) -> HasValue:
        assert (purpose, schema) == ("judge", Opinion)
        self.prompts.append(prompt)
        self.systems.append(system)
        if isinstance(self.answer, Exception):
            raise self.answer
        return Said(self.answer)


class Unreadable(Exception):
    """What a model library raises when an answer does not have the form that was asked for."""

    def __init__(self, text: str) -> None:
        super().__init__("the answer has another form")
        self.text = text


class Silent(Model):
    """A model that has no answers for this purpose."""

    def serves(self, purpose: str) -> bool:
        return purpose != "judge"


@pytest.fixture(autouse=True)
def _without_ruff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_taste, "ruff_findings", lambda text: ())


def judge(source: str, model: Model, *, intent: str = "parse logs") -> Judgement:
    parsed = check_syntax(source)
    assert parsed.tree is not None
    return Judge(Criteria.load(), model).judge(parsed.tree, parsed.text, intent=intent, grants=())


def opinion(decision: Literal["accept", "revise", "reject"], *reasons: str) -> Opinion:
    return Opinion(decision=decision, scores={"tasteful": 0.9, "ethical": 1.0, "joyful": 0.8}, reasons=list(reasons))


def test_a_model_that_accepts_accepts() -> None:
    found = judge(NGINX, Model(answer=opinion("accept")))
    assert (found.decision, found.verdicts) == ("accept", ())
    assert 0.9 < found.score < 1


def test_a_model_that_rejects_rejects_with_its_reason() -> None:
    found = judge(NGINX, Model(answer=opinion("reject", "it is cruel")))
    assert found.decision == "reject"
    assert [(v.gate, v.code, v.decision, v.message) for v in found.verdicts] == [
        ("judge", "MODEL", "reject", "judge: it is cruel")
    ]


def test_a_model_may_send_back() -> None:
    found = judge(NGINX, Model(answer=opinion("revise", "say what parse returns", "name the pattern")))
    assert found.decision == "revise"
    assert found.verdicts[0].message == "judge: say what parse returns; name the pattern"


def test_a_model_may_find_beautiful_what_the_rules_do_not() -> None:
    assert judge(UGLY, Model(answer=opinion("accept"))).decision == "accept"


def test_reasons_of_the_rules_are_kept_when_the_model_sends_back() -> None:
    found = judge(UGLY, Model(answer=opinion("revise", "meh")))
    assert {verdict.code for verdict in found.verdicts} == {"MODEL", "TASTEFUL"}


def test_no_model_can_allow_a_secret() -> None:
    model = Model(answer=opinion("accept"))
    found = judge(f"{DOCUMENTED}KEY = '{AWS}'\n", model)
    assert found.decision == "reject"
    assert model.prompts == [], "a secret is not sent to a model either"


def test_no_model_can_wave_a_likely_harm_through() -> None:
    found = judge(f"{DOCUMENTED}KEY = '{RANDOM}'\n", Model(answer=opinion("accept")))
    assert [(verdict.decision, verdict.code) for verdict in found.verdicts] == [("revise", "ETHICAL")]


def test_the_source_is_shown_as_data_behind_a_fence() -> None:
    model = Model(answer=opinion("accept"))
    judge(NGINX, model)
    fence = model.prompts[0].splitlines()[0].removesuffix("-task")
    assert model.prompts[0].count(f"\n{fence}\n") == 2
    assert fence in model.systems[0]
    assert "is data" in model.systems[0]
    assert NGINX not in model.systems[0]
    assert "parse logs" in model.prompts[0]


def test_the_fence_follows_from_the_text_so_that_the_same_question_is_asked_alike() -> None:
    model = Model(answer=opinion("accept"))
    judge(NGINX, model)
    judge(NGINX, model)
    judge(f"{NGINX}\n", model)
    fences = [prompt.splitlines()[0] for prompt in model.prompts]
    assert fences[0] == fences[1] != fences[2]


def test_the_criteria_are_in_the_question() -> None:
    model = Model(answer=opinion("accept"))
    judge(NGINX, model)
    assert "- ethical: Does it respect privacy and safety?" in model.systems[0]


@pytest.mark.parametrize(
    "problem", [RuntimeError("no route"), TimeoutError(), ValueError("bad"), Unreadable("no idea")]
)
def test_a_model_that_fails_leaves_the_rules_in_charge(problem: Exception) -> None:
    found = judge(NGINX, Model(answer=problem))
    assert found.decision == "accept"
    (note,) = found.verdicts
    assert (note.decision, note.code) == ("accept", "MODEL_UNAVAILABLE")
    assert note.message.startswith("judged without the model: ")


def test_a_judgement_without_the_model_is_not_remembered() -> None:
    model = Model(answer=RuntimeError("busy"))
    parsed = check_syntax(NGINX)
    assert parsed.tree
    judge_ = Judge(Criteria.load(), model)
    judge_.judge(parsed.tree, parsed.text)
    model.answer = opinion("reject", "no")
    assert judge_.judge(parsed.tree, parsed.text).decision == "reject"


def test_the_model_is_asked_once_for_a_source() -> None:
    model = Model(answer=opinion("accept"))
    parsed = check_syntax(NGINX)
    assert parsed.tree
    judge_ = Judge(Criteria.load(), model)
    for _ in range(3):
        judge_.judge(parsed.tree, parsed.text)
    assert len(model.prompts) == 1


def test_a_model_without_answers_for_judging_is_not_asked() -> None:
    model = Silent(answer=opinion("reject", "never asked"))
    assert judge(NGINX, model).verdicts == ()


@pytest.mark.parametrize(
    ("answer", "decision", "reason"),
    [
        (Opinion(decision="reject", reason="ugly"), "reject", "ugly"),
        ({"decision": "reject", "reason": "ugly"}, "reject", "ugly"),
        ({"verdict": "REVISE", "reasons": ["a", "b"]}, "revise", "a; b"),
        ({"accepted": False, "reason": "ugly"}, "reject", "ugly"),
        ('{"decision": "rejected", "reasoning": "ugly"}', "reject", "ugly"),
        ("I would reject this: it is ugly.", "reject", "it is ugly"),
        (Unreadable('Here: {"judgment": "reject", "reasons": "ugly"} Bye.'), "reject", "ugly"),
        (Unreadable("reject"), "reject", "reject"),
    ],
)
def test_an_answer_of_another_shape_is_understood(answer: object, decision: str, reason: str) -> None:
    found = judge(NGINX, Model(answer=answer))
    assert found.decision == decision
    assert reason in found.verdicts[0].message


@pytest.mark.parametrize("answer", [None, 42, "", "accept or reject?", {"decision": "maybe"}, [], Unreadable("{]")])
def test_an_answer_without_a_decision_is_no_opinion(answer: object) -> None:
    assert judge(NGINX, Model(answer=answer)).verdicts[0].code == "MODEL_UNAVAILABLE"


def test_scores_outside_of_their_range_are_cut() -> None:
    wild = Opinion(decision="accept", scores={"tasteful": 900.0, "ethical": -5.0, "unasked": 3.0})
    assert 0 <= judge(NGINX, Model(answer=wild)).score <= 1
