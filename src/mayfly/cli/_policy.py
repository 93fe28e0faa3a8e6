"""`mayfly policy`: evaluate, check, test and try out rules written in Mangle."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mayfly.cli._desk import desk, print_trees
from mayfly.cli._frame import Shown, show, shows
from mayfly.cli._output import AsJson, busy, group, table
from mayfly.core import InputError, Settings, one_line
from mayfly.operations import pick_fields

if TYPE_CHECKING:
    from mayfly.mangle import MangleError, Model

MOST_TEXT = 256 * 1024 * 1024

app = group("Evaluate, check, test and try out rules.")

Files = Annotated[list[Path], typer.Argument(help="Rule files, read as one program.", metavar="FILE.mg...")]
Facts = Annotated[
    list[Path] | None, typer.Option("--facts", help="A file with further facts. May be repeated.", metavar="FILE.mg")
]


@app.command(name="eval")
@shows
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
) -> Shown:
    """Evaluate rules and print the facts.

    Every fact that holds, or what matches a goal, or the reason of a fact.
    """
    from mayfly.mangle import Limits, MangleError, load_files

    try:
        program = load_files([*files, *(facts or [])])
        model = program.evaluate(limits=Limits(facts=max_facts, seconds=seconds), record=why is not None)
        if why is not None:
            return _explain(model, why)
        found = _facts(model, goal)
    except MangleError as error:
        return _failed(error, facts=[])
    return Shown({**_OK, "facts": found}, found, f"{len(found):,} facts")


@app.command()
@shows
def check(files: Files) -> Shown:
    """Check rules without evaluating them.

    Syntax, declarations, safety, types and strata; everything that is wrong is said at once.
    """
    from mayfly.mangle import MangleError, load_files

    try:
        checked = load_files(files).checked
    except MangleError as error:
        return _failed(error)
    counts = {
        "rules": len(checked.rules),
        "facts": len(checked.given),
        "predicates": len(checked.declared),
        "strata": len(checked.strata),
    }
    said = ", ".join(f"{number:,} {what}" for what, number in counts.items())
    return Shown({**_OK, "errors": [], **counts}, hint=f"ok: {said}")


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
    lines = []
    for one in failed:
        lines.append(f"failed: {one.case.file.name}: {one.case.name}")
        lines += ["  " + tree.replace("\n", "\n  ") for tree in one.wrong]
    hints = [*(f"no tests: {path}" for path in untested), f"{len(tried) - len(failed)} passed, {len(failed)} failed"]
    rows = [{"file": str(one.case.file), "case": one.case.name, "wrong": list(one.wrong)} for one in tried]
    data = {"passed": len(tried) - len(failed), "failed": len(failed), "cases": rows}
    show(Shown(data, lines, "\n".join(hints), int(bool(failed))), as_json=as_json)
    if not tried:
        raise InputError("there are no tests", fix="write NAME.test.toml beside NAME.mg")


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


def _explain(model: "Model", goal: str) -> Shown:
    from mayfly.mangle import Why, WhyNot, parse_atom, to_json, why, why_not

    atom = parse_atom(goal)
    rows = model.match(atom)
    trees: list[Why | WhyNot] = [why(model, atom.symbol, row) for row in rows] or [why_not(model, atom)]
    data = {**_OK, "holds": bool(rows), "trees": [to_json(tree) for tree in trees]}
    return Shown(data, lambda: print_trees(trees))


_OK = {"stage": "ok", "error": None}


def _failed(error: "MangleError", **more: object) -> Shown:
    data = {"stage": error.stage, "error": _error(error), "errors": [_error(one) for one in error.all], **more}
    return Shown(data, hint="\n".join(f"mayfly: {one}" for one in error.all), status=2)


def _error(error: "MangleError") -> dict[str, object]:
    names = "file line column"
    place = pick_fields(error.place, names) if error.place else dict.fromkeys(names.split())
    return {"message": error.message, **place, "fix": error.fix}


@app.command()
@shows
def actions(
    name: Annotated[
        str | None, typer.Argument(help="An action or a type of actions; all types if none.", metavar="ACTION")
    ] = None,
    *,
    codes: Annotated[bool, typer.Option("--codes", help="Print the codes of reasons instead.")] = False,
) -> Shown:
    """Print the types of actions, or one with its keys.

    What the target of each is, and which keys its payload may have; an unknown key is denied.
    """
    from mayfly.policy import action_types, reason_codes

    if codes:
        return _rows_shown([("CODE", "MEANING"), *reason_codes().items()])
    with desk() as opened:
        rows = opened.kernel().query("action_class(Action, Class)")
    types = {str(action).removeprefix("/"): str(type).removeprefix("/") for action, type in rows}
    if name is not None:
        return _type_shown(types.get(name, name))
    named = {one: " ".join(sorted(action for action, type in types.items() if type == one)) for one in action_types()}
    listed = [(one.name, one.target, named[one.name]) for one in action_types().values()]
    return _rows_shown([("TYPE", "TARGET", "ACTIONS"), *listed])


def _type_shown(name: str) -> Shown:
    from difflib import get_close_matches

    from mayfly.policy import action_types, key_groups

    known = action_types().get(name)
    if known is None:
        near = get_close_matches(name, action_types(), n=1)
        fix = f"did you mean {near[0]}?" if near else "see: mayfly policy actions"
        raise InputError(f"there is no action {name!r}", fix=fix)
    groups = [key_groups()[group] for group in known.groups]
    rows = [(group["names"][0], group["means"], " ".join(group["names"][1:])) for group in groups]
    return Shown(
        {"type": known.name, "target": known.target, "payload": known.schema()},
        [f"{known.name}: the target is {known.target}", *table([("KEY", "MEANING", "ALSO CALLED"), *rows])],
        "any other key is taken too: who is given the payload checks it" if known.open else "",
    )


def _rows_shown(rows: list[tuple[str, ...]]) -> Shown:
    names = [cell.lower() for cell in rows[0]]
    return Shown([dict(zip(names, row, strict=True)) for row in rows[1:]], table(rows))


@app.command()
@shows
def simulate(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Changed rule files; one with a shipped file's name takes its place.", metavar="PATH..."),
    ],
    *,
    last: Annotated[int, typer.Option(help="How many recorded decisions and intents to try.", min=1)] = 200,
) -> Shown:
    """Say what changed rules would decide otherwise.

    Recorded intents and actions are tried again; nothing is put into force.
    """
    from mayfly.operations import try_rules

    with desk() as opened, busy("deciding again what was decided"):
        found = try_rules(opened, paths, last=last)
    lines = []
    for one in found.differences:
        lines.append(one_line(f"{one.id}: {one.asked}: {one.before} -> {one.after}", limit=400))
        if one.rule is not None:
            lines.append(one_line(f"  by {one.rule}  {one.place}", limit=400))
    return Shown(found.to_json(), lines, f"{found.tried} tried, {len(found.differences)} would differ")


@app.command()
@shows
def approve(
    id: Annotated[str, typer.Argument(help="A decision that needs an approval, such as d-12ab34cd56ef.")],
    *,
    by: Annotated[str, typer.Option(help="Who approves.", metavar="NAME")],
    reason: Annotated[str, typer.Option(help="Why.", metavar="TEXT")],
    seconds: Annotated[
        float | None, typer.Option(help="How long it lasts.", metavar="S", show_default="policy.approval")
    ] = None,
) -> Shown:
    """Approve one action for a time.

    Exactly the action of one decision, for who asked, where it was asked; a refusal cannot be approved.
    """
    with desk() as opened:
        made = opened.approve(id, by=by, reason=reason, seconds=seconds)
    data = {"id": made.override, "decision": made.decision, "until": made.until / 1e9}
    return Shown(data, f"approved: {made.decision} for {(made.until - made.made) / 1e9:g} s ({made.override})")
