"""Both languages behind one protocol: the same program gives the same facts, and answers the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from mayfly.forge.languages import Language, Python, TypeScript
from mayfly.gates import Profile, TypeGate
from mayfly.sandbox import Sandbox

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
def test_j_42_the_same_program_has_the_same_facts_and_answers(
    name: str, typescript: TypeScript, type_cache: Path
) -> None:
    python_source, typescript_source = PAIRS[name]
    with TypeGate(cache_dir=type_cache) as types, Sandbox() as sandbox:
        languages: list[tuple[Language, str]] = [
            (Python(types, sandbox, Profile()), python_source),
            (typescript, typescript_source),
        ]
        measured = []
        for language, source in languages:
            reading = language.read(source)
            assert not reading.syntax
            assert not reading.types
            answers = [answer.value for answer in language.ask(reading, [0, 3, 7])]
            complexity = sorted(one.complexity for one in reading.facts.functions)
            arms = [one.arms for one in reading.facts.choices]
            measured.append((complexity, arms, answers))
    assert measured[0] == measured[1]


def test_the_program_in_an_answer_is_found_in_either(typescript: TypeScript) -> None:
    answer = "Sure:\n```ts\nexport function run(a: number): number { return a; }\n```\nand a test\n```sh\nls\n```\n"
    assert typescript.code_in(answer) == "export function run(a: number): number { return a; }\n"
    assert typescript.code_in("I cannot do that.") is None
    assert typescript.code_in("```python\nprint(1)\n```") is None
