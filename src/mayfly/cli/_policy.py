"""`mayfly policy`: evaluate, check, test and try out rules written in Mangle."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._desk import desk, print_tree
from mayfly.cli._output import AsJson, answer, answer_json, answer_table, busy, group, note
from mayfly.core import InputError, Settings, one_line

if TYPE_CHECKING:
    from mayfly.mangle import MangleError, Model

MOST_TEXT = 256 * 1024 * 1024

app = group("Evaluate, check, test and try out rules.")

Files = Annotated[list[Path], typer.Argument(help="Rule files, read as one program.", metavar="FILE.mg...")]
Facts = Annotated[
    list[Path] | None, typer.Option("--facts", help="A file with further facts. May be repeated.", metavar="FILE.mg")
]


@app.command(name="eval")
def evaluate(
    files: Files,
    *,
    facts: Facts = None,
    goal: Annotated[
        str | None, typer.Option(help="Print what matches this goal only, such as 'p(X, _)'.", metavar="GOAL")
    ] = None,
    why: Annotated[str | None, typer.Option(help="Say why this fact holds, or why not.", metavar="GOAL")] = None,
    max_facts: Annotated[int, typer.Option(help="Stop when more facts were derived.", min=1)] = 1_000_000,
    seconds: Annotated[float, typer.Option(help="Stop after this time.", min=0.001)] = 10.0,
    as_json: AsJson = False,
) -> None:
    """Evaluate rules and print the facts.

    Every fact that holds, or what matches a goal, or the reason of a fact.
    """
    from mayfly.mangle import Limits, MangleError, load_files

    try:
        program = load_files([*files, *(facts or [])])
        model = program.evaluate(limits=Limits(facts=max_facts, seconds=seconds), record=why is not None)
        if why is not None:
            _explain(model, why, as_json=as_json)
            return
        found = _facts(model, goal)
    except MangleError as error:
        if as_json:
            answer_json({**_failed(error), "facts": []})
        else:
            _complain(error)
        raise typer.Exit(2) from None
    if as_json:
        answer_json({"stage": "ok", "error": None, "facts": found})
    else:
        for fact in found:
            answer(fact)
        note(f"{len(found):,} facts")


@app.command()
def check(
    files: Files,
    *,
    as_json: AsJson = False,
) -> None:
    """Check rules without evaluating them.

    Syntax, declarations, safety, types and strata; everything that is wrong is said at once.
    """
    from mayfly.mangle import MangleError, load_files

    try:
        program = load_files(files)
    except MangleError as error:
        if as_json:
            answer_json(_failed(error))
        else:
            _complain(error)
        raise typer.Exit(2) from None
    checked = program.checked
    counts = {
        "rules": len(checked.rules),
        "facts": len(checked.given),
        "predicates": len(checked.declared),
        "strata": len(checked.strata),
    }
    if as_json:
        answer_json({"stage": "ok", "error": None, "errors": [], **counts})
    else:
        note(f"ok: {', '.join(f'{number:,} {what}' for what, number in counts.items())}")


@app.command(name="test")
def run_tests(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Rule files or directories of them; the shipped rules if none.", metavar="PATH..."),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Run the tests beside rule files.

    NAME.test.toml beside NAME.mg says what must and what must never follow from which facts. Who acts in a case has
    what the files of the personas say.
    """
    from mayfly.persona import Shelf, granted_by
    from mayfly.policy import cases_of, read_cases, rule_files, run_cases

    stock = Shelf(Settings.load().state).stock
    tried, untested = [], []
    with busy("testing rules"):
        for path in rule_files(paths):
            if cases_of(path).exists():
                cases = read_cases(cases_of(path))
                tried += list(run_cases(cases, configured=lambda persona: granted_by(stock, persona)))
            else:
                untested.append(path)
    failed = [one for one in tried if one.wrong]
    if as_json:
        rows = [{"file": str(one.case.file), "case": one.case.name, "wrong": list(one.wrong)} for one in tried]
        answer_json({"passed": len(tried) - len(failed), "failed": len(failed), "cases": rows})
    else:
        for one in failed:
            answer(f"failed: {one.case.file.name}: {one.case.name}")
            for tree in one.wrong:
                answer("  " + tree.replace("\n", "\n  "))
        for path in untested:
            note(f"no tests: {path}")
        note(f"{len(tried) - len(failed)} passed, {len(failed)} failed")
    if not tried:
        raise InputError("there are no tests", fix="write NAME.test.toml beside NAME.mg")
    raise typer.Exit(1 if failed else 0)


def _facts(model: "Model", goal: str | None) -> list[str]:
    from mayfly.mangle import MangleError, parse_atom, show_row, sort_key

    if goal is None:
        found = list(model.facts())
    else:
        atom = parse_atom(goal)
        found = [(atom.symbol, row) for row in model.match(atom)]
    found.sort(key=lambda fact: (fact[0], [sort_key(value) for value in fact[1]]))
    texts: list[str] = []
    size = 0
    for symbol, row in found:
        texts.append(show_row(symbol, row))
        size += len(texts[-1])
        if size > MOST_TEXT:
            message = f"the facts take more than {MOST_TEXT:,} characters to print"
            raise MangleError(message, stage="eval", fix="ask for less with --goal")
    return texts


