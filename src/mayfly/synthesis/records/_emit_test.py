"""Write the part of a program that decides which records are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mayfly.synthesis.records import _times
from mayfly.synthesis.records._model import Condition, Field, Operation
from mayfly.synthesis.records._source import Source, literal, raw

_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def expression(source: Source, condition: Condition, field: Field) -> str:
    """Return the expression that is true for records that satisfy the condition."""
    held = f"record.{field.name}"
    text = _expression(source, condition, field, held)
    return f"not ({text})" if condition.negated else text


def _expression(source: Source, condition: Condition, field: Field, held: str) -> str:
    operator, value = condition.operator, condition.value
    if operator in ("during", "clock"):
        return _timed(source, condition, field, held)
    if operator in ("contains", "prefix", "suffix", "word"):
        return _textual(source, condition, field, held)
    if operator == "range" and isinstance(value, tuple):
        between = f"{value[0]} <= {held} < {value[1]}"
        return f"{held} is not None and {between}" if field.optional else between
    if operator == "in":
        return f"{held} in {literal(value)}"
    if value is None or isinstance(value, bool):
        return f"{held} is {value}"
    sign = _SIGNS[operator]
    if field.optional and operator not in ("eq", "ne"):
        return f"{held} is not None and {held} {sign} {literal(value)}"
    return f"{held} {sign} {literal(value)}"


def _textual(source: Source, condition: Condition, field: Field, held: str) -> str:
    text = f'({held} or "")' if field.optional else held
    value = str(condition.value)
    if condition.operator == "prefix":
        return f"{text}.startswith({literal(value)})"
    if condition.operator == "suffix":
        return f"{text}.endswith({literal(value)})"
    if condition.operator == "word":
        return f"{word_pattern(source, value)}.search({text}) is not None"
    return f"{literal(value)} in {text}" if condition.exact else f"{literal(value.lower())} in {text}.lower()"


def word_pattern(source: Source, word: str) -> str:
    """Add a pattern that finds a word whatever its case, and return its name."""
    source.use("re")
    number = sum(text.startswith("TERM") for text in source.constants) + 1
    name = "TERM" if number == 1 else f"TERM_{number}"
    source.constant(f"{name} = re.compile({raw(word_regex(word))})")
    return name


def word_regex(word: str) -> str:
    """Return a pattern for a word that is not part of a longer one."""
    return f"(?i)(?<![A-Za-z0-9_]){_times.escape(word)}(?![A-Za-z0-9_])"


def _timed(source: Source, condition: Condition, field: Field, held: str) -> str:
    start, end = condition.value if isinstance(condition.value, tuple) else (None, None)
    moment(source, field)
    number = sum(name.startswith("def in_time") for name in source.blocks) + 1
    name = "in_time" if number == 1 else f"in_time_{number}"
    tests = ["when is not None"]
    shown = "when.strftime('%H:%M:%S')".replace("'", '"') if condition.operator == "clock" else "when"
    for sign, bound, label in ((">=", start, "START"), ("<", end, "END")):
        if bound is not None:
            label = label if number == 1 else f"{label}_{number}"
            source.constant(f"{label} = {_bound(source, bound)}")
            tests.append(f"{shown} {sign} {label}")
    taken = field.annotation
    body = ["when = moment(value)", f"return {' and '.join(tests)}"]
    source.function(f"def {name}(value: {taken}) -> bool:", "Whether a moment lies in the time asked about.", body)
    return f"{name}({held})"


def _bound(source: Source, bound: object) -> str:
    if not isinstance(bound, datetime):
        return literal(bound)
    source.datetime.add("datetime")
    parts = [bound.year, bound.month, bound.day, bound.hour, bound.minute, bound.second]
    while len(parts) > 3 and not parts[-1]:
        parts.pop()
    return f"datetime({', '.join(map(str, parts))})"


def moment(source: Source, field: Field, *, instant: bool = False) -> None:
    """Add `moment`, which reads the values of *field*; without *instant* it reads the clock on the wall."""
    source.datetime.add("datetime")
    sliced = "" if instant else _sliced(source, field)
    strip = "" if instant or sliced or not _times.has_zone(field.layout) else ".replace(tzinfo=None)"
    reading = sliced or _reading(source, field)
    raised = "(OverflowError, ValueError)" if field.kind == "epoch" else "ValueError"
    body = ["try:", f"    return {reading}{strip}", f"except {raised}:", "    return None"]
    body = ["if value is None:", "    return None", *body] if field.optional else body
    docstring = "Return the moment a value names; None if it names none."
    if not instant and _times.has_zone(field.layout):
        docstring = "Return the time on the clock where a line was written; None if the value is no moment."
    source.function(f"def moment(value: {field.annotation}) -> datetime | None:", docstring, body)


def seconds(source: Source, field: Field) -> str:
    """Add what `rank` needs of a field of moments, and return the expression for one as a number."""
    moment(source, field, instant=True)
    if field.kind == "time" and "%z" in field.layout:
        return "when.timestamp()"
    source.datetime.add("timezone")
    if field.kind == "time" and "%Z" in field.layout:
        return "(when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp()"
    return "when.replace(tzinfo=timezone.utc).timestamp()"


def _sliced(source: Source, field: Field) -> str:
    """Return a reading by places, several times as fast as `strptime`, for layouts whose parts are always as wide."""
    if field.kind == "epoch" or source.kind != "pattern":
        return ""
    parts = {code: f"value[{at or ''}:{end}]" for code, (at, end) in _times.places(field.layout).items()}
    if not parts:
        return ""
    if "b" in parts:
        source.constant(f"MONTHS = {literal(''.join(_times.MONTHS))}")
    month = f"1 + MONTHS.index({parts['b']}) // 3" if "b" in parts else f"int({parts['m']})"
    finer = [code for code in PRECISIONS[source.precision] if code in parts]
    numbers = [f"int({parts['Y']})", month, *(f"int({parts[code]})" for code in ("d", *finer))]
    return f"datetime({', '.join(numbers)})"


def precision(operation: Operation) -> str:
    """Return how finely moments have to be read for an operation: to the day, the hour, the minute or the second."""
    wanted = {_of_condition(condition) for condition in (*operation.conditions, *operation.share)}
    wanted |= {key.bucket if key.bucket in PRECISIONS else "day" for key in operation.keys if key.bucket}
    return next((name for name in ("second", "minute", "hour") if name in wanted), "day")


def _of_condition(condition: Condition) -> str:
    if condition.operator == "clock":
        return "second"
    bounds = condition.value if condition.operator == "during" and isinstance(condition.value, tuple) else ()
    return (
        "day"
        if all(bound is None or bound == bound.replace(hour=0, minute=0, second=0) for bound in bounds)
        else "second"
    )


PRECISIONS = {"day": "", "hour": "H", "minute": "HM", "second": "HMS"}


def _reading(source: Source, field: Field) -> str:
    if field.kind == "epoch":
        source.datetime.add("timedelta")
        return f"datetime(1970, 1, 1) + timedelta({field.layout}=value)"
    if _times.is_iso(field.layout):
        return "datetime.fromisoformat(value)"
    shown, layout = "value", _times.strptime_format(field.layout)
    if "%F" in field.layout:
        source.use("re")
        source.constant('FRACTION = re.compile(r"(?<=:[0-9]{2})[.,][0-9]+")')
        shown = 'FRACTION.sub("", value)'
    if not _times.has_year(field.layout) and _times.has_date(field.layout):
        return f'datetime.strptime("{ASSUMED_YEAR} " + {shown}, "%Y {layout}")'
    return f'datetime.strptime({shown}, "{layout}")'


ASSUMED_YEAR = 2000


def line_tests(source: Source, conditions: Sequence[Condition]) -> list[str]:
    """Return the expressions for conditions on whole lines."""
    found = []
    for condition in conditions:
        value = str(condition.value)
        if condition.operator == "word":
            text = f"{word_pattern(source, value)}.search(line) is not None"
        else:
            text = f"{literal(value)} in line" if condition.exact else f"{literal(value.lower())} in line.lower()"
        found.append(f"not ({text})" if condition.negated else text)
    return found
