"""Cards, histories and orders of tools as people read them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mayfly.core import harmless, one_line

if TYPE_CHECKING:
    from mayfly.library import Card, ToolMade
    from mayfly.store import Event, ToolRow


def card_lines(card: "Card", row: "ToolRow") -> Iterator[str]:
    """Yield a card, one fact a line."""
    stands = "serves" if row.version == card.version and row.state == "serving" else row.state
    if row.version != card.version:
        stands = f"version {row.version} serves" if row.version else "deleted"
    yield f"{card.name}, version {card.version} ({stands}): {harmless(card.summary)}"
    facts = {
        "takes": _shape(card.input_schema),
        "gives": _type(card.output_schema),
        "reaches": f"{', '.join(card.opened) or 'nothing'} (given: {', '.join(card.grants) or 'nothing'})",
        "time": f"{card.seconds:g} s a call",
        "proof": f"{card.strength}: {card.tests} tests, {_mutants(card)}",
        "witness": card.witness,
        "open": "; ".join(str(one.get("what", "")) for one in card.proof.get("open", ())) or "nothing",
        "gates": ", ".join(f"{one['gate']} {one['code'].lower()}" for one in card.verdicts),
        "written": f"by {card.author}" + (f", ordered by {card.by}" if card.by and card.by != card.author else ""),
        "tests by": card.tests_by or "-",
        "model": card.model or "none",
        "cost": f"{card.cost.get('model_calls', 0):g} model calls, ${card.cost.get('money', 0):g}, "
        f"{card.cost.get('seconds', 0):.1f} s",
        "parent": f"version {card.parent}" if card.parent else "none",
        "used": f"{row.calls} calls, {row.failures} failed",
        "source": card.source_hash,
    }
    for name, said in facts.items():
        yield f"  {name:<9} {one_line(harmless(said), limit=400)}"


def log_lines(events: "Sequence[Event]", heads: Mapping[int, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield what happened to a tool, as rows of a table."""
    for event in events:
        said = dict(event.payload)
        version = said.get("version", "")
        head = heads.get(version, {}) if isinstance(version, int) else {}
        match event.kind:
            case "tool.written":
                what = f"written: {head.get('strength', '')}; {head.get('summary', '')}"
            case "tool.served":
                what = f"serves again ({said.get('why') or 'rollback'})"
            case "tool.refused":
                what = f"refused: {said.get('reason', '')}"
            case _:
                what = event.kind.partition(".")[2]
        yield (
            f"{event.at:%Y-%m-%d %H:%M:%S}",
            f"version {version}" if version else "-",
            f"by {said.get('by') or '-'}",
            one_line(harmless(what), limit=120),
        )


def made_lines(made: "ToolMade") -> Iterator[str]:
    """Yield what came of an order."""
    if made.accepted:
        yield f"{made.name}, version {made.version}, serves ({one_line(made.reason, limit=300)})"
        shown = ", ".join(f'"{name}": …' for name in made.card.required) if made.card is not None else ""
        yield f"call it: mayfly tools call {made.name} '{{{shown}}}'"
        return
    yield f"refused: {one_line(made.reason, limit=400)}"
    if made.fix:
        yield f"  {one_line(made.fix, limit=400)}"
    if made.question:
        yield f"  asked: {one_line(made.question, limit=400)}"


def _mutants(card: "Card") -> str:
    number = card.proof.get("mutants", 0)
    return f"{card.proof.get('mutants_killed', 0)} of {number} mistakes noticed" if number else "no mistakes tried"


def _shape(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    parts = [
        f"{name}: {_type(inner)}" + ("" if name in required else f" = {json.dumps(inner.get('default'))}")
        for name, inner in schema.get("properties", {}).items()
    ]
    return ", ".join(parts)


def _type(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    kind = str(schema.get("type", "anything"))
    if kind == "array" and isinstance(schema.get("items"), Mapping):
        return f"array of {_type(schema['items'])}"
    return kind
