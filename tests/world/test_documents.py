"""Outlines of documents of every format, and the text of one section."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import InputError
from mayfly.world._documents import document_tools, parse_document

from .places import Here, call

MARKDOWN = """preamble

# One
text of one

```sh
# no heading
```

Two
---
- item
---

### Deep #
text
"""
RST = """=====
Title
=====

Intro.

Part
----

Words.

Sub
~~~

More.

Last
----
"""


def titles(text: str, format: str) -> list[tuple[str, str, int]]:
    document = parse_document(text, format)
    return [(number, one.title, one.line) for number, one in zip(document.numbers(), document.sections, strict=True)]


def test_markdown() -> None:
    assert titles(MARKDOWN, "markdown") == [
        ("1", "(beginning)", 1),
        ("2", "One", 3),
        ("2.1", "Two", 10),
        ("2.1.1", "Deep", 15),
    ]
    assert "# no heading" in parse_document(MARKDOWN, "markdown").sections[1].text


def test_restructured_text() -> None:
    assert titles(RST, "restructuredtext") == [
        ("1", "Title", 1),
        ("1.1", "Part", 7),
        ("1.1.1", "Sub", 12),
        ("1.2", "Last", 17),
    ]


def test_a_section_comes_with_what_is_below_it(here: Here) -> None:
    here.write("a.md", MARKDOWN)
    tools = document_tools(here)
    said = call(tools, "doc_parse", path="a.md")
    assert said.splitlines()[0] == "a.md: markdown, 4 sections"
    assert "  2.1 Two (line 10, 3 words)" in said
    whole = call(tools, "doc_parse", path="a.md", section="2")
    assert "text of one" in whole
    assert "### Deep\ntext" in whole
    assert call(tools, "doc_parse", path="a.md", section="dEEP") == "### Deep\ntext"
    with pytest.raises(InputError, match="no section"):
        call(tools, "doc_parse", path="a.md", section="three")


def test_a_title_that_fits_several_sections_is_asked_back(here: Here) -> None:
    here.write("a.md", "# Use of a\n\n# Use of b\n")
    with pytest.raises(InputError, match="2 sections: 1 Use of a, 2 Use of b"):
        call(document_tools(here), "doc_parse", path="a.md", section="use")


def test_html_by_its_headings() -> None:
    assert [one[1] for one in titles("<h1>A</h1><p>x</p><h2>B</h2><p>y</p>", "html")] == ["A", "B"]


def test_data_by_its_keys(here: Here) -> None:
    here.write("a.json", json.dumps({"name": "x", "deps": {"a": 1, "b": [1, 2]}}))
    here.write("a.toml", 'name = "x"\n[deps]\na = 1\nwhen = 2020-01-02\n')
    tools = document_tools(here)
    assert [one[1] for one in titles(here.read("a.json").decode(), "json")] == [
        "(all) (record of 2)",
        "name (str)",
        "deps (record of 2)",
        "a (int)",
        "b (list of 2)",
    ]
    assert "2020-01-02" in call(tools, "doc_parse", path="a.toml", section="when")


def test_a_table(here: Here) -> None:
    here.write("t.csv", "name;size\n" + "".join(f"n{number};{number}\n" for number in range(120)))
    tools = document_tools(here)
    assert "1 2 columns, 120 rows" in call(tools, "doc_parse", path="t.csv")
    assert "2. size: 0, 1, 2, 3" in call(tools, "doc_parse", path="t.csv", section="1")
    rows = call(tools, "doc_parse", path="t.csv", section="rows 51-100")
    assert "n50;50" in rows
    assert "n100;100" not in rows


def test_a_notebook_with_what_it_printed() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Plot\n", "words"]},
        {"cell_type": "code", "source": "# x\nprint(1)", "outputs": [{"text": ["1\n"]}]},
    ]
    document = parse_document(json.dumps({"cells": cells}), "notebook")
    assert [one.title for one in document.sections] == ["Plot"]
    assert "# x\nprint(1)" in document.sections[0].text
    assert "```\n1\n" in document.sections[0].text


def test_docstrings_with_signatures() -> None:
    source = '"""Top."""\nclass A(B):\n    """An A."""\n    def f(self, x: int = 1) -> str:\n        """Do f."""\n'
    assert [one[1] for one in titles(source, "python")] == [
        "(module)",
        "class A(B)",
        "def A.f(self, x: int=1) -> str",
    ]


def test_text_without_titles_is_cut_by_lines() -> None:
    assert [one[2] for one in titles("line\n" * 150, "text")] == [1, 61, 121]


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("json", "{"),
        ("json", "[" * 100_000),
        ("toml", "a = "),
        ("notebook", "[]"),
        ("notebook", '{"cells": [1]}'),
        ("python", "def"),
        ("python", "(" * 5000),
        ("csv", '"' + "x" * 200_000),
    ],
)
def test_what_is_not_what_it_is_said_to_be(format: str, text: str, lifted: Callable[[int], None]) -> None:
    lifted(100_000)  # as libraries of Ethereum do for the whole process
    with pytest.raises(InputError):
        parse_document(text, format)


def test_pdf_without_a_library_is_said(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    here.write("a.pdf", b"%PDF-1.4\n")
    with pytest.raises(InputError, match="no pypdf"):
        call(document_tools(here), "doc_parse", path="a.pdf")
    here.write("b.pdf", b"no")
    with pytest.raises(InputError, match="no PDF"):
        call(document_tools(here), "doc_parse", path="b.pdf")


@given(st.sampled_from(["markdown", "restructuredtext", "html", "text", "csv"]), st.text('ab#=-|,"<>\n ', max_size=200))
def test_any_text_has_an_outline(format: str, text: str) -> None:
    try:
        document = parse_document(text, format)
    except InputError:
        return
    assert len(set(document.numbers())) == len(document.sections)
    for place in range(len(document.sections)):
        document.whole(place)
