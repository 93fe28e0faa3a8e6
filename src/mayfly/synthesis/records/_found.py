"""Find columns inside running text: pairs, phrases that name a value, exceptions, addresses, dates, amounts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from mayfly.synthesis.records import _kinds, _phrases
from mayfly.synthesis.records._cells import pairs_of, records_of
from mayfly.synthesis.records._model import Field, Format, Numeral
from mayfly.synthesis.records._numbers import convention_of
from mayfly.synthesis.records._rows import messages_of

# So many records have to have a value for it to be a column; so few may be chance.
ENOUGH = 0.02
FEWEST = 3
MOST_PAIRS = 40
# So many messages, from all over the log, tell what there is to be found, and so many what it looks like.
LOOKED_AT = 1000
DESCRIBED_BY = 5000
# What says something only where it is not always the same.
_TELLING = frozenset({"result", "tag", "action", "service"})
_THROWN = r"(?:[A-Za-z_$][\w$]*\.)+[A-Za-z_$][\w$]*|[A-Z]\w*[a-z]\w*"
_NAMED = r"(?:[A-Za-z_$][\w$]*\.)+[A-Z][\w$]*|[A-Z]\w*(?:Error|Exception)"
_TRACE = r"Traceback \(most recent call last\):[\s\S]*\n"
_THREAD = r'\n(?:Exception in thread "[^"]*" )?'
# Of several tracebacks in a row the last one tells what came out; of Java's causes the first.
EXCEPTION = rf"(?m){_TRACE}({_THROWN})(?=: |$)|{_THREAD}({_NAMED})(?=: |$)"
MESSAGE = rf"(?m){_TRACE}(?:{_THROWN}): (.*)$|{_THREAD}(?:{_NAMED}): (.*)$"


@cache
def _table() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads(files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8"))


@cache
def _text_patterns() -> dict[str, str]:
    return {entry["name"]: entry["pattern"] for entry in _table()["text"]}


def with_found(found: Format, lines: Sequence[str]) -> Format:
    """Return a format with the columns that are found inside the texts of its records."""
    if found.kind == "plain":
        return replace(found, fields=(*found.fields, *_in_plain_text(lines)))
    message = next((one for one in found.fields if one.role == "message" and one.origin == "own"), None)
    if found.kind != "pattern" or message is None:
        return found
    records = [text for _, text in records_of(found, lines) if text.strip()]
    held = _spread([one or "" for one in messages_of(found, records, message.name)], DESCRIBED_BY)
    taken = [one.name.lower() for one in found.fields]
    roles = {one.role for one in found.fields}
    more: list[Field] = []
    for step in (_exceptions, _pairs, _known_phrases, _phrases_of, _listed):
        texts = records if step is _exceptions else held
        new = step(texts, taken, "" if step is _exceptions else message.name)
        # What has a place of its own in every line is what a role speaks of.
        more += [replace(one, role="") if one.role in roles else one for one in new]
        taken += [one.name.lower() for one in new]
    return replace(found, fields=(*found.fields, *_each_once(more)))


def _spread(texts: Sequence[str], number: int) -> Sequence[str]:
    """Return so many texts from all over some."""
    return texts[:: max(1, len(texts) // number)]


def _each_once(fields: Sequence[Field]) -> list[Field]:
    """Leave out what was found by its look only, and stands in a pair as well."""
    paired = {one.role for one in fields if one.origin == "pair"}
    return [one for one in fields if one.origin != "search" or one.name != one.role or one.role not in paired]


def _in_plain_text(lines: Sequence[str]) -> list[Field]:
    whole = "\n".join(lines)
    fields = []
    for entry in _table()["text"]:
        pattern = re.compile(entry["pattern"])
        if entry.get("needs", "") not in whole or not pattern.search(whole):
            continue
        numeral = Numeral()
        if entry.get("numbers"):
            texts = [match[match.lastindex or 0] for match in pattern.finditer(whole)]
            convention = convention_of(texts, english=True)
            if convention is None or convention.trouble:
                continue
            numeral = convention.numeral._replace(whole=False, accounting=True)
        role = entry.get("role", "")
        name = entry["name"]
        fields.append(Field(name=name, kind="list", role=role, origin="all", pattern=pattern.pattern, numeral=numeral))
    return fields


def _exceptions(records: Sequence[str], taken: Sequence[str], within: str) -> list[Field]:
    shown = [text for text in records if "\n" in text]
    pattern = re.compile(EXCEPTION)
    if not any(pattern.search(text) for text in shown):
        return []
    kind = Field(name="exception_type", heading="exception type", role="exception", origin="search", pattern=EXCEPTION)
    said = Field(name="exception_message", heading="exception message", origin="search", pattern=MESSAGE)
    return [replace(one, optional=True, partial=True) for one in (kind, said)]


def _pairs(texts: Sequence[str], taken: Sequence[str], within: str) -> list[Field]:
    seen: dict[str, list[str]] = {}
    for text in texts:
        if "=" in text or '":' in text:
            for key, value in pairs_of(text).items():
                seen.setdefault(key, []).append(value)
    enough = max(FEWEST, len(texts) * ENOUGH)
    kept = sorted((key for key in seen if len(seen[key]) >= enough), key=lambda key: -len(seen[key]))[:MOST_PAIRS]
    fields: list[Field] = []
    for key in (key for key in seen if key in set(kept)):
        name = _kinds.identifier(key, [*taken, *(one.name for one in fields)])
        if name.lower() in taken:
            continue
        if whole := _up_to_semicolon(key, name, texts, within):
            fields.append(whole)
            continue
        field = _kinds.describe(name, seen[key], path=(key,), missing=True)
        fields.append(replace(field, origin="pair", pattern=key, within=within, partial=len(seen[key]) < len(texts)))
    return fields


def _up_to_semicolon(key: str, name: str, texts: Sequence[str], within: str) -> Field | None:
    """Return the column of pairs with semicolons between them, with spaces inside: "COMMAND=/usr/bin/docker ps"."""
    apart = [text for text in texts if re.search(rf"; *{re.escape(key)}=|\b{re.escape(key)}=[^;]*;", text)]
    pattern = rf"(?:^|[;\s]){re.escape(key)}=([^\s;\"'][^;]*?)(?= *;|$)"
    spaced = [text for text in apart if (match := re.search(pattern, text)) and " " in match[1]]
    if len(spaced) * 10 < len(apart) or not spaced:
        return None
    return searched(name, pattern, texts, within)


def _known_phrases(texts: Sequence[str], taken: Sequence[str], within: str) -> list[Field]:
    fields: list[Field] = []
    for entry in _table()["message"]:
        pattern = _text_patterns()[entry["like"]] if "like" in entry else entry["pattern"]
        if entry["name"] in taken:
            continue
        fewest = 2 if entry["name"] in _TELLING else 1
        field = searched(entry["name"], pattern, texts, within, role=entry.get("role", ""), fewest=fewest)
        fields += [field] if field else []
    return fields


def _listed(texts: Sequence[str], taken: Sequence[str], within: str) -> list[Field]:
    """Return what plain text is looked through for as well, where enough messages have it."""
    probe = _spread(texts, LOOKED_AT)
    enough = max(FEWEST, len(probe) * ENOUGH)
    fields = _in_plain_text(probe)
    counts = {one.name: sum(1 for text in probe if re.search(one.pattern, text)) for one in fields}
    return [replace(one, within=within) for one in fields if one.name not in taken and counts[one.name] >= enough]


def _phrases_of(texts: Sequence[str], taken: Sequence[str], within: str) -> list[Field]:
    fields: list[Field] = []
    for phrase in _phrases.mine(_spread(texts, LOOKED_AT)):
        if phrase.name.lower() not in taken:
            field = searched(phrase.name, phrase.pattern, texts, within, fewest=2)
            fields += [field] if field else []
    return fields


def searched(
    name: str, pattern: str, texts: Sequence[str], within: str, role: str = "", fewest: int = 1
) -> Field | None:
    """Return the column of what a pattern finds in texts; None where it finds too little, or too often the same."""
    compiled = re.compile(pattern)
    probe = _spread(texts, LOOKED_AT)
    if sum(1 for text in probe if compiled.search(text)) < min(FEWEST, len(probe) * ENOUGH):
        return None
    matches = [match for text in texts if (match := compiled.search(text))]
    values = [match[match.lastindex or 0] for match in matches]
    if len(values) < max(FEWEST, len(texts) * ENOUGH) or len(set(values)) < fewest:
        return None
    field = _kinds.describe(name, values, missing=True)
    return replace(
        field,
        role=field.role or role,
        origin="search",
        pattern=pattern,
        within=within,
        partial=len(values) < len(texts),
    )
