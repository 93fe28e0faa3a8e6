"""What was learned and is looked up again: texts kept in the ledger for one workspace, found by their words."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mayfly.core import (
    Asked,
    Capability,
    InputError,
    Invocation,
    LimitError,
    ToolSettings,
    canonical_json,
    content_hash,
    one_line,
    with_tag,
)
from mayfly.store import Event, event
from mayfly.world._declare import NUMBER, PLACE, TEXT, said, takes, tool
from mayfly.world._documents import format_of, parse_document, pdf_text
from mayfly.world._html import text_of_html
from mayfly.world._passages import Passage, PassageIndex, passages_of
from mayfly.world._place import WorkspacePlace, text_in
from mayfly.world._web import asks_for, fetch, refuse_by_rules

if TYPE_CHECKING:
    from mayfly.store import Ledger

# A book has a million characters; a store of many such is searched in memory.
_LARGEST = 4_000_000
_HITS, _MOST_HITS = 5, 50
_KIND = "knowledge.ingested"


@event(_KIND)
@dataclass(frozen=True, kw_only=True)
class KnowledgeIngested:
    """Record a text that can be found from now on in a workspace; *blob* holds its passages."""

    workspace: str
    title: str
    source: str
    content: str
    blob: str
    passages: int
    characters: int


class Found(NamedTuple):
    """A passage that was found, and where it is from."""

    document: KnowledgeIngested
    number: int
    passage: Passage
    score: float


class Knowledge:
    """All texts of one workspace, in the ledger; what other processes add is seen at the next search."""

    def __init__(self, ledger: Ledger, workspace: str) -> None:
        self._ledger = ledger
        self._workspace = workspace
        self._lock = threading.Lock()
        self._seen = 0
        self._index = PassageIndex()
        self._entries: list[tuple[KnowledgeIngested, int, Passage]] = []
        self.documents: list[KnowledgeIngested] = []

    def ingest(self, text: str, *, title: str, source: str, headings: bool = True) -> tuple[KnowledgeIngested, bool]:
        """Keep *text* without its secrets; return what is kept and whether it is new, as the same is kept once."""
        if len(text) > _LARGEST:
            raise LimitError("characters of a text", used=len(text), limit=_LARGEST, fix="give it in parts")
        hidden = self._ledger.secrets.text("\n".join(line.rstrip() for line in text.splitlines()))
        # Other sessions find it, too: whose placeholders they are is said when it is read.
        text = with_tag(hidden, "").strip() if hidden != text else hidden.strip()
        passages = list(passages_of(text, headings=headings))
        if not passages:
            raise InputError("there is no text in it")
        content = content_hash(text)
        subject = f"knowledge-{content_hash(canonical_json([self._workspace, content]))[:32]}"
        blob = self._ledger.put_blob(json.dumps([list(one) for one in passages], ensure_ascii=False).encode())
        fresh = KnowledgeIngested(
            workspace=self._workspace,
            title=one_line(title, limit=200),
            source=one_line(source, limit=500),
            content=content,
            blob=blob,
            passages=len(passages),
            characters=len(text),
        )

        def unless_known(known: Mapping[str, Event]) -> list[Event]:
            return [] if subject in known else [Event.of(fresh, subject=subject)]

        # Nobody else appends between the look and the append, so two at once keep it once.
        new = bool(self._ledger.append_after(_KIND, [subject], unless_known))
        kept = self._ledger.last(_KIND, subject)
        data = kept.data if kept is not None else fresh
        return (data if isinstance(data, KnowledgeIngested) else fresh), new

    def search(self, query: str, *, limit: int = _HITS, source: str = "") -> list[Found]:
        """Return the passages that say most about *query*; what stands between quotation marks has to be in them."""
        with self._lock:
            self._catch_up()
            phrases = [" ".join(phrase.casefold().split()) for phrase in re.findall(r'"([^"]+)"', query)]
            places = (
                [place for place, entry in enumerate(self._entries) if _is_from(entry[0], source)] if source else None
            )
            hits = self._index.search(query, among=places)
            found = (Found(*self._entries[hit.place], round(hit.score, 3)) for hit in hits)
            kept = [one for one in found if all(phrase in _plain(one) for phrase in phrases)]
            return kept[:limit]

    def _catch_up(self) -> None:
        for entry in self._ledger.read(kind=_KIND, after=self._seen):
            data = entry.data
            if isinstance(data, KnowledgeIngested) and data.workspace == self._workspace:
                for number, passage in enumerate(self._passages(data), 1):
                    self._index.add(f"{data.title}\n{passage.heading}\n{passage.text}")
                    self._entries.append((data, number, passage))
                self.documents.append(data)
            self._seen = entry.id

    def _passages(self, document: KnowledgeIngested) -> Iterator[Passage]:
        tag = self._ledger.secrets.tag
        for heading, text in json.loads(self._ledger.get_blob(document.blob)):
            yield Passage(str(heading), with_tag(str(text), tag))


def _is_from(document: KnowledgeIngested, source: str) -> bool:
    small = source.casefold()
    return small in document.source.casefold() or small in document.title.casefold()


def _plain(found: Found) -> str:
    return " ".join(f"{found.passage.heading} {found.passage.text}".casefold().split())


def knowledge_tools(
    place: WorkspacePlace, knowledge: Knowledge, limits: ToolSettings | None = None
) -> tuple[Capability, ...]:
    """Return the tools that keep and find texts."""
    return (
        kb_ingest.bound(place, knowledge, limits or ToolSettings()),
        kb_search.bound(knowledge),
    )


def _given(call: Invocation) -> str:
    given = [name for name in ("text", "path", "url") if name in call.arguments]
    if len(given) != 1:
        raise InputError("kb_ingest takes one of text, path and url")
    return given[0]


def _asked(call: Invocation) -> tuple[Asked, ...]:
    kind = _given(call)
    value = str(call.arguments[kind])
    reads = {"path": (Asked("file_read", value),), "url": asks_for(value) if kind == "url" else ()}
    return (*reads.get(kind, ()), Asked("kb_ingest", _title(call) if kind != "path" else value))


def _title(call: Invocation) -> str:
    return str(call.arguments.get("title") or call.arguments.get("url") or call.arguments.get("path") or "text")


def _file_text(place: WorkspacePlace, path: str) -> str:
    """Return the text of a file as a reader has it: pages without their tags, notebooks by their cells."""
    format = format_of(path)
    if format == "pdf":
        return pdf_text(place.read(path))
    text = text_in(place, path, most=_LARGEST)
    if format == "html":
        return text_of_html(text, everything=True).text
    if format == "notebook":
        parts = parse_document(text, format).sections
        return "\n\n".join(f"{'#' * min(part.level, 6)} {part.title}\n\n{part.text}" for part in parts)
    return text


@tool(
    takes(
        title=said(TEXT, "what it is called", minLength=1, maxLength=200),
        text=said(TEXT, "the text itself", minLength=1),
        path=PLACE,
        url=said(TEXT, "the address of a page, which is fetched", minLength=8, maxLength=2000),
        source=said(TEXT, "where a text is from, if text is given", maxLength=500),
    ),
    effect="idempotent",
    asks=_asked,
    seconds=200.0,
)
def kb_ingest(place: WorkspacePlace, knowledge: Knowledge, limits: ToolSettings, call: Invocation) -> str:
    """Keep a text, a file of the workspace or a web page, so that kb_search finds its passages."""
    given, kind = call.arguments, _given(call)
    title, source = _title(call), str(given.get(kind, ""))
    if kind == "text":
        text, source = given["text"], str(given.get("source", "said in a session"))
    elif kind == "path":
        text = _file_text(place, source)
    else:
        page = fetch(source, refuse=refuse_by_rules(place), limits=limits, stop=call.stop)
        text, title, source = page.text, str(given.get("title") or page.title or source), page.url
    headings = kind != "path" or format_of(source) in ("markdown", "html", "notebook")
    kept, new = knowledge.ingest(text, title=title, source=source, headings=headings)
    told = f"{kept.title}: {kept.passages} passages, {kept.characters:,} characters, from {kept.source}"
    return told if new else f"known already, as {told}"


@tool(
    takes(
        "query",
        query=said(TEXT, "the words to look for", minLength=1, maxLength=1000),
        limit=said(NUMBER, f"how many passages; {_HITS} unless said", maximum=_MOST_HITS),
        source=said(TEXT, "only texts whose title or source holds this", maxLength=500),
    ),
    asks=lambda call: (Asked("kb_search", "."),),
)
def kb_search(knowledge: Knowledge, call: Invocation) -> str:
    """Find passages in the texts that were kept for this workspace, the best first, with their sources.

    Words in any order; "in quotation marks" exactly.
    """
    given = call.arguments
    found = knowledge.search(given["query"], limit=given.get("limit", _HITS), source=given.get("source", ""))
    if not found:
        known = len(knowledge.documents)
        return f"[nothing found in {known} texts]" if known else "[no text was kept for this workspace yet: kb_ingest]"
    parts = []
    for number, hit in enumerate(found, 1):
        heading = f", {hit.passage.heading}" if hit.passage.heading else ""
        where = f"passage {hit.number} of {hit.document.passages}{heading}"
        parts.append(
            f"[{number}] {hit.document.title} ({hit.document.source}; {where}; score {hit.score:g})\n{hit.passage.text}"
        )
    return "\n\n".join(parts)
