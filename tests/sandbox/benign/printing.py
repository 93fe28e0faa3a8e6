"""print with all its options, unicode, and no newline at the end."""

import sys

ARGUMENT = ["é", "日本", "🦋", "tab\tand\\slash"]


def main(argument):
    print(*argument, sep=" | ", end="!\n")
    print()
    print("no newline", end="", flush=True)
    sys.stdout.write("\nwritten\n")
    print(f"{3.14159:.2f} {42:>8} {42:<8}| {1234567:,} {0.256:.1%} {255:#x} {'mid':^9}", {"a": [1, (2, 3)]}, None)
    print("last", end="")
    return len(argument)
