"""Ciphers, run-length coding, Morse, base conversion and the Luhn check."""

from itertools import cycle, groupby

ARGUMENT = "ATTACKATDAWN"
MORSE = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split()))


def vigenere(text, key, sign=1):
    return "".join(chr((ord(c) - 65 + sign * (ord(k) - 65)) % 26 + 65) for c, k in zip(text, cycle(key)))


def convert(number, base):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while number:
        number, digit = divmod(number, base)
        text = digits[digit] + text
    return text or "0"


def luhn(text):
    digits = [int(c) for c in text[::-1]]
    return sum(d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(digits)) % 10 == 0


def main(argument):
    secret = vigenere(argument, "LEMON")
    return {
        "secret": secret,
        "clear": vigenere(secret, "LEMON", -1),
        "runs": "".join(f"{len(list(group))}{letter}" for letter, group in groupby("WWWWBBWA")),
        "morse": " ".join(MORSE[c] for c in "SOS"),
        "bases": [convert(255, base) for base in (2, 8, 16, 36)],
        "back": int("zz", 36),
        "luhn": [luhn("4539578763621486"), luhn("1234567812345678")],
    }
