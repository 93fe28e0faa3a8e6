"""What was parsed has structure: it is neither nothing nor the text itself, and no record of it is empty."""

NOTHING = ("", "null", "none", "nil", "~")


def nothing(value):
    """Whether there was nothing to be parsed: no text, or one without a letter or a digit such as {}."""
    if isinstance(value, str):
        return value.strip().lower() in NOTHING or not any(map(str.isalnum, value))
    return not value and not isinstance(value, (int, float))


def check(input, output):
    if output is None or output == {}:
        return nothing(input)
    if output == input and type(output) is type(input):
        return not input
    records = output if isinstance(output, list) else [output]
    if isinstance(input, list) and len(records) == len(input):
        return all((record is not None and record != {}) or nothing(line) for record, line in zip(records, input))
    return all(record is not None and record != {} for record in records)
