"""A verdict is True or False, a word for it, or a record that holds one; a check for something may list what it found."""

# Whether a list of findings is an answer as well.
FINDINGS = False

WORDS = frozenset(
    "valid invalid ok okay pass passed fail failed yes no true false accept accepted reject rejected revise".split()
)


def is_verdict(value):
    if isinstance(value, bool):
        return True
    if isinstance(value, str):
        return value.strip().lower() in WORDS
    if isinstance(value, dict):
        return any(isinstance(item, bool) or (isinstance(item, str) and is_verdict(item)) for item in value.values())
    return False


def check(input, output):
    if is_verdict(output):
        return True
    if isinstance(output, dict):
        return bool(output) and (all(map(is_verdict, output.values())) or FINDINGS)
    if isinstance(output, list):
        return FINDINGS or (bool(output) and all(map(is_verdict, output)))
    return False
