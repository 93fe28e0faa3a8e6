"""From examples to ranked programs, with a question where rivals disagree and a reason where there are none."""

from __future__ import annotations

import keyword
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mayfly.core import Example, clipped, same
from mayfly.synthesis.examples._decisions import doubt
from mayfly.synthesis.examples._emit import CallShape, annotation, emit
from mayfly.synthesis.examples._search import FittingProgram
from mayfly.synthesis.examples._solve import solve
from mayfly.synthesis.examples._task import SearchTask, SearchTimeout, make_task, variations
from mayfly.synthesis.examples._tree import Expr, TreeScope, Value
from mayfly.synthesis.examples._trust import Trust, differing, weigh
from mayfly.synthesis.examples._words import IntentWords, describe

_PROBES = 12
_LEARNED = 6
# A yes or no says less than another output, and is cheaper to fit.
_LEARNED_TRUTHS = 12
_ROUNDS = 4
_ASKED_WITHIN = 2.5
# What failing on all further inputs costs: as much as a few steps more; twice as much changes nothing on any fold.
_FAILING = 2.0
_NEEDED = "more examples, or a model (--model), would help"


@dataclass(frozen=True, kw_only=True)
class SynthesizedProgram:
    """A program that fits all examples: its source, the name to call in it, and what it does in plain words."""

    source: str
    entry: str
    cost: float
    description: str
    expr: Expr = field(repr=False)

    def apply(self, input: object) -> object:
        """Compute the output by interpreting the program here; inputs outside what was learned raise ValueError."""
        try:
            return self.expr.value(TreeScope(plain(input)))
        except RecursionError:
            raise ValueError("the input is nested too deeply") from None


@dataclass(frozen=True, kw_only=True)
class SynthesisQuestion:
    """An input for which programs that fit all examples disagree, with their answers, the likeliest first."""

    input: object
    answers: tuple[object, ...]


@dataclass(frozen=True, kw_only=True)
class Synthesis:
    """What was found: programs, best first, whether the best may be believed, and what to ask or say otherwise."""

    programs: tuple[SynthesizedProgram, ...] = ()
    question: SynthesisQuestion | None = None
    reason: str = ""
    confident: bool = False
    trust: Trust | None = None


def synthesize(
    examples: Sequence[Example],
    *,
    intent: str = "",
    probes: Sequence[object] = (),
    name: str = "",
    parameters: Sequence[str] = (),
    seconds: float = 20.0,
    rivals: int = 8,
) -> Synthesis:
    """Write programs that give every example's output, ranked by how likely they are what was meant.

    *probes* are further inputs whose outputs are not known. With *parameters* the input is the list of positional
    arguments and the program is a function *name* with these parameters, otherwise a class with `invoke`. *seconds*
    are those of computing, so that what is found does not depend on what else the machine does.
    """
    pairs = [(plain(example.input), plain(example.output)) for example in examples]
    if problem := _problem(pairs) or _misfit(pairs, parameters):
        return Synthesis(reason=problem)
    inputs, wanted = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    known = _challenges(inputs, [plain(probe) for probe in probes])
    deadline = time.thread_time() + seconds
    try:
        task, candidates = _learn(inputs, wanted, known or variations(inputs), bool(known), deadline, rivals)
    except SearchTimeout:
        return Synthesis(reason=f"no program was found within {seconds:g} seconds; {_NEEDED}")
    except (ArithmeticError, RecursionError) as error:
        return Synthesis(reason=f"the examples hold something too large to work with ({error}); {_NEEDED}")
    if not candidates:
        return Synthesis(reason=_nothing(pairs))
    fair = candidates
    if all(isinstance(value, bool) for value in wanted):
        candidates, fair = _as_named(candidates, IntentWords(intent))
    usable = name.isidentifier() and not keyword.iskeyword(name)
    shape = _shape(inputs, name if usable else _named(name or intent, parameters), tuple(parameters))
    programs = tuple(_program(candidate, shape, pairs[0]) for candidate in candidates[:rivals])
    trust = weigh(task, fair)
    # A doubt takes a search of its own, so it is looked for where nothing else speaks against the program.
    if trust.confident():
        trust = replace(trust, doubt=doubt(candidates[0], inputs, wanted, task.inputs[task.count :], intent))
    confident = trust.confident()
    question = None if confident else _doubted(trust, candidates[0]) or _question(task, fair)
    return Synthesis(programs=programs, question=question, confident=confident, trust=trust)


def plain(value: object) -> Value:
    """Return a value as JSON would give it back: tuples become lists."""
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    return value


def _problem(pairs: Sequence[tuple[Value, Value]]) -> str:
    """Return what makes the examples useless, if anything does."""
    if not pairs:
        return "there are no examples; give at least one input with its output"
    for index, (given, output) in enumerate(pairs):
        for other, expected in pairs[:index]:
            if same(given, other) and not same(output, expected):
                return f"the examples contradict each other: {given!r} gives both {expected!r} and {output!r}"
    return ""


def _misfit(pairs: Sequence[tuple[Value, Value]], parameters: Sequence[str]) -> str:
    """Return which input does not have one value for every parameter, if any."""
    for given, _ in pairs if parameters else ():
        if not isinstance(given, list) or len(given) != len(parameters):
            return f"the input {given!r} has to be a list of {len(parameters)} values, one for each parameter"
    return ""


def _nothing(pairs: Sequence[tuple[Value, Value]]) -> str:
    given, output = pairs[0]
    kinds = f"{annotation([given])} to {annotation([output])}"
    return f"no program from {kinds} that was tried gives all {len(pairs)} outputs; {_NEEDED}"


