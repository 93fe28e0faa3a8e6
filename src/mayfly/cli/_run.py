"""`mayfly run`: an intent goes in; a proven answer comes out, or the fallback and the reason."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from mayfly.cli._inputs import (
    Inputs,
    checked_form,
    given_inputs,
    piped_input,
    read_context,
    read_contract,
    read_examples,
    read_ground,
    workspace_of,
    write_form,
)
from mayfly.cli._output import AsJson, answer, as_called, command, note, to_json
from mayfly.cli._progress import can_ask, choices_of, choose, exit_status, is_wrong_usage, show_choices
from mayfly.core import UNSET, Example, InputError, Settings, one_line
from mayfly.operations import outcome_fields

if TYPE_CHECKING:
    from mayfly.cli._tree_progress import TreeProgress
    from mayfly.core import Outcome
    from mayfly.runtime import Runtime

# Longer than any request: a page of text that was pasted in by mistake is not read word by word.
LONGEST_INTENT = 20_000
BAD_LINES = ("ask", "skip", "stop")

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


InputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        help="What to work on: JSON for .json, a list for .jsonl, otherwise lines; - is stdin. A pattern in quotes,"
        " such as 'logs/*.gz', is many files as one table. Given twice, for questions that join two inputs.",
        metavar="FILE",
    ),
]
ReadingOption = Annotated[
    str, typer.Option(help="How to read the request, in the words that `read as` showed.", metavar="TEXT")
]
BadLinesOption = Annotated[
    str,
    typer.Option(
        help="What to do about lines that are not understood: ask (if more than 1 in 100 is), skip or stop.",
        metavar="ask|skip|stop",
    ),
]
FormOption = Annotated[
    str | None,
    typer.Option("--as", help="The form of the answer; JSON if none is named.", metavar="json|csv|tsv|lines|table"),
]
GroundOption = Annotated[
    str | None, typer.Option(help="The fallback: the value to give where nothing is proven.", metavar="JSON")
]
TierOption = Annotated[
    str | None,
    typer.Option(
        help="memo, the default, keeps what was proven; ephemeral keeps hashes only; authored may hold grants, "
        "and is the default with --grant.",
        metavar="TIER",
    ),
]
GrantOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Open a door for the code that is written: fs:workspace (this directory, to be read), fs:workspace:rw, "
        "net:HOST[:PORT], buy[:HOST] (through the wallet), package. May be given more than once; the rules decide.",
        metavar="G",
    ),
]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option(help="The directory that fs:workspace opens; this one if none is named.", metavar="DIR"),
]
RUN_TIERS = ("ephemeral", "memo", "authored")
AcceptWeak = Annotated[bool, typer.Option("--accept-weak", help="Run on a weak proof too.")]
DemandOption = Annotated[str | None, typer.Option(help="Refuse a proof that leaves something open.", metavar="strong")]
ContractOption = Annotated[
    Path | None,
    typer.Option(help="What was agreed on, as `mayfly contract` printed it and you changed it.", metavar="FILE.json"),
]
JudgeOption = Annotated[str | None, typer.Option(help="Ask a model to judge, too.", metavar="model")]
RecordOption = Annotated[
    Path | None, typer.Option(help="Append every model request and answer to this file.", metavar="FILE")
]
HintOption = Annotated[list[str] | None, typer.Option(help="Something the writer should know.", metavar="TEXT")]
StrategyOption = Annotated[
    str | None, typer.Option(help="The strategy that what it buys and earns is counted for.", metavar="NAME")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show what the gates measured, too.")]


def run(
    command_context: typer.Context,
    intent: Annotated[str, typer.Argument(help="What to do, in words.", metavar="INTENT")],
    *,
    input: InputsOption = None,
    reading: ReadingOption = "",
    bad_lines: BadLinesOption = "ask",
    form: FormOption = None,
    examples: ExamplesOption = None,
    ground: GroundOption = None,
    model: ModelOption = None,
    context: ContextOption = None,
    tier: TierOption = None,
    grant: GrantOption = None,
    workspace: WorkspaceOption = None,
    accept_weak: AcceptWeak = False,
    demand: DemandOption = None,
    contract: ContractOption = None,
    judge: JudgeOption = None,
    record: RecordOption = None,
    hint: HintOption = None,
    strategy: StrategyOption = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write the agent this needs, gate it, prove it, run it; print the answer alone on stdout."""
    _check_options(intent, tier=tier or tier_for(grant), bad_lines=bad_lines, form=form, as_json=as_json)
    if reading and (examples or not input):
        wrong = "goes without --examples" if examples else "needs --input"
        raise InputError(f"--reading {wrong}: it says how to read a question about data")
    options: dict[str, Any] = {
        "examples": read_examples(examples),
        "reading": reading,
        "bad_lines": bad_lines,
        "ground": read_ground(ground),
        # A reading that was chosen leaves nothing for a model to decide.
        "model": "" if reading else model,
        "context": read_context(context),
        "tier": tier or tier_for(grant),
        "grants": tuple(sorted(set(grant or ()))),
        "accept_weak": accept_weak,
        "demand_strong": _demands_strong(demand, accept_weak=accept_weak),
        "contract": read_contract(contract),
        "record": record,
        "hints": tuple(hint or ()),
    }
    shown = RunShown(
        form=form or "json",
        as_json=as_json,
        quiet=quiet,
        verbose=verbose,
        workspace=workspace_of(workspace),
        typed=command_context.meta.get("mayfly.typed", ()),
        settings=_counted_for(_judged_by(Settings.load(), judge), strategy),
    )
    raise typer.Exit(exit_status(_run(intent, input or [], options, shown)))


