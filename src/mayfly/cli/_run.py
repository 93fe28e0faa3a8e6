"""`mayfly run`: an intent goes in; a proven answer comes out, or ground and the reason."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mayfly.cli._inputs import given_input, read_context, read_examples, read_ground
from mayfly.cli._output import AsJson, answer, command, note, to_json
from mayfly.cli._verdicts import proof_fields
from mayfly.core import Example, InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.cli._tree import TreeProgress
    from mayfly.core import Outcome
    from mayfly.runtime import Runtime

EXIT = {"HELP": 3, "QUESTION": 3, "UNKNOWN": 3, "MACHINE": 4, "INPUT": 2, "CONFLICT": 2}

InputOption = Annotated[
    str | None,
    typer.Option(
        "--input",
        help="What to work on: JSON for .json, a list for .jsonl, otherwise lines; - is stdin.",
        metavar="FILE",
    ),
]
ExamplesOption = Annotated[
    Path | None, typer.Option(help='A JSON list of {"input": …, "output": …}.', metavar="FILE.json")
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        help="openai:NAME, anthropic:NAME, ollama:NAME, http://HOST/v1#NAME, scripted:FILE or replay:FILE.", metavar="M"
    ),
]
ContextOption = Annotated[
    list[str] | None, typer.Option(help="What else is known; may be given more than once.", metavar="KEY=VALUE")
]


def run(
    intent: Annotated[str, typer.Argument(help="What to do, in words.", metavar="INTENT")],
    *,
    input: InputOption = None,
    examples: ExamplesOption = None,
    ground: Annotated[
        str | None, typer.Option(help="The value to give where nothing is proven.", metavar="JSON")
    ] = None,
    model: ModelOption = None,
    context: ContextOption = None,
    tier: Annotated[
        str, typer.Option(help="memo keeps what was proven; ephemeral keeps hashes only.", metavar="TIER")
    ] = "memo",
    accept_weak: Annotated[bool, typer.Option("--accept-weak", help="Run on a weak proof too.")] = False,
    record: Annotated[
        Path | None, typer.Option(help="Append every model request and answer to this file.", metavar="FILE")
    ] = None,
    hint: Annotated[list[str] | None, typer.Option(help="Something the writer should know.", metavar="TEXT")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the agent this needs, gate it, prove it, run it; print the answer alone on stdout."""
    from mayfly.cli._tree import TreeProgress
    from mayfly.runtime import Runtime

    if tier not in ("memo", "ephemeral"):
        raise InputError(f"--tier {tier}: a run is memo or ephemeral")
    if not intent.strip():
        raise InputError(
            "the intent is empty", fix='say what to do: mayfly run "count requests by status" --input FILE'
        )
    known = read_examples(examples)
    fallback = read_ground(ground)
    progress = TreeProgress(quiet=quiet)
    with given_input(input) as given, progress, Runtime(Settings.load(), observer=progress, brief=True) as runtime:
        options: dict[str, Any] = {
            "input": given.value,
            "lines": given.lines,
            "ground": fallback,
            "model": model,
            "context": read_context(context),
            "tier": tier,
            "accept_weak": accept_weak,
            "record": record,
            "hints": tuple(hint or ()),
        }
        outcome = _until_settled(runtime, intent, known, options, progress, ask=not (as_json or quiet))
        progress.close()
        show_outcome(outcome, as_json=as_json)
    if not outcome.resolved:
        raise typer.Exit(EXIT.get(outcome.code, 1))


def _until_settled(
    runtime: "Runtime",
    intent: str,
    known: list[Example],
    options: dict[str, Any],
    progress: "TreeProgress",
    *,
    ask: bool,
) -> "Outcome[Any]":
    """Run, and where rivals disagree and a person is there, ask and run again with the answer as an example."""
    while True:
        progress.question = None
        outcome = runtime.run(intent, examples=known, **options)
        asked = progress.question
        if outcome.resolved or asked is None or not ask or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return outcome
        said = _ask(asked[0], asked[1])
        if said is None:
            return outcome
        known = [*known, Example(input=asked[0], output=said)]


def _ask(input: object, answers: Sequence[object]) -> object:
    note(f"what should {one_line(to_json(input), limit=200)} give?")
    for number, choice in enumerate(answers, 1):
        note(f"  {number}  {one_line(to_json(choice), limit=200)}")
    sys.stderr.write("number, JSON or text (empty to stop): ")
    sys.stderr.flush()
    said = sys.stdin.readline().strip()
    if not said:
        return None
    if said.isdigit() and 1 <= int(said) <= len(answers):
        return answers[int(said) - 1]
    try:
        value: object = json.loads(said)
    except ValueError:
        return said
    return value


def show_outcome(outcome: "Outcome[Any]", *, as_json: bool) -> None:
    """Print the answer on stdout, and on stderr why it is only ground."""
    if as_json:
        _write_json(outcome)
        return
    if not outcome.resolved:
        note(f"mayfly: {outcome.status}: {one_line(outcome.reason)}")
        if outcome.question:
            note(f"mayfly: question: {one_line(outcome.question)}")
        if outcome.code == "HELP" and "help answer" not in outcome.reason:
            id = f"h-{outcome.id.removeprefix('r-')}"
            note(f'mayfly: to help: {command()} help answer {id} "…"')
    _write_value(outcome.value)


def _write_value(value: object) -> None:
    """Write JSON; a list with an item a line, however long it is."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        _write_list(value)
        sys.stdout.write("\n")
    else:
        answer(to_json(value))


def _write_list(items: Sequence[object]) -> None:
    texts = getattr(items, "texts", None)
    sys.stdout.write("[")
    for number, text in enumerate(texts() if texts else map(to_json, items)):
        sys.stdout.write(("," if number else "") + "\n" + text)
    sys.stdout.write("\n]" if len(items) else "]")


def _write_json(outcome: "Outcome[Any]") -> None:
    """Write one object; a value that is on disk is written without ever being in memory."""
    fields = to_json(outcome_fields(outcome))
    if isinstance(outcome.value, Sequence) and not isinstance(outcome.value, (str, list)):
        sys.stdout.write(fields[:-1] + ', "value": ')
        _write_list(outcome.value)
        sys.stdout.write("}\n")
    else:
        answer(fields[:-1] + f', "value": {to_json(outcome.value)}}}')


def outcome_fields(outcome: "Outcome[Any]") -> dict[str, object]:
    """Return everything about an outcome but its value."""
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "code": outcome.code,
        "id": outcome.id,
        "cached": outcome.cached,
        "model_calls": outcome.cost.model_calls,
        "question": outcome.question,
        "proof": proof_fields(outcome.proof),
        "source_hash": outcome.source_hash,
        "cost": {
            "seconds": round(outcome.cost.seconds, 6),
            "input_tokens": outcome.cost.input_tokens,
            "output_tokens": outcome.cost.output_tokens,
            "money": outcome.cost.money,
        },
    }
