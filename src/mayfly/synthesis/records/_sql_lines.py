"""Write how lines are cut into cells by SQL: by a pattern, by keys, by paths into objects."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mayfly.synthesis.records import _shape
from mayfly.synthesis.records._model import Field, Fixed, Format, Part, Slot
from mayfly.synthesis.records._sql_text import broken, call, identifier, literal

# Slots through which nothing but numbers and moments passes, and those that are never empty.
_SURE = frozenset(("int", "float", "code", "time"))
_FILLED = ("word", "code", "letters")
# What may stand before a pair: anything, but no half of a text in quotes.
_BEFORE = r'^(?:[^"]|"(?:[^"\\]|\\.)*")*?'
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_REQUEST = {
    "method": ("regexp_extract", r"^([A-Za-z-]+) .*[^ ].* HTTP/[^ ]*$", "1"),
    "path": ("regexp_replace", r"^[A-Za-z-]+ (.*[^ ].*) HTTP/[^ ]*$", r"'\1'"),
    "protocol": ("regexp_extract", r"^[A-Za-z-]+ .*[^ ].* (HTTP/[^ ]*)$", "1"),
}
_CLASS = r"\\[wS]|\[(?:[^\]\\]|\\.)+\]"
_AHEAD, _BEHIND = re.compile(rf"\(\?!({_CLASS})\)\Z"), re.compile(rf"\(\?<!({_CLASS})\)")


@dataclass(frozen=True, kw_only=True)
class Cut:
    """How cells come from lines: columns are made of a line in *layers*, and the *cells* are expressions over the last.

    *json* has what is shown of cells that hold more than texts. Of *sure* ones nobody need ask whether they fit.
    """

    cells: Mapping[str, str] = field(default_factory=dict)
    json: Mapping[str, str] = field(default_factory=dict)
    layers: Sequence[Sequence[str]] = ()
    fits: Sequence[str] = ()
    sure: Collection[str] = ()
    # Whether the conditions ask for the line itself.
    line: bool = False


class Group(NamedTuple):
    """A group of a pattern: the column it makes, and the field that it holds."""

    column: str
    name: str


def cut_lines(found: Format, used: Sequence[Field], names: Mapping[str, str]) -> Cut:
    """Return how the lines of a format are cut; *names* are those of columns by their titles."""
    if found.kind == "plain":
        return Cut(cells={one.title: "line" if one.origin == "own" else derived(one, "line") for one in used})
    if found.kind == "pattern":
        return _matched(found, used, names)
    return _paired(found, used, names) if found.kind == "pairs" else _opened(found, used, names)


def can_cut(found: Format, one: Field) -> bool:
    """Say whether SQL can cut a field out of a line: the patterns of DuckDB look neither ahead nor behind."""
    if found.kind in ("json", "objects"):
        return "" not in map(_step, one.path)
    return one.origin in ("own", "pair") or translated(one.pattern, every=one.origin == "all") is not None


# Patterns.


def _matched(found: Format, used: Sequence[Field], names: Mapping[str, str]) -> Cut:
    """Cut lines by their shapes: one pattern, with a group for every cell in each of them."""
    wanted, parts = _wanted(found, used)
    columns = {one.name: names[one.title] for one in found.fields}
    # Only a group that is never empty tells by itself that a line fits.
    telling = next((name for name in (*wanted, *columns) if wanted and _is_filled(found, name)), "")
    pattern, groups = _line_pattern(found, wanted | ({telling} if telling else set()), columns)
    texts = {name: identifier(column) for name, column in columns.items()}
    further = [one for one in used if one.origin != "own"]
    # A part of a request needs no column of its own where it is used once.
    once = parts & {one.name for one in used if one.kind == "text"} - {one.within for one in further}
    layers = [
        [_extracted(pattern, groups)] if groups else [],
        _joined_groups(groups, columns) if len(found.shapes) > 1 else [],
        [f"{_part_of_request(name)} AS {texts[name]}" for name in sorted(parts - once)]
        + [f"{derived(one, texts.get(one.within, 'line'))} AS {texts[one.name]}" for one in further],
        _unquoted([texts[one.name] for one in further if one.origin == "pair"]),
    ]
    texts |= {name: _part_of_request(name) for name in once}
    whole = f"{texts[telling]} <> ''" if telling else f"regexp_matches(line, {pattern})"
    return Cut(
        cells={one.title: texts[one.name] for one in used},
        layers=[*filter(None, layers)],
        fits=[*_not_passed(found), whole],
        sure={one.title for one in used if one.numeral.bare and _styles(found, one.name) <= _SURE},
        line=bool(found.passed) or not telling,
    )


def _wanted(found: Format, used: Sequence[Field]) -> tuple[set[str], set[str]]:
    """Return which groups of the pattern are needed, and which parts of a request are cut out of one of them."""
    requests = any("request" in _shape.groups(shape) for shape in found.shapes)
    asked = {one.within if one.origin != "own" else one.name for one in used} - {""}
    parts = {name for name in asked if requests and name in _REQUEST}
    return asked - parts | ({"request"} if parts else set()), parts


def _not_passed(found: Format) -> list[str]:
    return [f"NOT regexp_full_match(line, {literal(found.passed)})"] if found.passed else []


def _extracted(pattern: str, groups: Sequence[Group]) -> str:
    """Return the columns that the groups of a pattern make of a line."""
    names = ", ".join(literal(group.column) for group in groups)
    return f"unnest({call('regexp_extract', ['line', pattern, f'[{names}]'])})"


def _joined_groups(groups: Sequence[Group], columns: Mapping[str, str]) -> list[str]:
    """Return the columns that hold what any of several shapes has; the groups of the others are empty."""
    held: dict[str, list[str]] = {}
    for column, name in groups:
        held.setdefault(name, []).append(identifier(column))
    return [f"{' || '.join(parts)} AS {identifier(columns.get(name, name))}" for name, parts in held.items()]


def _part_of_request(name: str) -> str:
    function, pattern, what = _REQUEST[name]
    return f"{function}(request, {literal(pattern)}, {what})"


def _line_pattern(found: Format, wanted: Collection[str], columns: Mapping[str, str]) -> tuple[str, list[Group]]:
    """Return the pattern of all shapes as a literal, with a group for each of the *wanted* fields in each of them."""
    pieces, groups = ["^"], []
    for number, shape in enumerate(found.shapes, start=1):
        pieces.append("" if len(found.shapes) == 1 else "|" if number > 1 else "(?:")
        for place, part in enumerate(shape.parts):
            if isinstance(part, Fixed):
                pieces[-1] += _shape.fixed_pattern(
                    _after_any(part.text, shape.parts[place - 1] if place else None, wanted)
                )
                continue
            body = _slot(part, _shape.following(shape.parts, place))
            if part.name in wanted:
                column = columns.get(part.name, part.name)
                groups.append(Group(f"{column} {number}" if len(found.shapes) > 1 else column, part.name))
            pieces.append(f"({body})" if part.name in wanted else f"(?:{body})" if "|" in body else body)
    last = found.shapes[0].parts[-1]
    anything = isinstance(last, Slot) and last.style == "rest" and last.name not in wanted
    if anything and len(found.shapes) == 1:
        pieces.pop()
    else:
        pieces.append("$" if len(found.shapes) == 1 else ")$")
    return broken(pieces), groups


def _after_any(text: str, before: Part | None, wanted: Collection[str]) -> str:
    """Leave blanks to the slot before them that takes any sign but the next one: so there is one way only to match."""
    any_sign = isinstance(before, Slot) and before.style == "upto" and before.name not in wanted and text.strip(" ")
    return text.lstrip(" ") if any_sign else text


def _slot(slot: Slot, following: str) -> str:
    """Return the pattern of a slot; text up to the first of some signs is as little as there can be before them."""
    if slot.style == "text" and following:
        return ".*?"
    if slot.style == "int" and slot.optional:
        return "-?[0-9]{0,18}"
    return _shape.slot_pattern(slot, following)


def _styles(found: Format, name: str) -> set[str]:
    """Return the styles of the slots that hold a field; a slot that may hold a dash has one of its own."""
    slots = [slot for shape in found.shapes for slot in _shape.slots(shape.parts) if slot.name == name]
    return {slot.style for slot in slots} or {"text"}


def _is_filled(found: Format, name: str) -> bool:
    """Say whether the only shape has something in a slot whenever a line fits it."""
    slots = [slot for shape in found.shapes for slot in _shape.slots(shape.parts) if slot.name == name]
    return (
        len(found.shapes) == 1
        and bool(slots)
        and all(not slot.optional and (slot.style in _FILLED or slot.style in _SURE) for slot in slots)
    )


# What is found inside texts.


def derived(one: Field, text: str) -> str:
    """Return the expression of a value that is found inside a text."""
    if one.origin == "pair":
        key = re.escape(one.pattern)
        return _pair(text, rf'(?:^|[\s,;(\[{{|]){key}=|"{key}": ?')
    pattern, groups = translated(one.pattern, every=one.origin == "all") or ("", 0)
    if one.origin == "all":
        return f"regexp_extract_all({text}, {literal(pattern)}, 1)"
    return " || ".join(f"regexp_extract({text}, {literal(pattern)}, {at})" for at in range(1, groups + 1))


def translated(pattern: str, *, every: bool) -> tuple[str, int] | None:
    """Return a pattern that looks neither ahead nor behind, and how many groups may hold its value; None without such.

    What stood beside the value is part of the match then; of *every* one the next may begin where it stands.
    """
    body, before, after = pattern, "", ""
    if found := _BEHIND.match(body):
        body, before = body[found.end() :], f"(?:^|{_not(found[1])})"
    if found := _AHEAD.search(body):
        body, after = body[: found.start()], f"(?:$|{_not(found[1])})"
    elif (at := body.rfind("(?=")) >= 0 and _closes(body[at:]):
        body, after = body[:at], f"(?:{body[at + 3 : -1]})"
    groups = re.compile(pattern).groups
    if re.search(r"\(\?(?:<?[=!]|P=)|\\[1-9]", body + after) or (every and (after or groups)):
        return None
    if (before or after) and _is_split(body):
        return None
    body = body if groups else f"({body})"
    return _with_letters(before + body + after), max(groups, 1)


def _closes(text: str) -> bool:
    """Say whether the bracket that a text begins with is closed by its end."""
    depth = 0
    for place, token in enumerate(tokens := re.findall(r"\\.|\[(?:[^\]\\]|\\.)+\]|.", text)):
        depth += (token == "(") - (token == ")")
        if not depth:
            return place == len(tokens) - 1
    return False


def _is_split(text: str) -> bool:
    """Say whether a pattern has alternatives outside of all brackets."""
    depth = 0
    for token in re.findall(r"\\.|\[(?:[^\]\\]|\\.)+\]|.", text):
        depth += (token == "(") - (token == ")")
        if token == "|" and not depth:
            return True
    return False


def _not(signs: str) -> str:
    """Return the class of all signs but some."""
    if signs == r"\S":
        return r"\s"
    inner = r"\w" if signs == r"\w" else signs[1:-1]
    return f"[{inner[1:]}]" if inner[0] == "^" else f"[^{inner}]"


def _with_letters(pattern: str) -> str:
    r"""Return a pattern in which \w stands for the letters of all languages."""
    found, inside = "", False
    for token in re.findall(r"\\.|.", pattern):
        letters = r"\p{L}\p{N}_"
        found += {r"\w": letters if inside else f"[{letters}]", r"\Z": r"\z"}.get(token, token)
        inside = token == "[" or (inside and token != "]")
    return found


def _pair(text: str, before: str, bare: str = r'[^\s,;)\]}|{\["]*') -> str:
    """Return the value behind a key, with its quotes."""
    return f"regexp_extract({text}, {literal(f'{_BEFORE}(?:{before})({_QUOTED}|{bare})')}, 1)"


def _unquoted(columns: Sequence[str]) -> list[str]:
    """Return columns without the quotes around their values, and without the backslashes inside these."""
    replaced = [
        rf"""if(starts_with({one}, '"'), regexp_replace({one}[2:-2], '\\(.)', '\1', 'g'), {one}) AS {one}"""
        for one in columns
    ]
    return [f"* {call('REPLACE ', replaced)}"] if columns else []


def _paired(found: Format, used: Sequence[Field], names: Mapping[str, str]) -> Cut:
    """Find the values of keys; a line with none of them is not understood."""
    keys = "|".join(re.escape(one.path[0]) for one in found.fields)
    columns = {one.title: identifier(names[one.title]) for one in used}
    layer = []
    for one in used:
        value = _pair("line", rf"(?:^|\s){re.escape(one.path[0])}=", r"\S*")
        layer.append(f"{value} AS {columns[one.title]}")
    known = literal(rf"(?:^|\s)(?:{keys})=")
    return Cut(
        cells=columns,
        layers=[layer, _unquoted([*columns.values()])] if layer else [],
        fits=[*_not_passed(found), f"regexp_matches(line, {known})"],
        line=True,
    )


# Objects.


def _opened(found: Format, used: Sequence[Field], names: Mapping[str, str]) -> Cut:
    """Follow the paths of fields into objects; in a list of objects to what each of them has."""
    lists = {one.path for one in found.fields if one.kind == "list"}
    texts, json, layer = {}, {}, []
    for one in used:
        path = literal("$" + "".join(_steps(one.path, lists)))
        texts[one.title] = f"TRY(line ->> {path})"
        if one.mixed or one.kind == "list":
            json[one.title] = f"TRY(to_json(line -> {path}))" if "[*]" in path else f"TRY(line -> {path})"
        if one.kind == "list" and "[*]" not in path:
            texts[one.title] = f"TRY_CAST({json[one.title]} AS VARCHAR[])"
        if one.kind not in ("text", "list"):
            layer.append(f"{texts[one.title]} AS {identifier(names[one.title])}")
            texts[one.title] = identifier(names[one.title])
    fits = ["json_valid(line)", "ltrim(line) LIKE '{%'"]
    return Cut(cells=texts, json=json, layers=[layer] if layer else [], fits=fits, line=True)


def _steps(path: Sequence[str], lists: Collection[tuple[str, ...]]) -> Iterable[str]:
    for at, key in enumerate(path):
        within = tuple(path[: at + 1]) in lists and at < len(path) - 1
        yield _step(key) + ("[*]" if within else "")


def _step(key: str) -> str:
    """Return a key as a step of a path; empty where no path can have it."""
    if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", key):
        return f".{key}"
    return "" if not key.isprintable() or set(key) & set('"\\*') else f'."{key}"'
