"""Roman numerals, both ways, for all of them."""

ARGUMENT = ["MCMXC", "MMXXIV", "iv", "IIII"]
PAIRS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def to_roman(number: int) -> str:
    text = ""
    for value, letters in PAIRS:
        count, number = divmod(number, value)
        text += letters * count
    return text


def from_roman(text: str) -> int:
    values = dict((letters, value) for value, letters in PAIRS if len(letters) == 1)
    numbers = [values[letter] for letter in text.upper()]
    total = sum(-a if a < b else a for a, b in zip(numbers, numbers[1:] + [0]))
    if to_roman(total) != text.upper():
        raise ValueError(f"not a numeral: {text}")
    return total


def main(argument):
    found = []
    for text in argument:
        try:
            found.append(from_roman(text))
        except ValueError as error:
            found.append(str(error))
    return {"found": found, "round_trip": all(from_roman(to_roman(n)) == n for n in range(1, 4000))}
