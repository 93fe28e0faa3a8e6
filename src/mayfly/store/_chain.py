"""The chain of hashes over the events: each append adds one link, made of the link before it and its own events."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from mayfly.store._database import Connection, Row

# What the first link follows.
GENESIS = "0" * 64


def link_hash(before: str, rows: Sequence[Row]) -> str:
    """Return the hash of a link over *rows*.

    No field that Mayfly writes holds a NUL and every row has six fields, so that different rows are different texts:
    whoever puts a NUL into a field to shift a border gets one too many of them.
    """
    text = "\0".join(["%s\0%s\0%s\0%s\0%s\0%s" % row for row in rows])  # noqa: UP031, the fastest way
    # What somebody else put there may be no Unicode at all; it still has one hash.
    return hashlib.sha256(f"{before}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def insert_links(connection: Connection, links: Sequence[tuple[int, int, str]]) -> None:
    """Add links, each its last event, its first and its hash, in the transaction that adds their events."""
    connection.run_many("INSERT INTO mayfly_links (last, first, hash) VALUES (?, ?, ?)", links)
