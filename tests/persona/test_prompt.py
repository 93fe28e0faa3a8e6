"""Prompts: which atoms come in for a context, which fit the budget, and that every one is accounted for."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mayfly.core import InputError
from mayfly.persona import (
    AtomFault,
    AtomSet,
    CompiledPrompt,
    Personas,
    PromptAtom,
    PromptContext,
    Shelf,
    Weights,
    categories,
    compile_prompt,
    detect_context,
    shipped_atoms,
    tokens_in,
)
from mayfly.persona._shelf import read_file
from mayfly.policy import Rulebook, Snapshot

from .atoms import IDENTITY, PROTOCOL, atom, atoms

PLAIN = PromptContext()


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Rulebook().snapshot


def fate(compiled: CompiledPrompt, id: str) -> tuple[bool, str]:
    (found,) = [one for one in compiled.manifest if one.id == id]
    return found.included, found.why


def included(compiled: CompiledPrompt) -> list[str]:
    return [one.id for one in compiled.manifest if one.included]


# Selectors


@pytest.mark.parametrize(
    ("selectors", "context", "comes_in"),
    [
        ((), PLAIN, True),
        ((("languages", ("python",)),), PromptContext(languages=("python", "go")), True),
        ((("languages", ("python", "rust")),), PromptContext(languages=("rust",)), True),
        ((("languages", ("python",)),), PromptContext(languages=("go",)), False),
        ((("languages", ("python",)),), PLAIN, False),
        ((("languages", ("python",)), ("intent_verbs", ("fix",))), PromptContext(languages=("python",)), False),
        (
            (("languages", ("python",)), ("intent_verbs", ("fix",))),
            PromptContext(languages=("/Python",), verbs=("/fix",)),
            True,
        ),
        ((("build_layers", ("data",)),), PromptContext(more=(("build_layers", ("/data",)),)), True),
        ((("operational_modes", ("campaign",)),), PromptContext(mode="Campaign"), True),
        ((("campaign_phases", ("plan",)),), PromptContext(phase="plan"), True),
    ],
)
def test_n11_all_kinds_of_selectors_match_and_in_each_any_value(
    selectors: tuple[tuple[str, tuple[str, ...]], ...], context: PromptContext, comes_in: bool
) -> None:
    compiled = compile_prompt(atoms(atom("x", selectors=selectors)), context, 1000)
    assert fate(compiled, "x")[0] is comes_in


def test_n11_the_manifest_says_which_selector_decided() -> None:
    found = atoms(atom("x", selectors=(("languages", ("go",)), ("frameworks", ("jest",)))))
    assert fate(compile_prompt(found, PromptContext(languages=("python",)), 1000), "x") == (
        False,
        "languages: wants go, and here is python",
    )
    both = PromptContext(languages=("go",), frameworks=("jest",))
    assert fate(compile_prompt(found, both, 1000), "x") == (True, "by languages go; frameworks jest")


# Needs, conflicts, groups


def test_n11_what_is_needed_is_pulled_in_and_stands_before() -> None:
    found = atoms(
        atom("z", depends_on=("y",), priority=90), atom("y", depends_on=("x",), priority=1), atom("x", priority=1)
    )
    compiled = compile_prompt(found, PLAIN, 1000)
    assert included(compiled)[-3:] == ["x", "y", "z"]
    assert fate(compiled, "x") == (True, "needed by z")


def test_n11_what_needs_something_missing_is_out_all_along() -> None:
    compiled = compile_prompt(atoms(atom("z", depends_on=("y",)), atom("y", depends_on=("nowhere",))), PLAIN, 1000)
    assert fate(compiled, "y") == (False, "needs nowhere, which does not exist")
    assert fate(compiled, "z") == (False, "needs y, which is out")


def test_n11_what_needs_something_for_another_context_is_out() -> None:
    found = atoms(atom("z", depends_on=("y",)), atom("y", selectors=(("languages", ("go",)),)))
    assert fate(compile_prompt(found, PLAIN, 1000), "z") == (False, "needs y, which is out")


def test_n11_of_two_that_conflict_the_higher_score_wins_then_the_smaller_id() -> None:
    better = atoms(atom("a", conflicts_with=("b",), priority=20), atom("b", priority=60))
    assert fate(compile_prompt(better, PLAIN, 1000), "a") == (False, "conflicts with b")
    equal = atoms(atom("b", conflicts_with=("a",)), atom("a"))
    assert fate(compile_prompt(equal, PLAIN, 1000), "b") == (False, "conflicts with a")


def test_n11_a_mandatory_atom_prohibits_what_it_conflicts_with_and_what_needs_that() -> None:
    found = atoms(
        atom("law", is_mandatory=True, priority=1, conflicts_with=("a",)),
        atom("a", priority=100),
        atom("b", priority=100, depends_on=("a",)),
    )
    compiled = compile_prompt(found, PLAIN, 1000)
    assert fate(compiled, "a") == (False, "conflicts with law, which is mandatory")
    assert fate(compiled, "b") == (False, "needs a, which is out")


def test_n11_one_of_a_group() -> None:
    found = atoms(atom("a", is_exclusive="g"), atom("b", is_exclusive="g", priority=70))
    assert fate(compile_prompt(found, PLAIN, 1000), "a") == (False, "b is the one of the group g")


def test_n11_a_circle_is_an_error_that_names_it() -> None:
    with pytest.raises(AtomFault, match=r"in a circle: (a -> b -> c -> a|b -> c -> a -> b|c -> a -> b -> c)"):
        atoms(atom("a", depends_on=("b",)), atom("b", depends_on=("c",)), atom("c", depends_on=("a",)))


def test_n11_mandatory_atoms_that_exclude_each_other_are_an_error() -> None:
    with pytest.raises(AtomFault, match=r"b and a .* are both mandatory and exclude each other"):
        atoms(atom("a", is_mandatory=True, conflicts_with=("b",)), atom("b", is_mandatory=True))
    with pytest.raises(AtomFault, match="both mandatory in the group g"):
        atoms(atom("a", is_mandatory=True, is_exclusive="g"), atom("b", is_mandatory=True, is_exclusive="g"))


def test_n11_mandatory_atoms_that_only_meet_in_one_context_are_an_error_there() -> None:
    found = atoms(
        atom("a", is_mandatory=True, conflicts_with=("b",), selectors=(("languages", ("go",)),)),
        atom("b", is_mandatory=True, selectors=(("languages", ("c",)),)),
    )
    assert "a" in included(compile_prompt(found, PromptContext(languages=("go",)), 1000))
    with pytest.raises(InputError, match="mandatory atom b cannot come in: conflicts with a"):
        compile_prompt(found, PromptContext(languages=("go", "c")), 1000)


def test_n11_two_atoms_of_one_id_are_an_error() -> None:
    with pytest.raises(AtomFault, match=r"stands in x\.yaml:1 already"):
        atoms(atom("x"), atom("x"))


def test_n11_a_prompt_needs_an_identity_and_a_protocol() -> None:
    for missing, there in (("protocol", IDENTITY), ("identity", PROTOCOL)):
        with pytest.raises(InputError, match=f"no {missing} atom"):
            compile_prompt(AtomSet([there]), PLAIN, 1000)


# Score


def test_n11_an_unimportant_atom_comes_in_where_the_request_is_about_it() -> None:
    found = atoms(
        atom("sql", content="Databases: joins multiply rows.", priority=5), atom("x", content="Nothing.", priority=5)
    )
    asked = PromptContext(request="why does this join multiply the rows of my databases")
    compiled = compile_prompt(found, asked, 1000)
    assert fate(compiled, "sql")[0]
    assert fate(compiled, "x") == (False, "its score 0.035 is below 0.1")
    assert not fate(compile_prompt(found, PLAIN, 1000), "sql")[0]


def test_n11_the_weights_are_settings() -> None:
    found = atoms(atom("x", content="Nothing.", priority=5))
    assert fate(compile_prompt(found, PLAIN, 1000, weights=Weights(threshold=0.01)), "x")[0]


def test_n11_a_skeleton_atom_needs_no_score() -> None:
    assert fate(compile_prompt(atoms(atom("x", "safety", priority=0)), PLAIN, 1000), "x")[0]


# Budget


def test_n11_shorter_variants_are_taken_where_the_full_one_does_not_fit() -> None:
    long = atom("x", content="a" * 400, content_concise="b" * 200, content_min="c" * 40)
    found = atoms(long)
    variants = {budget: _variant(compile_prompt(found, PLAIN, budget), "x") for budget in (120, 70, 25, 12)}
    assert variants == {120: "standard", 70: "concise", 25: "min", 12: ""}


def _variant(compiled: CompiledPrompt, id: str) -> str:
    return next(one.variant for one in compiled.manifest if one.id == id)


def test_n11_mandatory_atoms_never_overflow() -> None:
    found = atoms(*(atom(f"m{n}", is_mandatory=True, content="x" * 400, content_min="y" * 40) for n in range(5)))
    compiled = compile_prompt(found, PLAIN, 170)
    assert compiled.tokens <= 170
    assert [_variant(compiled, f"m{n}") for n in range(5)] == ["standard", "min", "min", "min", "min"]
    with pytest.raises(InputError, match=r"take \d+ tokens at their shortest, of 50"):
        compile_prompt(found, PLAIN, 50)
    with pytest.raises(InputError, match="leaves no room"):
        compile_prompt(found, PLAIN, 0)


def test_n11_what_does_not_fit_is_said() -> None:
    compiled = compile_prompt(atoms(atom("x", content="a" * 4000)), PLAIN, 100)
    assert fate(compiled, "x")[1].startswith("the budget: it takes 1,001 tokens at least, and ")


def test_n11_kinds_stand_in_their_order() -> None:
    names = list(categories())
    shuffled = [atom(f"of-{name}", name, priority=60) for name in random.Random(1).sample(names, len(names))]
    order = [one.category for one in compile_prompt(AtomSet(shuffled), PLAIN, 5000).manifest if one.included]
    assert order == names
    assert len(names) == 22
    first = "identity safety protocol capability methodology hallucination language framework domain"
    assert " ".join(names[:9]) == first
    assert names[-1] == "exemplar"


# Properties

IDS = [f"a{n}" for n in range(14)]


SELECTED = [(), (), (("languages", ("go",)),), (("languages", ("c",)), ("frameworks", ("x",)))]


def corpus(dice: random.Random) -> list[PromptAtom]:
    """Throw together atoms of all kinds; needs may go in circles and mandatory ones may clash."""
    made = [IDENTITY, PROTOCOL]
    for id in IDS[: dice.randint(0, len(IDS))]:
        text = "".join(dice.choices("ab é", k=dice.randint(1, 120))).strip() or id
        others = [one for one in IDS if one != id]
        made.append(
            PromptAtom(
                id=id,
                category=dice.choice(list(categories())),
                content=text * dice.randint(1, 4),
                content_concise=dice.choice(["", text]),
                content_min=dice.choice(["", id]),
                priority=dice.randint(0, 120),
                is_mandatory=dice.random() < 0.15,
                is_exclusive=dice.choice(["", "", "", "g", "h"]),
                depends_on=tuple(dice.sample(others, dice.choice([0, 0, 0, 1, 2]))),
                conflicts_with=tuple(dice.sample(others, dice.choice([0, 0, 1]))),
                selectors=dice.choice(SELECTED),
            )
        )
    return made


COMPILED = [0]


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 300))
def test_n11_random_corpora_keep_the_budget_and_their_promises(seed: int, budget: int) -> None:
    dice = random.Random(seed)
    made = corpus(dice)
    languages, request = dice.choice([(), ("go",), ("c", "go")]), dice.choice(["", "ab é"])
    context = PromptContext(languages=languages, frameworks=("x",), request=request)
    try:
        compiled = compile_prompt(AtomSet(made), context, budget)
    except InputError:
        return
    COMPILED[0] += 1
    again = compile_prompt(AtomSet(made), context, budget)
    assert (compiled.text.encode(), compiled.manifest) == (again.text.encode(), again.manifest)
    assert tokens_in(compiled.text) == compiled.tokens <= budget
    known = {one.id: one for one in made}
    chosen = set(included(compiled))
    assert len(compiled.manifest) == len(known)
    assert all(one.why for one in compiled.manifest)
    for id in chosen:
        assert set(known[id].depends_on) <= chosen
        assert not set(known[id].conflicts_with) & chosen
    groups = [known[id].is_exclusive for id in chosen if known[id].is_exclusive]
    assert len(groups) == len(set(groups))
    assert {"identity", "protocol"} <= {known[id].category for id in chosen}


def test_n11_enough_of_the_random_corpora_made_a_prompt() -> None:
    test_n11_random_corpora_keep_the_budget_and_their_promises()
    assert COMPILED[0] >= 100


def test_n11_the_order_of_files_and_the_seed_of_hashes_change_nothing() -> None:
    script = (
        "from mayfly.persona import compile_prompt, shipped_atoms, AtomSet, PromptContext\n"
        "c = PromptContext(languages=('python','go'), personas=('x',), request='fix the failing test of the parser')\n"
        "a = list(shipped_atoms().values())\n"
        "one, two = (compile_prompt(AtomSet(x), c, 900) for x in (a, a[::-1]))\n"
        "assert one.text == two.text\n"
        "print(one.hash)\n"
    )
    path = f"{Path(__file__).parents[2] / 'src'}"
    ran = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert ran[0] == ran[1]


def test_n11_ten_thousand_atoms_compile(tmp_path: Path) -> None:
    made = [
        atom(
            f"a{n:05}",
            content=f"Advice number {n} about {'tests' if n % 7 else 'databases'} and other things.",
            priority=n % 100,
            depends_on=(f"a{n - 1:05}",) if n % 50 else (),
            conflicts_with=(f"a{(n * 37) % 10_000:05}",) if n % 11 == 0 and (n * 37) % 10_000 not in (n, n - 1) else (),
        )
        for n in range(10_000)
    ]
    found = atoms(*made)
    began = time.process_time()
    compiled = compile_prompt(found, PromptContext(request="fix the databases"), 8192)
    # Far from what it takes; only a search that is no longer linear would come near.
    assert time.process_time() - began < 30
    assert compiled.tokens <= 8192
    assert len(compiled.manifest) == 10_002


def test_n11_an_atom_that_needs_too_many_others_is_an_error() -> None:
    chain = [atom(f"a{n}", depends_on=(f"a{n + 1}",) if n < 149 else ()) for n in range(150)]
    with pytest.raises(AtomFault, match="needs more than 100 other atoms"):
        atoms(*chain)


# Files


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / "agents" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_n11_a_file_holds_one_atom_or_a_list(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "long.txt").write_text("A long text.\n")
    path = write(
        tmp_path,
        "- id: one\n  category: domain\n  version: 2\n  content_file: long.txt\n  languages: [/go]\n"
        "- id: two\n  category: eval\n  content: Two.\n  shard_types: [poet]\n  selectors: {frameworks: [jest]}\n",
    )
    one, two = read_file(path).atoms
    assert (one.content, one.version, one.selectors) == ("A long text.", 2, (("languages", ("go",)),))
    assert dict(two.selectors) == {"agent_types": ("poet",), "frameworks": ("jest",)}
    assert tokens_in("12345") == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "id: x\ncategory: domain\ncontent: a\ncontents: b",
            r"mine.yaml:4: contents: unknown key; did you mean content",
        ),
        ("id: x\ncategory: nonsense\ncontent: a", r":2: category: there is none called 'nonsense'"),
        ("id: x\ncategory: domain", r"either content or content_file"),
        ("id: x\ncategory: domain\ncontent: a\ncontent_file: b", r"either content or content_file"),
        ("id: x\ncategory: domain\ncontent: '  '", r":3: content: it is empty"),
        ("id: x\ncategory: domain\ncontent_file: ../../secret", r":3: content_file: it has to lie beside"),
        ("id: x\ncategory: domain\ncontent_file: nowhere.txt", r"nowhere.txt: No such file"),
        ("id: x\ncategory: domain\ncontent: a\ndepends_on: [x]", r":4: depends_on: an atom cannot name itself"),
        ("id: x\ncategory: domain\ncontent: a\ndepends_on: [y]\nconflicts_with: [y]", r"it depends on y"),
        ("id: x\ncategory: domain\ncontent: a\nselectors: [go]", r":4: selectors: it has to be a mapping"),
        ("id: x\ncategory: domain\ncontent: a\nselectors:\n  tongues: [go]", r":5: tongues: unknown key"),
        ("id: x y\ncategory: domain\ncontent: a", r":1: id: 'x y' is no name"),
        ("id: x\ncategory: domain\ncontent: a\nis_mandatory: yes", r":4: is_mandatory: it has to be true or false"),
    ],
)
def test_n11_what_is_wrong_with_an_atom_names_file_line_and_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_file(write(tmp_path, text))


def test_n11_a_link_does_not_lead_out(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the key")
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "in.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match="has to lie beside"):
        read_file(write(tmp_path, "id: x\ncategory: domain\ncontent_file: in.txt\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "- {id: a, category: eval, content: a, depends_on: [b]}\n"
            "- {id: b, category: eval, content: b, depends_on: [a]}",
            "circle",
        ),
        (
            "id: a\ncategory: eval\ncontent: a\nis_mandatory: true\nconflicts_with: [safety/honesty]",
            "safety/honesty .* are both mandatory",
        ),
        ("id: safety/honesty\ncategory: safety\ncontent: Lie.", "stands in safety/data.yaml:.* already"),
    ],
)
def test_n11_a_file_that_does_not_go_with_the_others_is_left_out(
    tmp_path: Path, snapshot: Snapshot, text: str, said: str
) -> None:
    bad = write(tmp_path, text, "b.yaml")
    write(tmp_path, "id: good\ncategory: eval\ncontent: Good.\n", "c.yaml")
    personas = Personas.load(tmp_path, snapshot)
    (problem,) = personas.problems
    assert problem.file == str(bad)
    import re

    assert re.search(said, problem.reason)
    made = personas.configure(["general"], context=PLAIN)
    assert "Good." in made.identity_prompt
    assert "Say what you did" in made.identity_prompt


def test_n11_where_the_full_prompt_fails_the_plain_one_is_given(tmp_path: Path, snapshot: Snapshot) -> None:
    write(
        tmp_path,
        "- {id: a, category: eval, content: a, is_mandatory: true, conflicts_with: [b], languages: [go]}\n"
        "- {id: b, category: eval, content: b, is_mandatory: true, languages: [c]}\n",
    )
    personas = Personas.load(tmp_path, snapshot)
    made = personas.configure(["general"], context=PromptContext(languages=("go", "c")))
    assert "mandatory atom b" in made.problem
    assert "You answer questions" in made.identity_prompt
    assert tokens_in(made.identity_prompt) <= 4096


# The shipped atoms


def test_the_shipped_atoms_are_sound() -> None:
    assert list(shipped_atoms().faults()) == []
    for one in shipped_atoms().values():
        assert all(other in shipped_atoms() for other in (*one.depends_on, *one.conflicts_with)), one.id
        assert one.description, one.id


def test_the_shipped_mandatory_atoms_fit_a_small_budget(snapshot: Snapshot) -> None:
    personas = Personas.load(None, snapshot)
    for name in personas.names():
        config = personas.configure([name], context=PLAIN, window=2200)
        assert config.problem == ""
        assert tokens_in(config.identity_prompt) <= 600


def test_n10_every_persona_is_told_who_it_is_and_only_that(snapshot: Snapshot) -> None:
    personas = Personas.load(None, snapshot)
    for name in personas.names():
        made = personas.configure([name], context=PLAIN)
        identities = [one.id for one in made.manifest if one.included and one.category == "identity"]
        assert identities == ["identity/agent", f"identity/{name}"]


def test_n10_a_prompt_speaks_of_tools_only_to_who_has_them(snapshot: Snapshot) -> None:
    personas = Personas.load(None, snapshot)
    for name in personas.names():
        made = personas.configure([name], ["fix"], context=PromptContext(languages=("python",)))
        assert ("`compile` has" in made.identity_prompt) == ("compile" in made.tools)
        assert ("run in a workbench" in made.identity_prompt) == ("shell_exec" in made.tools)


def test_n10_the_workspace_decides_the_atoms(tmp_path: Path, snapshot: Snapshot) -> None:
    python, go = tmp_path / "python", tmp_path / "go"
    for folder, files in ((python, ["a.py", "conftest.py"]), (go, ["main.go", "go.mod"])):
        folder.mkdir()
        for name in files:
            (folder / name).write_text("")
    personas = Personas.load(None, snapshot)
    made = {
        folder.name: personas.configure(["coder"], ["fix"], context=detect_context(folder, snapshot))
        for folder in (python, go)
    }
    chosen = {name: {one.id for one in config.manifest if one.included} for name, config in made.items()}
    assert {"language/python", "framework/pytest"} <= chosen["python"] - chosen["go"]
    assert {"language/go", "framework/go-test"} <= chosen["go"] - chosen["python"]
    assert made["python"].identity_prompt != made["go"].identity_prompt
    out = next(one for one in made["go"].manifest if one.id == "language/python")
    assert out.why == "languages: wants python, and here is go"


def test_n10_what_a_policy_advises_is_in_the_prompt(tmp_path: Path, snapshot: Snapshot) -> None:
    personas = Personas.load(None, snapshot)
    made = personas.configure(["tester"], context=detect_context(tmp_path, snapshot))
    assert "- never weaken a test to make it pass" in made.identity_prompt
    assert "no test framework was found" in made.identity_prompt


# Workspaces


@pytest.mark.parametrize(
    ("files", "languages", "frameworks", "states"),
    [
        ({}, (), (), ("empty_workspace",)),
        ({"a.py": "", "test_a.py": "import unittest"}, ("python",), ("unittest",), ()),
        (
            {"src/a.ts": "", "src/b.js": "", "package.json": '{"vitest": 1}'},
            ("javascript", "typescript"),
            ("vitest",),
            (),
        ),
        ({"main.c": "", "node_modules/x/a.js": "", "node_modules/x/b.js": ""}, ("c",), (), ("no_tests",)),
        ({f"m{n}.rs": "" for n in range(30)} | {"x.sh": "", "Cargo.toml": ""}, ("rust",), ("cargo_test",), ()),
        ({".git/HEAD": "x", "q.sql": ""}, ("sql",), (), ("git_repository", "no_tests")),
    ],
)
def test_n10_a_workspace_is_seen_by_its_files(
    tmp_path: Path,
    snapshot: Snapshot,
    files: dict[str, str],
    languages: tuple[str, ...],
    frameworks: tuple[str, ...],
    states: tuple[str, ...],
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = detect_context(tmp_path, snapshot)
    assert (found.languages, found.frameworks, found.world_states) == (languages, frameworks, states)


def test_n10_a_large_workspace_is_looked_at_from_its_root(tmp_path: Path, snapshot: Snapshot) -> None:
    (tmp_path / "a.py").write_text("")
    deep = tmp_path / "z"
    deep.mkdir()
    for number in range(60):
        (deep / f"{number}.js").write_text("")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = detect_context(tmp_path, snapshot, entries=5)
    assert found.languages[0] in ("python", "javascript")
    assert "large_workspace" in found.world_states
    assert detect_context(tmp_path / "nowhere", snapshot).languages == ()


def test_an_identity_without_a_persona_is_for_the_one_its_file_is_called_after(
    tmp_path: Path,
) -> None:
    (tmp_path / "poet.mg").write_text("persona(/poet) :- user_intent(_, _, /rhyme, _, _).\n")
    write(tmp_path, "id: poet_identity\ncategory: identity\ncontent: |\n  You rhyme.\n", "poet.yaml")
    personas = Personas(Shelf(tmp_path).stock, Rulebook(extra=[tmp_path / "poet.mg"]).snapshot)
    assert "You rhyme." in personas.configure(["poet"], context=PLAIN).identity_prompt
    assert "You rhyme." not in personas.configure(["coder"], context=PLAIN).identity_prompt
