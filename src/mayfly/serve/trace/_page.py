"""Gather what the ledger knows of a run and fill one page with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from mayfly import __version__
from mayfly.core import InputError, Money, ending_of, one_line
from mayfly.operations import (
    PromiseStory,
    Reasons,
    TestedSource,
    Trace,
    account_words,
    event_words,
    has_tree,
    how_long,
    reason_of,
    tell,
    tested_sources,
)
from mayfly.serve.trace._tree import STATES, WORDS, Markup, data_of, fill, markup, since, style, tree_markup

if TYPE_CHECKING:
    from mayfly.promise import Promise
    from mayfly.store import Event, Ledger

# Of a long order the beginning and the end are shown, where most can be learned; so are the first of many programs,
# tests and reasons. Everything is in `mayfly trace ID --json`.
FIRST_EVENTS, LAST_EVENTS = 600, 200
MOST_PROGRAMS = 20
MOST_TESTS = 100
MOST_LINES = 200
# What says what was asked, of runs and of sessions.
FIRST = ("run.began", "session.began", "session.turn_asked")
ENDS = ("run.resolved", "run.collapsed")
PROVEN = {"strong": "good", "tested": "good", "weak": "fall"}


def trace_page(ledger: Ledger, id: str) -> str:
    """Return the page of a run, a promise of it, a session or whatever else events are recorded under."""
    run, _, node = id.partition("/")
    if not run:
        raise InputError(f"{one_line(id)!r} names no run", fix="see: mayfly runs")
    return _tree_page(ledger, run, node) if has_tree(ledger, run) else _story_page(ledger, id)


def _tree_page(ledger: Ledger, run: str, node: str) -> str:
    trace = Trace(ledger, run, node)
    id = f"{run}/{node}" if node else run
    reasons = Reasons(ledger, id)
    # What a leaf was written and proven with is recorded under its own name.
    leaves = [f"{run}/{promise.id}" for promise in trace.tree.walk() if promise.proof and not promise.children]
    proofs = [*ledger.find_many("proof.made", leaves).values(), *ledger.find_many("agent.cached", leaves).values()]
    saved, tree = trace.saved, trace.tree
    nodes = Counter(promise.state.value for promise in tree.walk())
    facts = [
        ("began", _moment(saved.at)),
        *_costs(saved.cost.to_json()),
        ("promises", ", ".join(f"{count:,} {WORDS.get(state, state)}" for state, count in nodes.items())),
    ]
    sections = [
        PageSection("why", "Why", "", _why(reasons)),
        PageSection("tree", "Tree", f"{sum(nodes.values()):,} promises", tree_markup(trace)),
        _programs(tested_sources(ledger, proofs)),
        _timeline([*trace.events, *trace.story], saved.at),
    ]
    status = tree.state.value if node else saved.status
    go_on = f"go on: mayfly resume {run}" if status in ("interrupted", "cancelled", "killed") else ""
    ending = ending_of(status, tree.code if node else trace.line.code if trace.line else "")
    return _page(id, tree.intent, status, ending, reason_of(tree) or go_on, facts, sections)


def _story_page(ledger: Ledger, id: str) -> str:
    events = PromiseStory(ledger, id).events()
    row = ledger.run(id)
    end: Mapping[str, Any] = next((event.payload for event in reversed(events) if event.kind in ENDS), {})
    first: dict[str, Any] = {}
    for event in reversed(events):
        if event.kind in FIRST:
            first |= event.payload
    intent = first.get("intent") or first.get("text") or (row.intent if row else "") or id
    facts = [("began", _moment(events[0].at)), *_costs(end)]
    facts += [(name, str(first[name])) for name in ("tier", "model", "workspace", "input") if first.get(name)]
    turn = next((event.payload for event in reversed(events) if event.kind == "session.turn_ended"), None)
    if end.get("reading"):
        facts.append(("read as", str(end["reading"])))
    if isinstance(end.get("account"), dict):
        facts.append(("lines", account_words(end["account"])))
    lines = list(tell(events))
    sections = [
        PageSection("why", "Why", "", _lines(lines)),
        _programs(tested_sources(ledger, events)),
        _timeline(events, events[0].at),
    ]
    status, reason = row.status if row else "", str(end.get("reason", ""))
    if turn is not None:
        status, reason = str(turn["status"]), str(turn["reason"] or turn["text"])
    return _page(id, str(intent), status, ending_of(status, str(end.get("code", ""))), reason, facts, sections)


class PageSection(NamedTuple):
    """One part of the page, left out with its link where its body is empty."""

    id: str
    title: str
    size: str
    body: object


def _page(
    id: str,
    intent: str,
    status: str,
    ending: str,
    reason: str,
    facts: Sequence[tuple[str, object]],
    sections: Sequence[PageSection],
) -> str:
    filled = [section for section in sections if section.body]
    return fill(
        "page",
        id=id,
        intent=markup(intent, limit=500),
        style=style(),
        state=STATES.get(status, ""),
        status=ending or "recorded",
        reason=markup(reason, limit=1000),
        facts=[fill("fact", name=name, value=value) for name, value in facts],
        links=[fill("link", id=section.id, title=section.title) for section in filled],
        sections=[fill("section", id=one.id, title=one.title, count=one.size, body=one.body) for one in filled],
        version=__version__,
        now=_moment(datetime.now(UTC)),
    )


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _costs(cost: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Return what a run took, as far as there is anything to say."""
    rows: list[tuple[str, object]] = [("took", how_long(float(cost["seconds"])))] if cost.get("seconds") else []
    if "model_calls" in cost:
        rows.append(("model calls", f"{cost['model_calls']:,}"))
    if cost.get("input_tokens") or cost.get("output_tokens"):
        rows.append(("tokens", f"{cost['input_tokens']:,} in, {cost['output_tokens']:,} out"))
    return rows + ([("money", str(Money.of(cost["money"])))] if cost.get("money") else [])


