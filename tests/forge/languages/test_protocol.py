"""The same program in Python and in another language gives the same facts, and answers the same."""

from __future__ import annotations

import pytest

from mayfly.core import parse_python
from mayfly.forge.languages import TypeScript
from mayfly.gates import find_entry
from mayfly.gates.proof import Program, ask
from mayfly.gates.stability import scan
from mayfly.sandbox import EPHEMERAL_IMPORTS, Sandbox

PAIRS = {
    "plain": (
        "def run(a: int) -> int:\n    return a + 1\n",
        "export function run(a: number): number {\n  return a + 1;\n}\n",
    ),
    "chain": (
        "def run(a: int) -> int:\n    if a > 3:\n        return 1\n    elif a > 2 and a < 9:\n        return 2\n"
        "    else:\n        return 3 if a else 4\n",
        "export function run(a: number): number {\n  if (a > 3) {\n    return 1;\n  } else if (a > 2 && a < 9) {\n"
        "    return 2;\n  } else {\n    return a ? 3 : 4;\n  }\n}\n",
    ),
    "loop": (
        "def run(a: int) -> int:\n    total = 0\n    for n in range(a):\n        if n % 2 or n > 5:\n"
        "            total += n\n    return total\n",
        "export function run(a: number): number {\n  let total = 0;\n  for (let n = 0; n < a; n += 1) {\n"
        "    if (n % 2 || n > 5) {\n      total += n;\n    }\n  }\n  return total;\n}\n",
    ),
}


@pytest.mark.parametrize("name", list(PAIRS))
def test_j_42_the_same_program_has_the_same_facts_and_answers(name: str, typescript: TypeScript) -> None:
    source, other = PAIRS[name]
    tree = parse_python(source)
    found, inputs = scan(tree), [0, 3, 7]
    with Sandbox() as sandbox:
        program = Program(source=source, entry=find_entry(tree, ""), imports=EPHEMERAL_IMPORTS)
        answers = ask(sandbox, program, [{"input": one} for one in inputs])
    reading = typescript.read(other)
    assert not reading.syntax
    assert not reading.types
    facts = reading.facts
    assert sorted(one.complexity for one in facts.functions) == sorted(one.complexity for one in found.scopes)
    assert [one.arms for one in facts.choices] == [one.number for one in found.choices]
    assert [one.value for one in typescript.ask(reading, inputs)] == [one.value for one in answers]


def test_the_program_in_an_answer_is_found_in_either(typescript: TypeScript) -> None:
    answer = "Sure:\n```ts\nexport function run(a: number): number { return a; }\n```\nand a test\n```sh\nls\n```\n"
    assert typescript.code_in(answer) == "export function run(a: number): number { return a; }\n"
    assert typescript.code_in("I cannot do that.") is None
    assert typescript.code_in("```python\nprint(1)\n```") is None
