"""Word frequencies, palindromes, anagrams and a Caesar cipher."""

import re
from collections import Counter, defaultdict

ARGUMENT = "A man, a plan, a canal: Panama! Listen, silent; the quick brown fox. Was it a car or a cat I saw?"


def caesar(text, shift):
    return "".join(chr((ord(c) - 97 + shift) % 26 + 97) if "a" <= c <= "z" else c for c in text)


def main(argument):
    words = re.findall(r"[a-z]+", argument.lower())
    groups = defaultdict(set)
    for word in words:
        groups["".join(sorted(word))].add(word)
    sentences = [s.strip() for s in re.split(r"[.!?;]", argument) if s.strip()]
    return {
        "top": Counter(words).most_common(3),
        "anagrams": [sorted(group) for group in groups.values() if len(group) > 1],
        "palindromes": [s for s in sentences if (t := re.sub(r"\W", "", s.lower())) == t[::-1]],
        "cipher": caesar(caesar("hello, world", 3), -3),
        "vowels": sum(c in "aeiou" for c in argument.lower()),
        "title": argument[:14].title(),
    }
