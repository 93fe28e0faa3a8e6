"""Whatever is asked, and whatever a model answers, a plan is a sound tree and never an exception."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mayfly.core import Example, PromiseSettings
from mayfly.models import open_model
from mayfly.promise.plan import plan_json
from mayfly.testing import write_script

from .helpers import is_sound, make

WORDS = [*Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split(), "\x00", "\u202e", "\n", "\t"]
requests = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))
names = st.one_of(st.sampled_from(["a", "b", "c", ""]), st.text(max_size=10))
steps = st.recursive(
    st.fixed_dictionaries({"name": names, "intent": requests}),
    lambda inner: st.fixed_dictionaries(
        {
            "name": names,
            "intent": requests,
            "needs": st.lists(names, max_size=3),
            "kind": st.sampled_from(["capability", "compile", "plan"]),
            "capability": st.sampled_from(["read_file", "http_send_once", "none", ""]),
            "steps": st.lists(inner, max_size=4),
        }
    ),
    max_leaves=20,
)
limits = st.fixed_dictionaries(
    {
        "max_depth": st.integers(0, 6),
        "max_children": st.integers(0, 8),
        "max_nodes": st.integers(1, 60),
        "chaos_threshold": st.sampled_from([0.0, 0.1, 0.4, 1.0]),
    }
)


@settings(max_examples=150, deadline=None)
@given(text=requests, bounds=limits, examples=st.booleans(), argument=st.booleans())
def test_any_request_gives_a_sound_tree(text: str, bounds: dict[str, Any], examples: bool, argument: bool) -> None:
    given_: dict[str, Any] = {"argument": ["x"]} if argument else {}
    shown = (Example(input=1, output=2),) if examples else ()
    with TemporaryDirectory() as place:
        tree = make(Path(place), **bounds).plan(text, ground="g", examples=shown, **given_)
    is_sound(tree, PromiseSettings(**bounds))
    assert tree.ground == tree.value == "g"
    json.dumps(plan_json(tree))


@settings(max_examples=60, deadline=None)
@given(text=requests, answers=st.lists(st.lists(steps, max_size=5), min_size=1, max_size=3), bounds=limits)
def test_any_answer_of_a_model_gives_a_sound_tree(text: str, answers: list[Any], bounds: dict[str, Any]) -> None:
    with TemporaryDirectory() as place:
        lines = [("plan", json.dumps({"steps": found})) for found in answers]
        with open_model(write_script(Path(place) / "model.jsonl", *lines)) as model:
            tree = make(Path(place), model=model, **bounds).plan(text, ground="g")
    is_sound(tree, PromiseSettings(**bounds))


@settings(max_examples=40, deadline=None)
@given(text=st.text(min_size=1_000, max_size=5_000), times=st.integers(1, 20))
def test_a_very_long_request_gives_a_sound_tree(text: str, times: int) -> None:
    with TemporaryDirectory() as place:
        is_sound(make(Path(place)).plan(f"fix {text * times}", ground=None), PromiseSettings())


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=30), max_size=6)
)
def test_any_names_of_files_give_a_sound_tree(names: list[str]) -> None:
    with TemporaryDirectory() as place:
        for name in names:
            if name not in (".", "..") and len(name.encode()) < 200:
                (Path(place) / name).touch()
        for text in (f"Fix the bug in {names[0] if names else 'auth'} module", "Refactor the auth module"):
            is_sound(make(Path(place)).plan(text, ground=None), PromiseSettings())
