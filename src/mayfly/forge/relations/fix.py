"""What was fixed is there, can be read in its language, says no test fails, and is not what was broken."""

import ast
import json

# The language it has to be in, where the request names one, and whether it has to differ from the input.
LANGUAGE = ""
CHANGED = False

VERDICTS = ("passed", "tests_passed", "tests_pass", "all_passed", "success", "ok", "fixed")


def reads(text):
    try:
        if LANGUAGE == "json":
            json.loads(text)
        if LANGUAGE == "python":
            ast.parse(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def check(input, output):
    if output is None or output == "" or output == [] or output == {}:
        return False
    if isinstance(output, bool):
        return output
    if CHANGED and type(output) is type(input) and output == input:
        return False
    if isinstance(output, dict):
        return not any(output.get(name) is False for name in VERDICTS)
    return not isinstance(output, str) or reads(output)
