"""A task that programs by example cannot find, so that a model is asked: count the bits of a number that are set."""

import json

GOOD = '''"""Bits."""


class Bits:
    """Count the bits of numbers."""

    def invoke(self, input: int) -> int:
        """Return how many bits of the input are set."""
        return bin(input).count('1')
'''
WRONG = GOOD.replace("'1'", "'0'")
BROKEN = GOOD.replace("def invoke(", "def invoke((")
INTENT = "count the bits that are set"
PAIRS = [(number, number.bit_count()) for number in (0, 7, 12, 19, 255, 1024)]
EXAMPLES = [{"input": given, "output": wanted} for given, wanted in PAIRS]
# What somebody writes who knows the words alone.
TESTS = json.dumps({"cases": [{"input": number, "output": number.bit_count()} for number in (1, 3, 8, 64, 127, 1000)]})


def fenced(source: str) -> str:
    """Return a program as a model hands it in."""
    return f"Here it is:\n```python\n{source}```\n"
