"""Code in answers: fences, prose, half-made answers."""

import pytest

from mayfly.forge._prompt import code_in, normalised, why_no_code

CODE = "class A:\n    def invoke(self, input: int) -> int:\n        return input\n"
SKETCH = f"print(A().invoke(1))  # a usage sketch, longer than the code itself {'x' * 200}"


@pytest.mark.parametrize(
    "answer",
    [
        f"```python\n{CODE}```",
        f"Here you are:\n\n```py\n{CODE}```\nHave fun!",
        f"~~~\n{CODE}~~~",
        f"```python\n{CODE}",
        f"Use it so:\n```sh\npip install x\n```\nand\n```python\n{CODE}```",
        f"```python\n{SKETCH}\n```\n```python\n{CODE}```",
        CODE,
        "\n\n" + CODE,
    ],
)
def test_the_program_is_taken_out_of_what_surrounds_it(answer: str) -> None:
    assert code_in(answer) == CODE


@pytest.mark.parametrize(
    "answer", ["", "I cannot do that.", "Sure! It is simple, import nothing.", "```json\n{}\n```", "12", "hello"]
)
def test_prose_is_no_program(answer: str) -> None:
    assert code_in(answer) is None


def test_broken_code_is_handed_on_so_that_the_gates_can_say_what_is_wrong() -> None:
    assert code_in("def f(:\n    return 1") == "def f(:\n    return 1\n"


def test_layout_and_comments_do_not_make_another_program() -> None:
    assert normalised("x = 1  # one\n") == normalised("x=1")
    assert normalised("x = 1") != normalised("x = 2")


def test_what_does_not_parse_is_compared_as_text() -> None:
    assert normalised("def f(:") == normalised("def f(:\n")


@pytest.mark.parametrize(
    ("answer", "truncated", "code"),
    [
        ("```python\ndef f(x):\n    return (x", True, "TRUNCATED"),
        ("```javascript\nconst f = x => x\n```", False, "OTHER_LANGUAGE"),
        ("I'm sorry, but I can't help with that.", False, "MODEL_REFUSED"),
        ("First you would sort the list.", False, "NO_CODE"),
        ("", False, "NO_CODE"),
    ],
)
def test_an_answer_without_a_program_is_named_as_what_it_is(answer: str, truncated: bool, code: str) -> None:
    assert why_no_code(answer, truncated=truncated)[0] == code
