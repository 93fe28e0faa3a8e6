"""Plots: what they say, and that nothing of a stranger's gets out of its place in one."""

from xml.etree import ElementTree

import pytest

from mayfly.serve.web.pages._plots import Bar, bar_plot, line_plot

SVG = "{http://www.w3.org/2000/svg}"


def widths(svg: str) -> list[float]:
    rects = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return [float(one.attrib["width"]) for one in rects if "plot-bar" in one.attrib["class"]]


def test_bars_are_as_long_as_their_values() -> None:
    first, second = widths(bar_plot([Bar("tests", 10), Bar("rival", 5)], title="evidence"))

    assert first == pytest.approx(2 * second, abs=0.2)


def test_a_whole_bar_is_what_is_said() -> None:
    (half,) = widths(bar_plot([Bar("budget", 0.5)], title="budget", most=1.0))
    (whole,) = widths(bar_plot([Bar("budget", 1.0)], title="budget", most=1.0))

    assert whole == pytest.approx(2 * half, abs=0.2)


def test_a_plot_says_in_words_what_it_shows() -> None:
    svg = ElementTree.fromstring(bar_plot([Bar("tests", 12)], title="evidence by kind"))

    assert svg.attrib["aria-label"] == "evidence by kind: tests 12"
    assert svg.attrib["role"] == "img"


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '" onload="alert(1)', "a\x1b[31mb\u202e", "&"])
def test_a_name_stays_text(name: str) -> None:
    svg = bar_plot([Bar(name, 1, said=name, kind=name)], title=name) + line_plot([1, 2], title=name, ends=(name, name))

    for one in ElementTree.fromstring(f"<all>{svg}</all>").iter():
        assert one.tag.removeprefix(SVG) in {"all", "svg", "rect", "text", "line", "path", "circle"}
        assert not {"onload", "style", "href"} & set(one.attrib)
    assert "\x1b" not in svg
    assert "\u202e" not in svg


@pytest.mark.parametrize("values", [[], [0], [1, float("nan"), float("inf"), -3], [2.0] * 5, [-1, -2]])
def test_any_values_make_a_line(values: list[float]) -> None:
    svg = line_plot(values, title="took", unit=" ms")

    ElementTree.fromstring(svg)
    assert "nan" not in svg
    assert "inf" not in svg


def test_a_rare_slow_call_is_seen_among_many() -> None:
    svg = line_plot([1.0] * 50_000 + [900.0] + [1.0] * 50_000, title="took")

    assert ">900<" in svg
    assert len(svg) < 10_000


def test_no_bars_are_a_picture_too() -> None:
    assert "nothing yet" in bar_plot([], title="evidence")
