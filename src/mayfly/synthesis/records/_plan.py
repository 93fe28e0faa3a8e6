"""Plan a program from an intent and a sample: detect the format, understand the words, write the source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mayfly.synthesis.records import _detect, _emit, _java, _lexicon, _tell
from mayfly.synthesis.records._emit_test import word_regex
from mayfly.synthesis.records._model import Condition, Format, Operation, Plan, Unable
from mayfly.synthesis.records._text import clean, lines_of
from mayfly.synthesis.records._understand import Understood, understand

MOST_LINES = 5000
HOLD_OUT_FROM = 8
HOLD_OUT_EVERY = 4
_SEEK = frozenset(
    {"find", "identify", "detect", "search", "grep", "extract", "list", "show", "locate", "get", "filter", "keep"}
)
_NOUNS = frozenset({"lines", "entries", "messages", "patterns", "events", "records"})
_THROWN = (
    r"(?<!top )(?<!common )(?<!unique )(?<!distinct )(?<!frequent )(?<!by )(?<!per )"
    r"(?:exceptions?|errors?)(?! (?:type|class))"
    r"(?=$|\s+(?:by|per|that|with|where|containing|sorted|from|in|patterns?))"
)
HELPS = ("give examples of input and output", "set a model that can write the program")


class Drafted(NamedTuple):
    """What was understood before any code is written."""

    format: Format
    operation: Operation
    understood: Understood
    held_out: bool


def split(sample: Sequence[object]) -> tuple[list[object], list[object]]:
    """Part a sample into what formats are learned from and what is held out to try them on: every fourth line."""
    items: list[object] = list(lines_of(sample) or sample)[:MOST_LINES]
    if len(items) < HOLD_OUT_FROM:
        return items, []
    held = [item for index, item in enumerate(items) if index % HOLD_OUT_EVERY == HOLD_OUT_EVERY - 1]
    return [item for index, item in enumerate(items) if index % HOLD_OUT_EVERY != HOLD_OUT_EVERY - 1], held


def draft(intent: str, sample: Sequence[object]) -> Drafted | Unable:
    """Return the format and the operation, or what stands in the way."""
    if not intent.strip():
        return Unable(
            reason="nothing was asked", helps=("say what to do with the lines, for example: count the lines by level",)
        )
    learned, held = split(sample)
    items = [*learned, *held]
    if not any(item if not isinstance(item, str) else item.strip() for item in items):
        return Unable(
            reason="the sample has no lines to learn the format from",
            helps=("give some lines of input with --input", *HELPS),
        )
    found = _format(intent, learned)
    whole = _format(intent, items) if held else found
    kept = _fit(found, held) >= 0.9 * _fit(whole, held) and _names(found) == _names(whole)
    found = replace(found, fitted=whole.fitted, total=whole.total, continued=whole.continued) if kept else whole
    understood = understand(_spoken(intent, found), found)
    understood = _sought(intent, understood, items)
    if understood.problems or understood.unknown:
        return _unable(understood, found)
    return Drafted(found, understood.operation, understood, kept and bool(held))


def _names(found: Format) -> tuple[object, ...]:
    return (found.kind, *((field.name, field.kind, field.optional) for field in found.fields))


def _format(intent: str, items: Sequence[object]) -> Format:
    """Detect the format; an intent about exceptions or memory reads the same lines for those."""
    lines = [str(item) for item in items] if all(isinstance(item, str) for item in items) else []
    if lines and _java.wants_memory(intent) and any(_java.MEMORY in line for line in lines):
        return _java.memory_format(lines)
    if lines and _java.wants_memory(intent) and _java.wants_traces(intent):
        return _java.memory_format(lines)
    found = _detect.detect(items)
    if lines and _java.wants_traces(intent) and found.kind in ("plain", "pattern"):
        traces = _java.trace_format(lines)
        return traces if traces.fitted else found
    return found


def _spoken(intent: str, found: Format) -> str:
    """Take out the words that only said which records are meant."""
    terms = _lexicon.table("terms")["oom"] if found.kind == "memory" else []
    if found.kind in ("memory", "trace"):
        terms = [*terms, "stack traces?", "stacktraces?", "tracebacks?"]
    if found.kind == "trace":
        terms.append(_THROWN)
    for term in terms:
        intent = re.sub(rf"(?i)(?<!\w){term}(?!\w)(?:\s+errors?(?!\w))?", " records ", intent)
    return intent


def _fit(found: Format, items: Sequence[object]) -> float:
    from mayfly.synthesis.records._scan import rows

    filled = [item for item in items if not isinstance(item, str) or item.strip()]
    return len(rows(found, filled)) / len(filled) if filled else 1.0


def _sought(intent: str, understood: Understood, items: Sequence[object]) -> Understood:
    """Take unknown words next to each other as text to look for, if that was asked and lines have it."""
    words = [word.lower() for word in re.findall(r"[A-Za-z']+", intent)]
    asked = bool(_SEEK & {_lexicon.singular(word) for word in words} or set(words[-1:]) & _NOUNS)
    asked = asked or understood.operation == Operation() or _followed(intent, " ".join(understood.unknown))
    if not understood.unknown or not asked:
        return understood
    text = " ".join(understood.unknown)
    spellings = [text, _lexicon.singular(text), *(_lexicon.table("terms")["oom"] if _java.wants_memory(text) else [])]
    if not re.search(rf"(?i)(?<!\w){re.escape(text)}(?!\w)", intent):
        return understood
    for spelt in dict.fromkeys(spellings):
        seen = re.compile(word_regex(spelt))
        if any(seen.search(clean(item)) for item in items if isinstance(item, str)):
            condition = Condition(field="", operator="word", value=spelt)
            operation = understood.operation
            changed = replace(operation, conditions=(*operation.conditions, condition))
            return understood._replace(
                operation=changed, unknown=(), notes=(*understood.notes, f"lines with the word {spelt!r} are taken")
            )
    return understood


def _followed(intent: str, text: str) -> bool:
    """Whether the words stand right before what they describe, as in heap space errors."""
    nouns = "lines|entries|messages|patterns|events|records|errors|warnings|failures|exceptions"
    return re.search(rf"(?i)(?<!\w){re.escape(text)}\s+(?:{nouns})(?!\w)", intent) is not None


def _unable(understood: Understood, found: Format) -> Unable:
    names = ", ".join(field.name for field in found.fields[:20]) or "none"
    reasons = list(understood.problems)
    if understood.unknown:
        reasons.append(f"these words were not understood: {', '.join(understood.unknown)}")
    helps = (f"use the names of the fields, which are {names}", *HELPS)
    return Unable(reason="; ".join(dict.fromkeys(reasons)), helps=helps)


def plan(intent: str, sample: Sequence[object]) -> Plan | Unable:
    """Return a program that does what the intent asks with lines like those of the sample, or why there is none."""
    drafted = draft(intent, sample)
    if isinstance(drafted, Unable):
        return drafted
    found, operation, understood, _ = drafted
    if found.kind in ("plain",) and not operation.conditions and operation.records:
        return Unable(reason="the lines have no shape that could be found, and nothing was asked of them", helps=HELPS)
    description = _tell.tell(found, operation)
    source, entry = _emit.write(found, operation, description)
    notes = (*understood.notes, *_tell.notes(found))
    return Plan(
        format=found,
        operation=operation,
        source=source,
        entry=entry,
        description=description,
        confidence=_confidence(found, understood),
        notes=notes,
        question=understood.question,
    )


def _confidence(found: Format, understood: Understood) -> float:
    """Return how sure the author is: less for lines that do not fit, learned shapes, and anything that was assumed."""
    fit = found.fitted / found.total if found.total else 0.5
    known = 0.95 if found.name != "learned lines" and found.kind != "plain" else 0.85
    assumed = 0.1 * len(understood.notes) + (0.3 if understood.question else 0.0)
    return round(max(0.1, known * fit - assumed), 2)