def _why(found: Reasons) -> Markup:
    """Return the chain of reasons and what else speaks: other fallbacks, the rules, effects, open questions."""
    parts = [fill("why", links=[_link(promise) for promise in found.chain])]
    lists = [
        ("How it came to that", list(tell(found.told))),
        (
            "Also ended in the fallback",
            [f"{promise.id} {promise.intent[:200]}: {reason_of(promise)[:500]}" for promise in found.ground],
        ),
        ("The rules were asked", [_ruled(event) for event in found.decisions]),
        ("Effects", [f"{one['id']} {one['capability']} {one['target']}: {one['became']}" for one in found.sent()]),
    ]
    parts += [fill("list", title=title, lines=_items(lines)) for title, lines in lists if lines]
    return Markup("".join(parts))


def _link(promise: Promise[Any]) -> Markup:
    state = promise.state.value
    code = f" [{promise.code}]" if promise.code else ""
    reason = fill("because", text=f"{reason_of(promise)[:2000]}{code}") if reason_of(promise) else ""
    intent = promise.intent[:500]
    return fill(
        "chain",
        state=STATES.get(state, ""),
        word=WORDS.get(state, state),
        node=promise.id,
        intent=intent,
        reason=reason,
    )


def _ruled(event: Event) -> str:
    row: Any = event.payload
    because = f": {'; '.join(row['because'][:3])}" if row["because"] else ""
    return f"{row['decision']} {row['action']} {row['target']}{because} ({event.subject})"


def _lines(lines: Sequence[str]) -> Markup:
    return fill("lines", lines=_items(lines)) if lines else Markup("")


def _items(lines: Sequence[str]) -> list[Markup]:
    shown = [
        fill("line", kind="inner" if line.startswith(" ") else "", text=markup(line.strip(), limit=2100))
        for line in lines[:MOST_LINES]
    ]
    left = len(lines) - MOST_LINES
    return [*shown, fill("line", kind="more", text=f"and {left:,} more")] if left > 0 else shown


def _programs(found: Sequence[TestedSource]) -> PageSection:
    shown = [_program(one, is_open=len(found) == 1) for one in found[:MOST_PROGRAMS]]
    left = len(found) - MOST_PROGRAMS
    more = [fill("more", text=f"and {left:,} more programs")] if left > 0 else []
    return PageSection("programs", "Programs and tests", f"{len(found):,}", [*shown, *more])


