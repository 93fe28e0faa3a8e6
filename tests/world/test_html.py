"""Text from HTML, also from what nobody would call HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.world._html import text_of_html


def text(source: str, base: str = "https://example.org/a/b") -> str:
    return text_of_html(source, base=base).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<h2>A <em>b</em></h2><p>c", "## A b\n\nc"),
        ("<p>one<br>two</p><p>three</p>", "one\ntwo\n\nthree"),
        ("<ol start=3><li>x<li>y</ol>", "3. x\n4. y"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<a href='/x y'>go</a>", "[go](https://example.org/x%20y)"),
        ("<a href='javascript:alert(1)'>go</a>", "go"),
        ("<a href='data:text/html,x'>go</a>", "go"),
        ("<a href='#top'>up</a><a href='#h'>¶</a>", "up"),
        ("<a href='http://[bad'>go</a>", "go"),
        ("<pre><code class='language-py'>a &lt; b\n  c</code></pre>", "```py\na < b\n  c\n```"),
        ("<p>use <code>f(x)</code> now", "use `f(x)` now"),
        (
            "<table><tr><th>A<th>B</tr><tr><td>1<td>2|3</tr></table>",
            "| A | B |\n| --- | --- |\n| 1 | 2\\|3 |",
        ),
        ("<blockquote><p>q</p></blockquote>", "> q"),
        ("<!-- <p>no</p> --><style>p{}</style><script>if (a<b) {}</script>yes", "yes"),
        ("<img alt='a cat' src=x>", "![a cat]"),
        ("<dl><dt>T<dd>D</dl>", "T\n\n  D"),
        ("a &amp; b &#x41; &nosuch; c", "a & b A &nosuch; c"),
        ("<p>ends <!-- never", "ends"),
    ],
)
def test_what_is_kept(source: str, expected: str) -> None:
    assert text(source) == expected


def test_the_main_part_is_the_page_where_it_is_marked() -> None:
    source = f"<nav>menu</nav><main><p>{'word ' * 50}</p></main><footer>end</footer>"
    assert text(source) == ("word " * 50).strip()
    assert "menu" in text_of_html(source, everything=True).text
    assert "menu" in text("<nav>menu</nav><main>loading</main>")


def test_the_title_is_the_first_one() -> None:
    assert text_of_html("<title> A\n b </title><svg><title>icon</title></svg>x").title == "A b"


def test_no_more_is_written_than_asked_for() -> None:
    page = text_of_html("<p>word</p>" * 1000, most=100)
    assert not page.whole
    assert len(page.text) <= 100


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "piece", ["<!--", "</", "<a ", "<", "<![CDATA[", "<?", "&", "<div><a", "<a href='", "<ul><li>", "<table><tr><td>"]
)
def test_a_page_made_to_take_long_is_left_in_time(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each of these takes html.parser hours at this length, or did in one of its versions; the tests' limit is minutes.
    monkeypatch.setattr("mayfly.world._html._SECONDS", 0.2)
    assert len(text_of_html("<a " + piece * 200_000).text) <= 3 + len(piece) * 200_000


@given(st.text(alphabet="<>/!-apuldtr ='\"&;#x\n", max_size=200))
def test_anything_at_all_gives_text(source: str) -> None:
    assert isinstance(text(source), str)
