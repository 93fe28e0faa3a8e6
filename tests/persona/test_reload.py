"""Personas that are added while a session runs, and files that go bad meanwhile."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mayfly.core import InputError, PersonaSettings, Settings
from mayfly.persona import ConfigAtom, Desk, Personas, PromptContext, add_persona
from mayfly.policy import Rulebook, Snapshot, Watcher
from mayfly.testing import FakeClock

RULE = "verb_persona(/translate, /translator).\n"
ATOM = """\
id: translator_identity
category: identity
content: |
  You translate texts and change nothing else.
  Your goals are:
  - every sentence is there
  - names and code stay as they are
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=str(tmp_path / "state"))


@pytest.fixture
def desk(settings: Settings, tmp_path: Path) -> Desk:
    (tmp_path / "work").mkdir()
    return Desk(settings, ledger=None, workspace=tmp_path / "work")


def put(settings: Settings, name: str, text: str) -> Path:
    path = settings.state / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def watched(desk: Desk) -> Callable[[], bool]:
    """Return a way to let the watcher look now and after its debounce time."""
    clock: FakeClock[float] = FakeClock(100.0)
    watcher = Watcher(desk.rulebook, clock=clock, also=[desk.shelf])

    def look() -> bool:
        watcher.look()
        clock.forward(0.6)
        return watcher.look()

    return look


def test_n21_a_new_persona_is_one_rule_and_one_file_and_no_restart(desk: Desk, settings: Settings) -> None:
    look = watched(desk)
    assert desk.understand("Translate the README to German").route.personas == ("coder",)
    put(settings, "rules/translator.mg", RULE)
    put(settings, "agents/translator.yaml", ATOM)
    assert len(RULE.splitlines()) == 1
    assert len(ATOM.splitlines()) <= 20
    assert look()
    assert desk.understand("Translate the README to German").route.personas == ("translator",)
    made = desk.personas.configure(["translator"], ["translate"], context=PromptContext())
    assert "You translate texts" in made.identity_prompt
    assert made.tools == desk.personas.atom(["general"]).tools
    assert desk.kernel(persona="translator").permitted("file_read", "README.md").allowed
    assert not desk.kernel(persona="translator").permitted("file_write", "README.md", "x").allowed


def test_n21_the_watcher_takes_both_files_up_by_itself(desk: Desk, settings: Settings) -> None:
    loaded = threading.Event()
    also = [desk.shelf]
    with Watcher(desk.rulebook, debounce=0.05, report=lambda reload: loaded.set(), also=also):
        put(settings, "agents/translator.yaml", ATOM)
        put(settings, "rules/translator.mg", RULE)
        assert loaded.wait(20)
        for _ in range(2000):
            if "translator" in desk.personas.names():
                break
            threading.Event().wait(0.05)
    assert desk.snapshot.problems == desk.personas.problems == ()
    assert desk.understand("Translate the README").route.personas == ("translator",)
    assert "You translate texts" in desk.personas.configure(["translator"], context=PromptContext()).identity_prompt


def test_n23_a_turn_under_way_keeps_what_it_began_with(desk: Desk, settings: Settings) -> None:
    put(settings, "agents/mine.yaml", "persona: poet\ntools: [file_write, file_edit]\n")
    desk.shelf.reload()
    look = watched(desk)
    personas, kernel = desk.personas, desk.kernel(persona="poet")
    put(settings, "agents/mine.yaml", "persona: poet\ntools: [kb_search]\nsummary: changed\n")
    assert look()
    assert "file_write" in personas.atom(["poet"]).tools
    assert kernel.permitted("file_write", "a.txt", "x").allowed
    assert "file_write" not in desk.personas.atom(["poet"]).tools
    assert not desk.kernel(persona="poet").permitted("file_write", "a.txt", "x").allowed


def test_n23_a_bad_edit_keeps_the_last_good_and_is_named(desk: Desk, settings: Settings) -> None:
    put(settings, "agents/mine.yaml", "persona: poet\ntools: [file_write, file_edit]\n")
    put(settings, "rules/mine.mg", "verb_persona(/rhyme, /poet).\n")
    look = watched(desk)
    desk.shelf.reload()
    desk.rulebook.reload()
    put(settings, "agents/mine.yaml", "persona: poet\ntools: [file_write, file_edit\n")
    put(settings, "rules/mine.mg", "verb_persona(/rhyme, /poet\n")
    assert look()
    assert desk.understand("rhyme the text").route.personas == ("poet",)
    assert "file_write" in desk.personas.atom(["poet"]).tools
    told = " ".join(map(str, (*desk.personas.problems, *desk.snapshot.problems)))
    assert "agents/mine.yaml" in told
    assert told.count("last good version stays in force") == 2