def _program(found: TestedSource, *, is_open: bool) -> Markup:
    results = {str(one.get("name")): one for one in found.results}
    tests = [_test(test, results.get(str(test.get("name")))) for test in found.tests[:MOST_TESTS]]
    left = len(found.tests) - MOST_TESTS
    tests += [fill("more", text=f"and {left:,} more tests")] if left > 0 else []
    caught = f", {found.mutants_killed} of {found.mutants} mistakes put in were noticed" if found.mutants else ""
    held = f", {found.held_out} of them not shown to the author" if found.held_out else ""
    return fill(
        "program",
        state=PROVEN.get(found.strength, "bad"),
        strength=found.strength,
        entry=found.entry,
        hash=found.source_hash[:12],
        subject=found.subject,
        summary=f"{len(found.results):,} tests{held}{caught}",
        notes=_lines([str(note) for note in found.notes]),
        open=Markup("open" if is_open else ""),
        lines=len(found.source.splitlines()),
        source=markup(found.source, limit=100_000) if found.source else found.why_not,
        plot=_plot(found.results),
        tests=tests,
    )


def _test(test: Mapping[str, Any], result: Mapping[str, Any] | None) -> Markup:
    passed = None if result is None else bool(result.get("passed"))
    parts = [("what it stands for", test.get("words") or test.get("description"))]
    parts += [("input", data_of(test["input"], limit=4000))] if test.get("input") is not None else []
    parts += [("has to give", data_of(test["expected"], limit=4000))] if "expected" in test else []
    parts += [(name, test.get(name)) for name in ("raises", "check", "function")]
    parts += [("failed", result.get("error"))] if result is not None and not passed else []
    return fill(
        "test",
        state={True: "good", False: "bad", None: ""}[passed],
        word={True: "passed", False: "failed", None: "not run"}[passed],
        name=str(test.get("name", "")),
        kind=str(test.get("kind", "")),
        body=[fill("data", title=title, text=text) for title, text in parts if text],
    )


def _plot(results: Sequence[Mapping[str, Any]]) -> Markup:
    """Draw how many tests there were of each kind, and how many of them passed."""
    kinds = Counter(str(one.get("kind", "")) for one in results)
    passed = Counter(str(one.get("kind", "")) for one in results if one.get("passed"))
    if not kinds:
        return Markup("")
    # 170 units of the 320 of the picture are for the longest bar; names and counts stand beside it.
    scale = 170 / max(kinds.values())
    bars = [
        fill(
            "plot-bar",
            name=kind[:18],
            y=18 * number + 2,
            text_y=18 * number + 12,
            passed=f"{passed[kind] * scale:.1f}",
            failed_x=f"{110 + passed[kind] * scale:.1f}",
            failed=f"{(count - passed[kind]) * scale:.1f}",
            count=f"{passed[kind]:,} of {count:,}",
        )
        for number, (kind, count) in enumerate(kinds.items())
    ]
    label = "; ".join(f"{kind}: {passed[kind]} of {count} passed" for kind, count in kinds.items())
    return fill("plot", title="Evidence by kind", height=18 * len(kinds) + 4, label=label, bars=bars)


def _timeline(events: Sequence[Event], start: datetime) -> PageSection:
    left = len(events) - FIRST_EVENTS - LAST_EVENTS
    if left > 0:
        first, last = (_events(some, start) for some in (events[:FIRST_EVENTS], events[-LAST_EVENTS:]))
        shown = [*first, fill("gap", count=f"{left:,}"), *last]
    else:
        shown = list(_events(events, start))
    body = fill("timeline", events=shown) if shown else ""
    return PageSection("timeline", "Timeline", f"{len(events):,} events", body)


def _events(events: Iterable[Event], start: datetime) -> Iterator[Markup]:
    now = 0.0
    for event in events:
        # The order is that of the ledger; a clock that was set back does not make a later event an earlier one.
        now = max(now, since(start, event.at))
        node = event.payload.get("node") or event.subject.partition("/")[2]
        yield fill(
            "event",
            since=how_long(now),
            kind=event.kind,
            node=str(node or ""),
            words=markup(_words(event), limit=300),
            data=data_of(dict(event.payload), limit=4000),
        )


def _words(event: Event) -> str:
    """Say what an event is about: by the tree's words, or by the first sentence of its story."""
    if event.kind.startswith(("promise.", "effect.")):
        return event_words(event)
    said = next(iter(tell([event])), "").strip()
    return said.removeprefix(f"{event.kind.partition('.')[2]}: ")
