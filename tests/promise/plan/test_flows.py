"""Requests of several steps: which capabilities, with which arguments, and what flows from one to the next."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from mayfly.promise._promise import Promise

from .helpers import is_sound, make

TABLE = tomllib.loads(Path(__file__).with_name("flows.toml").read_text(encoding="utf-8"))
CASES = TABLE["flows"]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_values_flow_from_step_to_step(text: str, expected: str, tmp_path: Path) -> None:
    tree = planned(text, tmp_path)
    is_sound(tree, make(tmp_path).settings)
    assert told(tree) == expected


@pytest.mark.parametrize(("text", "expected"), TABLE["not_yet"], ids=[text for text, _ in TABLE["not_yet"]])
@pytest.mark.xfail(strict=True, reason="what is left out of the second half of such a request is not read")
def test_not_yet(text: str, expected: str, tmp_path: Path) -> None:
    assert told(planned(text, tmp_path)) == expected


def test_clauses_behind_for_each_are_done_for_one_item_together(tmp_path: Path) -> None:
    tree = planned("For each *.log file in var/, count its lines and append the number to n.txt", tmp_path)
    find, each = tree.children
    assert (find.capability, find.argument) == ("find_files", {"pattern": "*.log", "path": "var/"})
    assert each.template is not None
    count, append = each.template.children
    assert (count.capability, count.argument) == ("count_lines", {"path": {"item": "each"}})
    assert (append.capability, append.argument) == (
        "append_file",
        {"path": "n.txt", "content": {"result of": count.name}},
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Before you overwrite a.yaml with 'x', copy a.yaml to a.bak", "Before you overwrite a.yaml"),
        ("for every url in endpoints.txt, fetch it and append the response to out.txt", "url"),
        ("Every .md file in docs/: count its words", "Every .md file in docs/"),
        ("Fetch https://example.org/a.json. Whatever comes back goes into a.json", "Whatever comes back"),
    ],
)
def test_what_no_step_does_is_named_and_nothing_else_is_done(text: str, left: str, tmp_path: Path) -> None:
    tree = planned(text, tmp_path)
    assert [leaf.capability for leaf in tree.walk()] == ["", ""]
    assert tree.reality is not None
    assert left in tree.reality.reasoning


def test_what_is_forbidden_goes_along_with_the_step(tmp_path: Path) -> None:
    tree = planned("Run the unit tests and write the outcome to r.txt, but do not commit anything", tmp_path)
    assert "do not commit anything" in tree.children[-1].intent


def planned(text: str, workspace: Path) -> Promise[Any]:
    (workspace / "src").mkdir(exist_ok=True)
    (workspace / "src" / "a.py").touch()
    return make(workspace).plan(text, ground=None)


def told(tree: Promise[Any]) -> str:
    """Write the leaves of a tree in the notation of the table, in their order."""
    leaves = [one for one in tree.walk() if not one.children]
    places: dict[tuple[str, str], int] = {}
    parents = {child.id: parent for parent in tree.walk() for child in parent.children}
    for number, leaf in enumerate(leaves, 1):
        places[parent_id(leaf), leaf.name] = number
        above = parents.get(leaf.id)
        # A group of steps gives what its last one gives.
        while (above is not None and above.children[-1].id == leaf.id) or (
            above is not None and leaf.id.startswith(above.id)
        ):
            places[parent_id(above), above.name] = number
            leaf, above = above, parents.get(above.id)
    return " | ".join(step(leaf, places, parents) for leaf in leaves)


def parent_id(promise: Promise[Any]) -> str:
    return promise.id.rpartition(".")[0]


def step(leaf: Promise[Any], places: dict[tuple[str, str], int], parents: dict[str, Promise[Any]]) -> str:
    if leaf.template is not None:
        assert isinstance(leaf.each, dict)
        number = places[parent_id(leaf), leaf.each["result of"]]
        return f"each @{number}: {call(leaf.template, leaf, places)}"
    what = call(leaf, leaf, places) if leaf.capability else "example" if leaf.work is not None else "model"
    above: Promise[Any] | None = leaf
    while above is not None and not above.needs and not above.after:
        above = parents.get(above.id)
    if above is None:
        return what
    waits = [] if leaf.capability and above is leaf else [f"<{places[parent_id(above), name]}" for name in above.needs]
    waits += [f">{places[parent_id(above), name]}" for name in above.after]
    return " ".join([what, *waits])


def call(leaf: Promise[Any], place: Promise[Any], places: dict[tuple[str, str], int]) -> str:
    given = leaf.argument if isinstance(leaf.argument, dict) else {}
    return " ".join([leaf.capability, *(f"{key}={value(one, place, places)}" for key, one in given.items())])


def value(one: object, place: Promise[Any], places: dict[tuple[str, str], int]) -> str:
    if isinstance(one, dict) and "result of" in one:
        number = places[parent_id(place), one["result of"]]
        return f"@{number}.{one['at']}" if one.get("at") else f"@{number}"
    if isinstance(one, dict) and "item" in one:
        return "@item"
    return f"[{','.join(map(str, one))}]" if isinstance(one, list) else str(one)