def _explain(model: "Model", goal: str, *, as_json: bool) -> None:
    from mayfly.mangle import Why, WhyNot, parse_atom, to_json, why, why_not

    atom = parse_atom(goal)
    rows = model.match(atom)
    trees: list[Why | WhyNot] = [why(model, atom.symbol, row) for row in rows] or [why_not(model, atom)]
    if as_json:
        answer_json({"stage": "ok", "error": None, "holds": bool(rows), "trees": [to_json(tree) for tree in trees]})
    else:
        for tree in trees:
            print_tree(tree)


def _failed(error: "MangleError") -> dict[str, object]:
    return {"stage": error.stage, "error": _error(error), "errors": [_error(one) for one in error.all]}


def _error(error: "MangleError") -> dict[str, object]:
    place = error.place
    return {
        "message": error.message,
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "fix": error.fix,
    }


def _complain(error: "MangleError") -> None:
    for one in error.all:
        note(f"mayfly: {one}")


@app.command()
def actions(
    name: Annotated[
        str | None, typer.Argument(help="An action or a type of actions; all types if none.", metavar="ACTION")
    ] = None,
    *,
    codes: Annotated[bool, typer.Option("--codes", help="Print the codes of reasons instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the types of actions, or one with its keys.

    What the target of each is, and which keys its payload may have; an unknown key is denied.
    """
    from mayfly.policy import action_types, reason_codes

    if codes:
        _print_rows([("CODE", "MEANING"), *reason_codes().items()], as_json=as_json)
        return
    with desk() as opened:
        rows = opened.kernel().query("action_class(Action, Class)")
    types = {str(action).removeprefix("/"): str(type).removeprefix("/") for action, type in rows}
    if name is not None:
        _print_type(types.get(name, name), as_json=as_json)
        return
    named = {one: " ".join(sorted(action for action, type in types.items() if type == one)) for one in action_types()}
    listed = [(one.name, one.target, named[one.name]) for one in action_types().values()]
    _print_rows([("TYPE", "TARGET", "ACTIONS"), *listed], as_json=as_json)


def _print_type(name: str, *, as_json: bool) -> None:
    from difflib import get_close_matches

    from mayfly.policy import action_types, key_groups

    known = action_types().get(name)
    if known is None:
        near = get_close_matches(name, action_types(), n=1)
        fix = f"did you mean {near[0]}?" if near else "see: mayfly policy actions"
        raise InputError(f"there is no action {name!r}", fix=fix)
    if as_json:
        answer_json({"type": known.name, "target": known.target, "payload": known.schema()})
        return
    answer(f"{known.name}: the target is {known.target}")
    groups = [key_groups()[group] for group in known.groups]
    rows = [(group["names"][0], group["means"], " ".join(group["names"][1:])) for group in groups]
    _print_rows([("KEY", "MEANING", "ALSO CALLED"), *rows], as_json=False)
    if known.open:
        note("any other key is taken too: who is given the payload checks it")


def _print_rows(rows: list[tuple[str, ...]], *, as_json: bool) -> None:
    if as_json:
        names = [cell.lower() for cell in rows[0]]
        answer_json([dict(zip(names, row, strict=True)) for row in rows[1:]])
        return
    answer_table(rows)


@app.command()
def simulate(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Changed rule files; one with a shipped file's name takes its place.", metavar="PATH..."),
    ],
    *,
    last: Annotated[int, typer.Option(help="How many recorded decisions and intents to try.", min=1)] = 200,
    as_json: AsJson = False,
) -> None:
    """Say what changed rules would decide otherwise.

    Recorded intents and actions are tried again; nothing is put into force.
    """
    from mayfly.operations import try_rules

    with desk() as opened, busy("deciding again what was decided"):
        found = try_rules(opened, paths, last=last)
    if as_json:
        answer_json(found.to_json())
        return
    for one in found.differences:
        answer(one_line(f"{one.id}: {one.asked}: {one.before} -> {one.after}", limit=400))
        if one.rule is not None:
            answer(one_line(f"  by {one.rule}  {one.place}", limit=400))
    note(f"{found.tried} tried, {len(found.differences)} would differ")


@app.command()
def approve(
    id: Annotated[str, typer.Argument(help="A decision that needs an approval, such as d-12ab34cd56ef.")],
    *,
    by: Annotated[str, typer.Option(help="Who approves.", metavar="NAME")],
    reason: Annotated[str, typer.Option(help="Why.", metavar="TEXT")],
    seconds: Annotated[
        float | None, typer.Option(help="How long it lasts.", metavar="S", show_default="policy.approval")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Approve one action for a time.

    Exactly the action of one decision, for who asked, where it was asked; a refusal cannot be approved.
    """
    with desk() as opened:
        made = opened.approve(id, by=by, reason=reason, seconds=seconds)
    if as_json:
        answer_json({"id": made.override, "decision": made.decision, "until": made.until / 1e9})
    else:
        lasting = (made.until - made.made) / 1e9
        answer(f"approved: {made.decision} for {lasting:g} s ({made.override})")