def test_n23_a_text_beside_an_atom_is_watched_too(desk: Desk, settings: Settings) -> None:
    text = put(settings, "agents/poet.txt", "You rhyme.")
    put(settings, "agents/poet.yaml", "- persona: poet\n- id: p\n  category: identity\n  content_file: poet.txt\n")
    desk.shelf.reload()
    look = watched(desk)
    text.write_text("You rhyme well.")
    assert look()
    assert "You rhyme well." in desk.personas.configure(["poet"], context=PromptContext()).identity_prompt


def test_n23_a_rule_cannot_be_loaded_that_makes_all_of_a_personas_work_impossible(
    desk: Desk, settings: Settings
) -> None:
    denied = 'policy_denies(Id, "no") :- pending_action(Id, Action, _, _, _), Action != /ask_user .\n'
    put(settings, "rules/never.mg", denied)
    desk.rulebook.reload()
    assert "nothing that was permitted" in str(desk.snapshot.problems[0])
    assert desk.kernel(persona="coder").permitted("file_write", "a.py", "x").allowed


# Adding one


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Rulebook().snapshot


def add(state: Path, snapshot: Snapshot, name: str, *tools: str, **more: object) -> Personas:
    atom = ConfigAtom(tools=tools, priority=10)
    add_persona(state, name, atom, snapshot=snapshot, settings=PersonaSettings(), **more)  # type: ignore[arg-type]
    return Personas.load(state, snapshot)


def test_n24_what_is_added_is_in_force_and_the_rest_of_the_file_stays(tmp_path: Path, snapshot: Snapshot) -> None:
    add(tmp_path, snapshot, "poet", "file_write", prompt="You rhyme.\n\n  Well: #1 'quoted'\n")
    path = tmp_path / "agents" / "custom_configs.yaml"
    path.write_text(path.read_text() + "# a note of mine\n")
    personas = add(tmp_path, snapshot, "painter", "hypothesis_gen", summary='paints: "all" # of it')
    assert "# a note of mine" in path.read_text()
    assert {"poet", "painter"} <= set(personas.names())
    assert personas.summary("painter") == 'paints: "all" # of it'
    told = personas.configure(["poet"], context=PromptContext()).identity_prompt
    assert "You rhyme.\n\n  Well: #1 'quoted'" in told


def test_n24_an_odd_prompt_comes_back_as_it_was(tmp_path: Path, snapshot: Snapshot) -> None:
    odd = "tabs\tand \u2028 lines \U0001f600\n--- \n- x: [y"
    personas = add(tmp_path, snapshot, "poet", prompt=odd)
    assert odd in personas.configure(["poet"], context=PromptContext()).identity_prompt


def test_n24_a_second_one_of_the_name_needs_the_word_override(tmp_path: Path, snapshot: Snapshot) -> None:
    add(tmp_path, snapshot, "poet", "file_write")
    add(tmp_path, snapshot, "painter", "file_write")
    with pytest.raises(InputError, match="there is a persona poet already"):
        add(tmp_path, snapshot, "poet", "kb_search")
    personas = add(tmp_path, snapshot, "poet", "kb_search", override=True)
    assert "file_write" not in personas.atom(["poet"]).tools
    assert "file_write" in personas.atom(["painter"]).tools


def test_n24_a_shipped_persona_is_only_added_to(tmp_path: Path, snapshot: Snapshot) -> None:
    with pytest.raises(InputError, match="coder is a shipped persona"):
        add(tmp_path, snapshot, "coder", "web_fetch")
    personas = add(tmp_path, snapshot, "coder", "web_fetch", override=True)
    tools = personas.atom(["coder"]).tools
    assert {"web_fetch", "shell_exec"} <= set(tools)


@pytest.mark.parametrize(
    ("name", "tools", "more", "said"),
    [
        ("poet", ("config_write",), {}, "config_write is above the tier authored"),
        ("poet", ("no_such",), {}, "no rule knows no_such"),
        ("Poet!", (), {}, "'Poet!' is no name"),
        ("poet", (), {"verbs": ["rhyme). persona_x("]}, "is no name"),
    ],
)
def test_n24_what_would_not_be_in_force_is_not_written(
    tmp_path: Path, snapshot: Snapshot, name: str, tools: tuple[str, ...], more: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        add(tmp_path, snapshot, name, *tools, **more)
    assert not list(tmp_path.rglob("*.yaml*"))
    assert not list(tmp_path.rglob("*.mg"))


def test_n24_a_file_that_is_bad_already_is_not_written_over(tmp_path: Path, snapshot: Snapshot) -> None:
    path = tmp_path / "agents" / "custom_configs.yaml"
    path.parent.mkdir()
    path.write_text("persona: [")
    with pytest.raises(InputError, match=r"custom_configs\.yaml"):
        add(tmp_path, snapshot, "poet", "file_write")
    assert path.read_text() == "persona: ["


def test_n24_many_at_once_lose_nothing(tmp_path: Path, snapshot: Snapshot) -> None:
    threads = [
        threading.Thread(target=add, args=(tmp_path, snapshot, f"poet_{number}", "file_write")) for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(name.startswith("poet_") for name in Personas.load(tmp_path, snapshot).names()) == 8
