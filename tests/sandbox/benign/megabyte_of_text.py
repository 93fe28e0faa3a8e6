"""A megabyte of text in the result."""

ARGUMENT = "The quick brown fox jumps over the lazy dog. "


def main(argument):
    text = argument * (1_000_000 // len(argument) + 1)
    return {"text": text[:1_000_000], "words": len(text.split()), "upper": text[:9].upper()}
