"""A text that holds every text of the input, one after another."""


def check(input, output):
    if not isinstance(input, list) or not isinstance(output, str):
        return False
    at = 0
    for item in input:
        text = item if isinstance(item, str) else str(item)
        at = output.find(text, at)
        if at < 0:
            return False
        at += len(text)
    return True
