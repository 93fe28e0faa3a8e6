"""string, textwrap and difflib."""

import difflib
import string
import textwrap

ARGUMENT = "Mayflies live for a day. They have no mouth; they do not eat, and they do not complain."


def main(argument):
    template = string.Template("$who owes $$${amount}")
    return {
        "wrapped": textwrap.wrap(argument, 24),
        "filled": textwrap.fill(argument, 40, initial_indent="* ", subsequent_indent="  "),
        "dedented": textwrap.dedent("    a\n      b\n    c"),
        "shortened": textwrap.shorten(argument, 30, placeholder="..."),
        "template": template.substitute(who="Tim", amount=5),
        "safe": template.safe_substitute(who="Tim"),
        "caps": string.capwords("hello big  world"),
        "letters": string.ascii_lowercase[:5] + string.digits,
        "ratio": difflib.SequenceMatcher(None, "kitten", "sitting").ratio(),
        "close": difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]),
        "diff": list(difflib.unified_diff(["a", "b"], ["a", "c"], "old", "new", lineterm="")),
        "translated": "hello".translate(str.maketrans("el", "ip")),
        "methods": ["a,b".partition(","), " x ".strip(), "x".zfill(3), "Ab".swapcase(), "straße".casefold()],
    }
