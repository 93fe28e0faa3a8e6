"""Tell how regularly a table is written: what stands above its header and around cells, and which lines are rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mayfly.synthesis.records._cells import cell_pattern, cells_of, cut, join_quoted
from mayfly.synthesis.records._model import Format


def with_regularity(found: Format, lines: Sequence[str]) -> Format:
    """Return the format of a table with what its sample shows about how it is written; any other format as it is."""
    if found.kind != "delimited" or found.stops or found.rest or len(found.delimiter) != 1:
        return found
    if found.delimiter == " ":
        # What is cut at any number of blanks may be cut at each of them if there is one everywhere.
        single = all(" ".join(line.split()) == line for line in lines)
        return replace(found, quoted=False, regular=single and not _has_lookalike(found, lines))
    header = list(found.header)
    place = next((at for at, line in enumerate(lines) if cut(line, found.delimiter) == header), 0) if header else 0
    texts = lines[place:]
    if found.multiline:
        texts = [text for _, text in join_quoted(texts, found.delimiter, found.width)]
    quotes = set(_quotes_of(texts, found.delimiter))
    return replace(
        found,
        skip=place,
        again=bool(header) and any(text == texts[0] for text in texts[1:]),
        padding="".join(sorted({sign for text in texts for sign in _padding_of(text, found.delimiter)})),
        quoted=quotes != {False},
        regular=len(quotes) < 2 and not _has_lookalike(found, texts[1:] if header else texts),
    )


def _raw_cells(text: str, delimiter: str) -> Iterator[tuple[str, bool | None]]:
    """Yield cells as they stand, and whether each is properly in quotes; None where it does not begin with one."""
    if '"' not in text:
        yield from ((cell, None) for cell in text.split(delimiter))
        return
    for match in cell_pattern(delimiter).finditer(text + delimiter):
        quoted, plain = match[1], match[2]
        proper = True if quoted is not None else False if plain.lstrip(" ").startswith('"') else None
        yield quoted if quoted is not None else plain, proper


def _quotes_of(texts: Sequence[str], delimiter: str) -> Iterator[bool]:
    """Yield for each cell that begins with a quote whether it ends with one."""
    for text in texts:
        if '"' in text:
            yield from (proper for _, proper in _raw_cells(text, delimiter) if proper is not None)


def _padding_of(text: str, delimiter: str) -> set[str]:
    """Return the blanks around the cells of a line; most lines have none, which is told without cutting them."""
    blank = f" {delimiter}", f"{delimiter} ", f"\t{delimiter}", f"{delimiter}\t", '" ', ' "', "\u00a0"
    if not text.strip() or (text == text.strip() and not any(pair in text for pair in blank)):
        return set()
    cells = (cell for cell, _ in _raw_cells(text, delimiter))
    return {sign for cell in cells for sign in cell.replace(cell.strip() or "\0", "", 1)}


def _has_lookalike(found: Format, texts: Sequence[str]) -> bool:
    """Say whether a line that is no row has as many cells as rows have; the header again is none of these."""
    header = list(found.header)
    passed = re.compile(found.passed) if found.passed else None
    for text in texts:
        if (not text.strip() or (passed is not None and passed.fullmatch(text))) and found.delimiter in text:
            cells = cells_of(found, text)
            if len(cells) == found.width and cells != header:
                return True
    return False