def _judged_by(settings: Settings, judge: str | None) -> Settings:
    if judge not in (None, "model"):
        raise InputError(f"--judge {one_line(str(judge), limit=60)}: it is model, or left out")
    return settings if judge is None else replace(settings, forge=replace(settings.forge, judge="model"))


def _counted_for(settings: Settings, strategy: str | None) -> Settings:
    if strategy is not None:
        settings = replace(settings, market=replace(settings.market, strategy=strategy))
    if strategy or settings.market.strategy:
        from mayfly.store import check_strategy

        check_strategy(settings.market.strategy)
    return settings


def _demands_strong(demand: str | None, *, accept_weak: bool) -> bool:
    if demand not in (None, "strong", "tested"):
        raise InputError(f"--demand {one_line(str(demand), limit=60)}: it is strong or tested")
    if demand is not None and accept_weak:
        raise InputError("--demand and --accept-weak contradict each other: choose one")
    return demand == "strong"


def tier_for(grants: Sequence[str] | None) -> str:
    """Return the tier where none is named: the lowest that may hold what is granted."""
    return "authored" if grants else "memo"


class RunShown(NamedTuple):
    """How a run is shown, where it works, and what was typed to have it."""

    form: str
    as_json: bool
    quiet: bool
    verbose: bool
    workspace: Path | None
    typed: Sequence[str]
    settings: Settings


def _run(intent: str, inputs: Sequence[str], options: dict[str, Any], shown: RunShown) -> "Outcome[Any]":
    """Run, asking where a person is there to answer, and print what came of it."""
    from mayfly.cli._tree_progress import TreeProgress
    from mayfly.runtime import Runtime

    settings = shown.settings
    model = settings.models.name if options["model"] is None else options["model"]
    progress = TreeProgress(quiet=shown.quiet, verbose=shown.verbose)
    asking = not (shown.as_json or shown.quiet) and can_ask()
    with (
        _inputs(inputs, objects_as_lines=not model and not options["examples"]) as given,
        progress,
        Runtime(settings, observer=progress, brief=True, workspace=shown.workspace) as runtime,
    ):
        outcome = _until_settled(
            runtime,
            intent,
            {**options, **_input_options(given, examples=bool(options["examples"]))},
            progress,
            ask=asking,
        )
        progress.close()
        show_outcome(outcome, as_json=shown.as_json, form=shown.form, grants=options["grants"])
        if not (shown.as_json or shown.quiet or asking):
            show_choices(choices_of(outcome), shown.typed)
    return outcome


def _inputs(names: Sequence[str], *, objects_as_lines: bool) -> AbstractContextManager[Inputs]:
    """Read what was named as input; where nothing was, what was piped in."""
    return given_inputs(names, objects_as_lines=objects_as_lines) if names else piped_input()


def _check_options(intent: str, *, tier: str, bad_lines: str, form: str | None, as_json: bool) -> None:
    """Refuse what cannot be meant before anything is done."""
    if not intent.strip():
        raise InputError(
            "the intent is empty", fix='say what to do: mayfly run "count requests by status" --input FILE'
        )
    if len(intent) > LONGEST_INTENT:
        raise InputError(
            f"the intent is {len(intent):,} characters long; at most {LONGEST_INTENT:,} are read",
            fix="give data with --input FILE",
        )
    if tier not in RUN_TIERS:
        raise InputError(f"--tier {one_line(tier, limit=60)}: a run is one of {', '.join(RUN_TIERS)}")
    if bad_lines not in BAD_LINES:
        raise InputError(f"--bad-lines {one_line(bad_lines, limit=60)}: it is one of {', '.join(BAD_LINES)}")
    if checked_form(form or "json") != "json" and as_json:
        raise InputError(f"--json prints everything about the run and --as {form} the answer alone: choose one")


