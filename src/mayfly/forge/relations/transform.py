"""What was asked to be in some notation can be read in that notation."""

import json
import re
from datetime import date, datetime

NOTATION = ""


def is_json(text):
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_iso(text):
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            read(text)
        except ValueError:
            continue
        return True
    return False


READERS = {
    "json": is_json,
    "iso": is_iso,
    "uppercase": lambda text: text == text.upper(),
    "lowercase": lambda text: text == text.lower(),
    "snake_case": lambda text: re.fullmatch(r"[a-z0-9_]*", text) is not None,
    "kebab_case": lambda text: re.fullmatch(r"[a-z0-9-]*", text) is not None,
    "hex": lambda text: re.fullmatch(r"-?(#|0x)?[0-9a-fA-F]*", text) is not None,
    "binary": lambda text: re.fullmatch(r"-?(0b)?[01]*", text) is not None,
    "base64": lambda text: re.fullmatch(r"[A-Za-z0-9+/_-]*={0,2}", text) is not None,
    "roman": lambda text: re.fullmatch(r"[IVXLCDMivxlcdm]*", text) is not None,
}


def check(input, output):
    if output is None:
        return input is None or input == "" or input == []
    items = output if isinstance(output, list) else [output]
    return all(not isinstance(item, str) or not item or READERS[NOTATION](item) for item in items)
