"""Bound how much of a text is read: the beginning and the end of a very long one, never the inside of a quote.

What was left out is said in the question back: nobody has to find out that the middle of a text was not read.
"""

from __future__ import annotations

HEAD, TAIL = 40_000, 10_000
# So many pieces are read of what is within reach: two letters a line are as much work as a page of prose.
PIECES = 12_000
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


def unread(length: int, read: int) -> str:
    """Return what to ask back when *read* of *length* characters were looked at."""
    return (
        f"Is there a request in the part that was not read? {length - read:,} of {length:,} characters were left out: "
        "put the request first, and the material into a file."
    )
