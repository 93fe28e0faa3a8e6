"""`mayfly doctor`, `config` and `metrics`: how this machine stands, what is set, and what the ledger counts up to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mayfly.cli._frame import Shown, kept_ledger, opened, shows
from mayfly.cli._frame import show as show_answer
from mayfly.cli._output import AsJson, Screen, as_called, busy, group, table
from mayfly.cli._sandbox import record
from mayfly.core import InputError, Settings, harmless, one_line
from mayfly.operations import pick_fields, settings_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from mayfly.operations import DoctorView
    from mayfly.sandbox import Diagnosis
    from mayfly.sandbox.attacks import CaseResult, Report

NO_LEVEL = 4


def doctor(
    *,
    attack: Annotated[
        bool, typer.Option("--attack", help="Fire the published escapes at the sandbox and say what stopped each.")
    ] = False,
    level: Annotated[
        Literal["namespaces", "landlock"] | None,
        typer.Option(help="Attack this wall.", show_default="the best of this machine"),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Fire this case or category only; may be repeated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say which wall this machine gives, layer by layer, and how to get a better one."""
    if not attack and (level or only):
        raise InputError("--level and --only belong to --attack", fix="add --attack")
    if attack:
        _attack(level, tuple(only or ()), as_json=as_json)
    else:
        _diagnose(as_json=as_json)


def _diagnose(*, as_json: bool) -> None:
    with busy("looking at this machine"):
        found = _look()
    status = NO_LEVEL if found.diagnosis.level == "none" else int(bool(found.problems))
    show_answer(Shown(found.to_json(), lambda: _show_machine(found), status=status), as_json=as_json)


def _show_machine(found: DoctorView) -> None:
    screen = Screen()
    _show_layers(screen, found.diagnosis)
    _show_library(screen, found)
    for one in found.left:
        screen.line(("left by a killed staging: ", "bad"), (one_line(one), ""), ("; the next stage removes it", ""))


def _look() -> DoctorView:
    """Look at this machine, and at the library where there is a store: a look makes none."""
    from mayfly.operations import doctor as look

    with kept_ledger() as ledger:
        if ledger is None:
            return look(Settings.load(), None)
    with opened() as runtime:
        return look(runtime.settings, runtime.tools)


def _show_library(screen: Screen, found: DoctorView) -> None:
    problems, tools = found.problems, found.tools
    said = f"{tools} tool{'s' if tools != 1 else ''}, " + (f"{len(problems)} not whole" if problems else "clean")
    screen.line()
    screen.line(("library  ", "dim"), (said, "bad" if problems else "good"))
    for problem in problems:
        screen.line(("  no  ", "bad"), (as_called(one_line(problem)), ""))


def _show_layers(screen: Screen, diagnosis: Diagnosis) -> None:
    style = "bad" if diagnosis.level == "none" else "good"
    screen.line(("level  ", "dim"), (diagnosis.level, style))
    if diagnosis.reason:
        screen.line(("why    ", "dim"), (one_line(diagnosis.reason), ""))
    screen.line()
    width = max((len(layer.name) for layer in diagnosis.layers), default=0)
    for layer in diagnosis.layers:
        mark = ("ok  ", "good") if layer.ok else ("no  ", "bad")
        screen.line(("  ", ""), mark, (layer.name.ljust(width + 2), ""), (one_line(layer.detail), "dim"))
    fixes = [layer for layer in diagnosis.layers if not layer.ok and layer.fix]
    if fixes:
        screen.title("how to get more")
    for layer in fixes:
        screen.line((f"  {layer.name.ljust(width + 2)}", ""), (one_line(layer.fix or ""), ""))
    if diagnosis.level != "none":
        screen.commands([("doctor --attack", "fire the published escapes at it")])


def _attack(level: str | None, only: tuple[str, ...], *, as_json: bool) -> None:
    from mayfly.sandbox import attacks
    from mayfly.store import DoctorAttacked

    settings = Settings.load()
    unknown = set(only) - {name for case in attacks.cases() for name in (case.name, case.category)}
    if unknown:
        raise InputError(f"no case or category is called {min(unknown)}", fix="see: mayfly doctor --attack --json")
    report = _attack_live(partial(attacks.run, level=level, only=only or None), Screen(quiet=as_json))
    attacked = DoctorAttacked(level=report.level, cases=len(report.cases), contained=report.contained)
    record(settings, [attacked], subject="doctor")
    well = report.contained == len(report.cases) and not report.survivors
    show_answer(Shown(_report_fields(report), status=0 if well else 1), as_json=as_json)


def _attack_live(run: Callable[..., Report], screen: Screen) -> Report:
    category = ""

    def show(case: CaseResult) -> None:
        nonlocal category
        if case.category != category:
            category = case.category
            screen.title(category)
        mark = ("held    ", "good") if case.contained else ("ESCAPED ", "bad")
        took = f"{case.milliseconds:8.1f} ms  "
        reason = case.stopped_by if case.contained else "; ".join(case.damage) or case.stopped_by
        screen.line(("  ", ""), mark, (case.name.ljust(30), ""), (took, "dim"), (one_line(reason), "dim"))

    report = run(on_case=show)
    style = "good" if report.contained == len(report.cases) else "bad"
    screen.line()
    screen.line((f"{report.contained} of {len(report.cases)} contained at level {report.level}", style))
    if report.survivors:
        screen.line((f"{report.survivors} processes outlived their jobs", "bad"))
    return report


def _report_fields(report: Report) -> dict[str, object]:
    cases = [
        {
            **pick_fields(case, "name category contained stopped_by status"),
            "title": harmless(case.title),
            "milliseconds": round(case.milliseconds, 3),
            "damage": list(case.damage),
        }
        for case in report.cases
    ]
    return {**pick_fields(report, "level contained survivors"), "total": len(cases), "cases": cases}


config_app = group("Show the settings in force.")


@config_app.command()
@shows
def show(
    *,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Ignore the environment and mayfly.toml: show what is built in.")
    ] = False,
) -> Shown:
    """Print every setting with its value, default, owner, source and meaning."""
    rows = settings_rows(Settings() if defaults else Settings.load())
    columns = {"key": "KEY", "value": "VALUE", "default": "DEFAULT", "owner": "OWNER", "source": "SOURCE"}
    if defaults:
        del columns["default"], columns["source"]
    cells = [(*(harmless(str(row[name])) or '""' for name in columns), row["help"]) for row in rows]
    return Shown(rows, table([(*columns.values(), "MEANING"), *cells]))


@shows
def metrics() -> Shown:
    """Count runs, compiled agents and fallbacks, and how much of the code was written on demand."""
    from mayfly.operations import metrics as count

    with opened() as runtime:
        fields = count(runtime.parts.ledger).to_json()
    lines = [
        line
        for name, value in fields.items()
        for line in (
            [f"{name}{{{reason}}}  {number}" for reason, number in value.items()]
            if isinstance(value, dict)
            else [f"{name}  {value}"]
        )
    ]
    return Shown(fields, lines)