def _input_options(given: Inputs, *, examples: bool) -> dict[str, Any]:
    """Return the inputs as `Runtime.run` takes them."""
    first, second = given
    options = first.options()
    if second is None:
        return options
    if first.more or second.more:
        raise InputError("two inputs are joined, and each is one file: a pattern fits several", fix="name one file")
    if examples or not all(one.lines or isinstance(one.value, list) for one in given if one):
        raise InputError(
            "two inputs: this needs a question that joins them, and lines or records in both",
            fix="ask about one: --input FILE given once, or leave --examples out",
        )
    return {**options, "second": second.lines if second.value is UNSET else second.value}


def _until_settled(
    runtime: "Runtime",
    intent: str,
    options: dict[str, Any],
    progress: "TreeProgress",
    *,
    ask: bool,
) -> "Outcome[Any]":
    """Run; where something is open that a person can settle, and one is there, ask and run again with the answer."""
    while True:
        progress.question = None
        outcome = runtime.run(intent, **options)
        if outcome.resolved or not ask:
            return outcome
        progress.close()
        choices, asked = choices_of(outcome), progress.question
        if choices:
            chosen = choose(choices, reason=outcome.reason)
            if chosen is None:
                return outcome
            # What a person has chosen is not for a model to decide again.
            options = {**options, chosen.keyword: chosen.value, **({"model": ""} if outcome.readings else {})}
        elif asked is not None:
            said = _ask(asked[0], asked[1])
            if said is None:
                return outcome
            options = {**options, **_answered(options, asked, said)}
        else:
            return outcome


def _answered(options: dict[str, Any], asked: tuple[object, Sequence[object]], said: str) -> dict[str, Any]:
    """Return the options with what a person said of one input."""
    from mayfly.runtime import answer_in

    input, offered = asked
    if said.lower() in ("cannot occur", "never"):
        return {"never": [*options.get("never", ()), input]}
    answer = Example(input=input, output=answer_in(said, offered))
    return {"answers": [*options.get("answers", ()), answer]}


def _ask(input: object, answers: Sequence[object]) -> str | None:
    """Ask a person what one input should give; None where nothing is said."""
    note(f"what should {one_line(to_json(input), limit=200)} give?")
    for number, choice in enumerate(answers, 1):
        note(f"  {number}  {one_line(to_json(choice), limit=200)}")
    sys.stderr.write("number, yes, JSON or text, 'cannot occur' (empty to stop): ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() or None


def show_outcome(outcome: "Outcome[Any]", *, as_json: bool, form: str = "json", grants: Sequence[str] = ()) -> None:
    """Print the answer on stdout, and on stderr why it is only the fallback."""
    if as_json:
        _write_json(outcome, grants)
        return
    if outcome.candidate is not None and outcome.account is None and not outcome.resolved:
        note(f"candidate {one_line(to_json(outcome.candidate), limit=200)}: taken with --accept-weak")
    if not outcome.resolved:
        note(f"mayfly: {as_called(one_line(outcome.reason))}")
        if outcome.question and not choices_of(outcome):
            note(f"mayfly: question: {as_called(one_line(outcome.question))}")
        if outcome.code == "HELP" and "mayfly answer" not in outcome.reason:
            id = f"h-{outcome.id.removeprefix('r-')}"
            note(f'mayfly: to help: {command()} answer {id} "…"')
    if is_wrong_usage(outcome):
        # Nothing was done, so there is nothing that a fallback would stand for.
        return
    if form == "json":
        _write_value(outcome.value)
    else:
        write_form(outcome.value, form, reading=outcome.reading)


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


def _write_json(outcome: "Outcome[Any]", grants: Sequence[str]) -> None:
    """Write one object; a value that is on disk is written without ever being in memory."""
    fields = to_json({**outcome_fields(outcome), "grants": list(grants)})
    if isinstance(outcome.value, Sequence) and not isinstance(outcome.value, (str, list)):
        sys.stdout.write(fields[:-1] + ', "value": ')
        _write_list(outcome.value)
        sys.stdout.write("}\n")
    else:
        answer(fields[:-1] + f', "value": {to_json(outcome.value)}}}')
