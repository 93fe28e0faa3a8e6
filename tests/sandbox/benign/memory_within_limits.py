"""A hundred megabytes of lists and text, well within the limit."""

ARGUMENT = 1_000_000


def main(argument):
    numbers = list(range(argument))
    texts = [str(number) for number in numbers]
    table = {text: number for text, number in zip(texts, numbers)}
    joined = "".join(texts)
    return [sum(numbers), len(table), len(joined), table["777777"]]