def _challenges(inputs: Sequence[Value], probes: Sequence[Value]) -> list[Value]:
    """Return some of the probes, spread over all of them, without what the examples already say."""
    fresh: list[Value] = []
    for probe in probes[:2000]:
        if probe not in inputs and probe not in fresh:
            fresh.append(probe)
        if len(fresh) >= 200:
            break
    step = max(1, len(fresh) // _PROBES)
    return fresh[::step][:_PROBES]


def _learn(
    inputs: list[Value], wanted: list[Value], challenges: list[Value], probed: bool, deadline: float, rivals: int
) -> tuple[SearchTask, list[FittingProgram]]:
    """Solve for a few examples, and add those that the result gets wrong until all are right."""
    truths = all(isinstance(value, bool) for value in wanted)
    chosen = list(range(min(len(inputs), _LEARNED_TRUTHS if truths else _LEARNED)))
    for _ in range(_ROUNDS):
        rest = [index for index in range(len(inputs)) if index not in chosen]
        others = [inputs[index] for index in rest[:_PROBES]]
        task = make_task(
            [inputs[index] for index in chosen],
            [wanted[index] for index in chosen],
            [*others, *challenges],
            deadline=deadline,
            probed=probed,
        )
        candidates = [each for each in solve(task, rivals + 4) if _right(each, inputs, wanted, chosen)]
        fitting = [each for each in candidates if all(_gives(each, inputs[index], wanted[index]) for index in rest)]
        if fitting:
            return task, _ranked(task, fitting)
        if not candidates:
            break
        chosen.append(next(index for index in rest if not _gives(candidates[0], inputs[index], wanted[index])))
    return task, []


def _right(candidate: FittingProgram, inputs: list[Value], wanted: list[Value], chosen: list[int]) -> bool:
    return all(_gives(candidate, inputs[index], wanted[index]) for index in chosen)


def _gives(candidate: FittingProgram, given: Value, output: Value) -> bool:
    try:
        return same(candidate.expr.value(TreeScope(given)), output)
    except ValueError:
        return False


def _ranked(task: SearchTask, candidates: list[FittingProgram]) -> list[FittingProgram]:
    """Make dearer what fails on further inputs."""
    if not task.probed:
        return candidates
    adjusted: list[FittingProgram] = []
    for candidate in candidates:
        given = candidate.values[task.count :]
        failing = sum(value is None for value in given) / len(given)
        adjusted.append(candidate._replace(cost=candidate.cost + _FAILING * failing))
    return sorted(adjusted, key=lambda candidate: candidate.cost)


def _as_named(
    candidates: list[FittingProgram], meant: IntentWords
) -> tuple[list[FittingProgram], list[FittingProgram]]:
    """Return yes-or-no programs with those first whose words the intent has, and those of them that are rivals."""
    ranked = sorted(candidates, key=lambda candidate: meant.rank(candidate.expr))
    named = [candidate for candidate in ranked if meant.names(candidate.expr)]
    return ranked, named or ranked


def _doubted(trust: Trust, lead: FittingProgram) -> SynthesisQuestion | None:
    """Ask about the input on which an equally simple question gives the other answer, where that is the output."""
    found = trust.doubt
    if found is None or not found.asks:
        return None
    answer = lead.expr.value(TreeScope(found.input))
    return SynthesisQuestion(input=found.input, answers=(answer, not answer)) if isinstance(answer, bool) else None


def _question(task: SearchTask, candidates: Sequence[FittingProgram]) -> SynthesisQuestion | None:
    """Return the input on which the likeliest programs differ, with what each of them gives."""
    lead = candidates[0]
    for rival in candidates[1:]:
        index = differing(lead, rival, task.count)
        if index is not None and rival.cost - lead.cost <= _ASKED_WITHIN:
            answers: list[Value] = []
            for value in (candidate.values[index] for candidate in candidates):
                if value is not None and not any(same(value, other) for other in answers):
                    answers.append(value)
            return SynthesisQuestion(input=task.inputs[index], answers=tuple(answers))
    if not task.probed:
        return None
    failed = next((index for index in range(task.count, len(task.inputs)) if lead.values[index] is None), None)
    return None if failed is None else SynthesisQuestion(input=task.inputs[failed], answers=())


def _shape(inputs: list[Value], name: str, parameters: tuple[str, ...]) -> CallShape:
    if not parameters:
        return CallShape(name=name, given=annotation(inputs))
    columns = [[value[place] for value in inputs if isinstance(value, list)] for place in range(len(parameters))]
    return CallShape(
        name=name,
        given=annotation(inputs),
        parameters=parameters,
        types=tuple(annotation(column) for column in columns),
    )


def _named(intent: str, parameters: Sequence[str]) -> str:
    """Return a name made of the first words of the intent."""
    words = [
        word for word in re.findall(r"[A-Za-z][A-Za-z0-9]*", intent) if word.lower() not in ("the", "a", "an", "of")
    ][:4]
    if parameters:
        name = "_".join(word.lower() for word in words) or "transform"
    else:
        name = "".join(word[:1].upper() + word[1:].lower() for word in words) or "Transform"
    return name + "_" if keyword.iskeyword(name) else name


def _program(candidate: FittingProgram, shape: CallShape, example: tuple[Value, Value]) -> SynthesizedProgram:
    summary = describe(candidate.expr)
    shown = f"For example {_short(example[0])} gives {_short(example[1])}."
    source = emit(candidate.expr, shape, summary=summary, example=shown)
    return SynthesizedProgram(
        source=source, entry=shape.name, cost=round(candidate.cost, 3), description=summary, expr=candidate.expr
    )


def _short(value: Value) -> str:
    return clipped(repr(value), 80, mark="...")
