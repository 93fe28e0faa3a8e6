"""Find the places of columns that stand below their names, whether these begin or end where their cells do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from mayfly.synthesis.records._cells import cut_at, has_gaps_at

# So many lines have to be blank between two columns; a cell that is too wide for its column is told, not guessed.
OPEN = 0.95
# So many lines tell where the columns are, and what they hold.
PROBED = 300
# So many lines have to begin with something to the left of the first name, for a column without a name.
UNNAMED = 0.9


class Places(NamedTuple):
    """The names of columns, and where each of them begins."""

    names: list[str]
    stops: list[int]

    def cut(self, line: str) -> list[str]:
        """Cut a line at the places."""
        return cut_at(line, self.stops)

    def fits(self, line: str) -> bool:
        """Say whether a gap stands before each of the places."""
        return has_gaps_at(line, self.stops)

    def is_row(self, line: str) -> bool:
        """Say whether a line has gaps at the places, and something in more than one column."""
        return self.fits(line) and sum(map(bool, self.cut(line))) > 1


class Word(NamedTuple):
    """A word and where it stands."""

    text: str
    start: int
    end: int


def of_rule(head: str, rule: str) -> Places | None:
    """Return the places that groups of dashes below the names give, also where only one space is between columns."""
    if not re.fullmatch(r" *[-=_~]+(?: +[-=_~]+)+ *", rule) or "\t" in head:
        return None
    stops = [found.start() for found in re.finditer(r"[-=_~]+", rule)]
    stops[0] = 0
    places = Places([], stops)
    return places._replace(names=places.cut(head)) if places.fits(head) else None


def of_names(head: str, lines: Sequence[str]) -> Places | None:
    """Return the places of columns below the words of a header, by the gaps that go through all lines.

    Words with one space between them are one name where no gap goes on below that space, or hardly a line has
    something below the second of them.
    """
    probe = lines[:: max(1, len(lines) // PROBED)]
    if "\t" in head or any("\t" in line for line in probe):
        return None
    words = words_of(head)
    alone = words_below(words, probe)
    before = sum(1 for line in probe if (found := re.match(r" *(\S+)", line)) and found.end() <= words[0].start)
    unnamed = before >= len(probe) * UNNAMED
    names, stops = (["name"], [0]) if unnamed else ([words[0].text], [0])
    left = Word("", 0, 0) if unnamed else words[0]
    for at in range(0 if unnamed else 1, len(words)):
        word = words[at]
        gap = _gap(left, word, probe)
        near = left.text != "" and word.start - left.end == 1
        if gap is None and not near:
            return None
        if gap is None or (near and alone[at] * 2 < len(probe)):
            names[-1] += f" {word.text}"
        else:
            names.append(word.text)
            stops.append(gap + 1)
        left = word
    return Places(names, stops)


def are_below(names: Sequence[str], head: str, line: str, cells: Sequence[str]) -> bool:
    """Say whether each cell stands nearer to its own name than beyond the names beside it."""
    above, below = _standing(names, head), _standing(cells, line)
    for at, cell in enumerate(below):
        left = above[at - 1].end if at else 0
        right = above[at + 1].start if at + 1 < len(above) else cell.end
        if cell.end <= left or cell.start >= max(right, left + 1):
            return False
    return True


def words_of(line: str) -> list[Word]:
    """Return the words of a line with their places."""
    return [Word(found[0], found.start(), found.end()) for found in re.finditer(r"\S+", line)]


def _standing(texts: Sequence[str], line: str) -> list[Word]:
    """Return where texts stand in a line, one behind the other."""
    found = []
    at = 0
    for text in texts:
        start = max(line.find(text, at), at)
        at = start + len(text)
        found.append(Word(text, start, at))
    return found


def words_below(words: Sequence[Word], lines: Sequence[str]) -> Counter[int]:
    """Count for every word of a header the lines in which something begins below it, or before it and behind others."""
    below = Counter[int]()
    for line in lines:
        for cell in words_of(line):
            above = (at for at, word in enumerate(words) if word.start < cell.end and cell.start < word.end)
            below.update(list(above)[:1])
    return below


def _gap(left: Word, right: Word, lines: Sequence[str]) -> int | None:
    """Return the place between two words that is blank in nearly all lines; None where there is none."""
    blank = {at: sum(line[at : at + 1] in ("", " ") for line in lines) for at in range(left.end, right.start)}
    most = max(blank.values(), default=0)
    if most < len(lines) * OPEN:
        return None
    open_ = [at for at in blank if blank[at] == most]
    # Where cells begin below the first sign of their name, that is the place; else it is as far from both as can be.
    begins = sum(bool(re.match(r" \S", line[right.start - 1 :])) for line in lines)
    return open_[-1] if open_[-1] == right.start - 1 and begins * 2 > len(lines) else open_[len(open_) // 2]
