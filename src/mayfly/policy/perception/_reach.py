"""Bound how much of a text is read: the beginning and the end of a very long one, never the inside of a quote."""

from __future__ import annotations

HEAD, TAIL = 40_000, 10_000
_QUOTES = (("“", "”"), ("«", "»"))


def readable(text: str) -> str:
    """Return the part of *text* in which requests are looked for.

    Nobody types forty thousand characters of request: the rest is something pasted. The last paragraphs are read as
    well, unless a quote or a block of code that was opened before them may still be open.
    """
    if len(text) <= HEAD + TAIL:
        return text
    head, middle, tail = text[:HEAD], text[HEAD:-TAIL], text[-TAIL:]
    paragraph = tail.find("\n\n")
    closed = _closed_head(head)
    if paragraph < 0 or len(closed) < len(head) or _is_open(middle):
        return closed
    return closed + "\n\n" + tail[paragraph:]


def _closed_head(head: str) -> str:
    """Return *head* without a quote that does not end in it."""
    if head.count('"') % 2:
        head = head[: head.rindex('"')]
    for opening, closing in _QUOTES:
        if head.rfind(opening) > head.rfind(closing):
            head = head[: head.rindex(opening)]
    if head.count("```") % 2:
        head = head[: head.rindex("```")]
    return head


def _is_open(middle: str) -> bool:
    odd = middle.count('"') % 2 or middle.count("```") % 2
    return bool(odd) or any(middle.count(opening) != middle.count(closing) for opening, closing in _QUOTES)
