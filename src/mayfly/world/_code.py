"""Code: who depends on what, what may be wrong with a change, and what the gates say of it before a commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mayfly.core import Asked, Capability, Invocation, MayflyError, ToolSettings
from mayfly.world._declare import NUMBER, PLACE, TEXT, Schema, listed, said, takes, tool
from mayfly.world._place import WorkspacePlace

# What does the work is imported when it is called: it brings the gates with it, and most sessions begin without.
if TYPE_CHECKING:
    from mayfly.world._impact import CodeIndex

_SHOWN, _MOST = 60, 500
_CHANGE: dict[str, Schema] = {
    "paths": {**listed(PLACE, "files or directories; what git says has changed unless said"), "maxItems": 200},
    "diff": said(TEXT, "a unified diff, done or not yet done", minLength=1, maxLength=2_000_000),
    "base": said(TEXT, "the commit to compare with; HEAD unless said", pattern=r"^[A-Za-z0-9][\w./@~^-]{0,200}$"),
}


def code_tools(place: WorkspacePlace, limits: ToolSettings | None = None) -> tuple[Capability, ...]:
    """Return the tools that look at code."""
    return (
        impact_analysis.bound(place, limits),
        hypothesis_gen.bound(place, limits),
        preflight.bound(place),
    )


def _about(call: Invocation) -> str:
    given = call.arguments
    if "paths" in given:
        return ", ".join(given["paths"])[:500]
    return "a diff" if "diff" in given else f"what differs from {given.get('base', 'HEAD')}"


@tool(
    takes(
        "target",
        target=said(TEXT, "path, path:name, package.module.name or name", minLength=1, maxLength=500),
        path=said(PLACE, "only look below this directory"),
        limit=said(NUMBER, f"lines of each kind; {_SHOWN} unless said", maximum=_MOST),
    ),
    asks="path",
    seconds=120.0,
)
def impact_analysis(place: WorkspacePlace, limits: ToolSettings | None, call: Invocation) -> str:
    """Say who depends on a file, function, class or method: directly, through others, and which tests.

    Python by its names; JavaScript, TypeScript, Go, Rust and C by their imports.
    """
    from mayfly.world._impact import CodeIndex, tell

    given = call.arguments
    index = CodeIndex(place, under=given.get("path", "."), limits=limits, stop=call.stop)
    return tell(index.impact(given["target"]), most=given.get("limit", _SHOWN))


@tool(
    takes(**_CHANGE),
    asks=lambda call: (Asked("hypothesis_gen", _about(call)),),
    seconds=180.0,
)
def hypothesis_gen(place: WorkspacePlace, limits: ToolSettings | None, call: Invocation) -> str:
    """Suggest what may be wrong with a change: what the gates find in it, and what functions no longer do.

    Suspicions to look into, not findings.
    """
    from mayfly.world._changes import change_of
    from mayfly.world._findings import findings_in
    from mayfly.world._hypotheses import hypotheses_of, judged_by_rules
    from mayfly.world._impact import CodeIndex

    change = change_of(place, call, before=True)
    notes = list(change.notes)
    index: CodeIndex | None = None
    if any(file.path.endswith(".py") for file in change.files):
        try:
            index = CodeIndex(place, limits=limits, stop=call.stop)
            notes += index.notes
        except MayflyError as error:
            notes.append(f"callers are not known: {error}")
    found = hypotheses_of(change, findings_in(change), index)
    if not found:
        return "\n".join([f"nothing suspicious in {change.said}", *(f"[{note}]" for note in notes)])
    judged = judged_by_rules(place, found)
    lines = [f"{judged[one]:9} {one.path}:{one.line}: {one.claim}" for one in found]
    return "\n".join([f"{len(found)} suspicions about {change.said}:", *lines, *(f"[{note}]" for note in notes)])


@tool(
    takes(**_CHANGE, types={"type": "boolean", "description": "false leaves mypy out"}),
    asks=lambda call: (Asked("preflight", _about(call)),),
    seconds=300.0,
)
def preflight(place: WorkspacePlace, call: Invocation) -> str:
    """Check changed files before a commit: syntax, complexity, taste, secrets, and types with mypy."""
    from mayfly.world._changes import change_of
    from mayfly.world._findings import findings_in, tell_findings, type_findings

    change = change_of(place, call)
    if not change.files:
        return f"nothing is changed: {change.said}"
    found, notes = findings_in(change), list(change.notes)
    # A diff that is not done yet is in no file that mypy could read.
    if call.arguments.get("types", True) and "diff" not in call.arguments:
        typed, note = type_findings(place, call, change)
        found += typed
        notes += [note] if note else []
    new = [one for one in found if one.new]
    bad = sum(one.bad for one in new)
    counted = f"{bad} to refuse, {len(new) - bad} to mend, {len(found) - len(new)} old"
    head = f"{len(change.files)} files ({change.said}): {counted}"
    return "\n".join([head, *tell_findings(found, most=_MOST), *(f"[{note}]" for note in notes)])
