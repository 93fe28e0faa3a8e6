"""Texts that are kept and found, on both stores, by real ledgers."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import InputError, Invocation, LimitError, Settings, StoreSettings
from mayfly.store import Ledger
from mayfly.world._knowledge import Knowledge, knowledge_tools
from mayfly.world._passages import PassageIndex, passages_of, words_of

from .places import Here, call

GUIDE = """# Guide

Install it with the package manager.

## Storage

The ledger keeps events for good. Blobs are kept once.

```python
# not a heading
ledger.append(event)
```

## Network

Retries wait longer each time.
"""


@pytest.fixture(params=["sqlite", "postgres"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    settings = Settings(state_dir=str(tmp_path / "state"), store=StoreSettings(database_url=url))
    with Ledger.open(settings) as ledger:
        yield ledger


def test_a_text_is_found_by_its_words_with_source_and_passage(ledger: Ledger, here: Here) -> None:
    tools = knowledge_tools(here, Knowledge(ledger, "/w"))
    here.write("docs/guide.md", GUIDE)
    said = call(tools, "kb_ingest", path="docs/guide.md", title="The guide")
    assert said == f"The guide: 3 passages, {len(GUIDE.strip())} characters, from docs/guide.md"
    found = call(tools, "kb_search", query="how are BLOBS kept?")
    assert found.startswith("[1] The guide (docs/guide.md; passage 2 of 3, Guide > Storage; score ")
    assert "# not a heading\nledger.append(event)" in found
    assert "Retries" not in found


def test_the_same_text_is_kept_once_also_by_two_at_once(ledger: Ledger) -> None:
    knowledge = Knowledge(ledger, "/w")
    new: list[bool] = []

    def ingest(number: int) -> None:
        new.append(knowledge.ingest(GUIDE + " " * number, title=f"copy {number}", source="x")[1])

    threads = [threading.Thread(target=ingest, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(new) == [False] * 5 + [True]
    assert ledger.count(kind="knowledge.ingested") == 1
    assert len(knowledge.search("retries", limit=50)) == 1


def test_another_process_and_another_workspace(ledger: Ledger) -> None:
    reader, writer, stranger = Knowledge(ledger, "/w"), Knowledge(ledger, "/w"), Knowledge(ledger, "/elsewhere")
    assert reader.search("retries") == []
    writer.ingest(GUIDE, title="guide", source="a")
    assert [hit.passage.heading for hit in reader.search("retries")] == ["Guide > Network"]
    assert stranger.search("retries") == []
    assert stranger.ingest(GUIDE, title="guide", source="a")[1]
    assert len(stranger.search("retries")) == 1
    assert len(reader.search("retries")) == 1


def test_ranking_is_the_same_on_every_store_and_at_every_time(ledger: Ledger) -> None:
    knowledge = Knowledge(ledger, "/w")
    for number in range(30):
        knowledge.ingest(
            f"Note {number}: {'retry ' * (number % 5 + 1)} wait {'pad ' * number}", title=f"n{number}", source="s"
        )
    ranked = [(hit.document.title, hit.score) for hit in knowledge.search("retry wait", limit=30)]
    assert ranked == [(hit.document.title, hit.score) for hit in Knowledge(ledger, "/w").search("retry wait", limit=30)]
    assert len(ranked) == 30


def test_the_score_is_that_of_the_formula() -> None:
    index = PassageIndex()
    index.add("a a b")
    index.add("a c c c")
    common = math.log(1 + 0.5 / 2.5)
    first, second = index.search("a")
    assert (first.place, second.place) == (0, 1)
    assert first.score == pytest.approx(common * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 3.5)))
    assert second.score == pytest.approx(common * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 4 / 3.5)))


def test_quoted_words_have_to_stand_together(ledger: Ledger) -> None:
    knowledge = Knowledge(ledger, "/w")
    knowledge.ingest("the cat sat on the mat", title="one", source="a")
    knowledge.ingest("on the cat the mat sat", title="two", source="b")
    assert {hit.document.title for hit in knowledge.search("cat sat")} == {"one", "two"}
    assert [hit.document.title for hit in knowledge.search('"cat  SAT"')] == ["one"]
    assert [hit.document.title for hit in knowledge.search("cat", source="B")] == ["two"]


def test_secrets_are_not_kept(ledger: Ledger) -> None:
    knowledge = Knowledge(ledger, "/w")
    knowledge.ingest("use key ghp_" + "a1B2" * 9 + " for deploys", title="notes", source="a")
    text = knowledge.search("deploys")[0].passage.text
    assert "ghp_a1B2" not in text
    assert "deploys" in text


def test_what_cannot_be_kept(ledger: Ledger, here: Here) -> None:
    tools = knowledge_tools(here, Knowledge(ledger, "/w"))
    here.write("blank.txt", " \n\n ")
    here.write("binary", b"\0\1\2")
    with pytest.raises(InputError, match="no text"):
        call(tools, "kb_ingest", path="blank.txt")
    with pytest.raises(InputError, match="no text"):
        call(tools, "kb_ingest", path="binary")
    with pytest.raises(InputError, match="one of"):
        call(tools, "kb_ingest", title="nothing")
    with pytest.raises(InputError, match="one of"):
        call(tools, "kb_ingest", text="a", path="b")
    with pytest.raises(LimitError):
        call(tools, "kb_ingest", text="x" * 4_000_001)
    assert "no text was kept" in call(tools, "kb_search", query="x")


def test_the_rules_are_asked_for_what_is_read_and_for_keeping_it(here: Here, tmp_path: Path) -> None:
    with Ledger.open(Settings(state_dir=str(tmp_path / "state"))) as ledger:
        ingest = knowledge_tools(here, Knowledge(ledger, "/w"))[0]
        asked = [tuple(one[:2]) for one in ingest.asks(Invocation(arguments={"path": ".env"}))]
        assert asked == [("file_read", ".env"), ("kb_ingest", ".env")]
        asked = [tuple(one[:2]) for one in ingest.asks(Invocation(arguments={"url": "https://example.org/"}))]
        assert asked == [("web_fetch", "https://example.org/"), ("kb_ingest", "https://example.org/")]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("call parse_HTTPHeader now", "header"),
        ("Größenänderung über alles", "groSSenanderung"),
        ("東京都の天気予報", "天気"),
        ("x2 = 14", "14"),
    ],
)
def test_words_are_found_without_case_accents_and_in_their_parts(text: str, query: str) -> None:
    index = PassageIndex()
    index.add("something else altogether")
    index.add(text)
    assert [hit.place for hit in index.search(query)] == [1]


def test_names_are_also_found_whole() -> None:
    assert list(words_of("parse_HTTPHeader")) == ["parse_httpheader", "parse", "http", "header"]


@given(st.text(alphabet="ab# `\n.", max_size=400), st.integers(5, 60))
def test_passages_hold_every_word_and_none_is_too_long(text: str, longest: int) -> None:
    found = list(passages_of(text, longest=longest, headings=False))
    assert "".join("".join(one.text for one in found).split()) == "".join(text.split())
    # Joined blocks have two line ends between them.
    assert all(len(one.text) <= longest + 2 * one.text.count("\n\n") for one in found)


@given(st.text(alphabet="ab# \n", max_size=200))
def test_every_word_under_headings_is_in_a_passage_or_above_one(text: str) -> None:
    found = list(passages_of(text, longest=50))
    held = set(words_of(" ".join(f"{one.heading} {one.text}" for one in found)))
    assert set(words_of(text)) <= held | {word for word in words_of(text) if len(word) > 50}
