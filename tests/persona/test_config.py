"""Config atoms: how files say what a persona has, and how what they say is joined."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import InputError, PersonaSettings, Settings
from mayfly.persona import AgentConfig, ConfigAtom, Personas, PromptContext, Shelf, Stock, merge
from mayfly.persona._shelf import read_file
from mayfly.policy import Kernel, Rulebook, Snapshot

NAMES = st.lists(st.sampled_from("abcdef"), max_size=5).map(tuple)
ATOMS = st.builds(ConfigAtom, tools=NAMES, policies=NAMES, priority=st.integers(0, 200))
# Document 004, section 3.1 and the table of section 5.1, joined.
TABLE = {
    "coder": ("file_read file_write shell_exec git build_check", "code_safety.mg git_workflow.mg", 100),
    "tester": ("test_exec coverage_analyzer file_read", "test_strategy.mg framework_detection.mg", 90),
    "reviewer": ("file_read hypothesis_gen impact_analysis preflight", "review_policy.mg hypothesis_rules.mg", 80),
    "researcher": ("web_fetch doc_parse kb_ingest context7", "research_strategy.mg", 70),
}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Rulebook().snapshot


@pytest.fixture(scope="module")
def shipped(snapshot: Snapshot) -> Personas:
    return Personas.load(None, snapshot)


def write(tmp_path: Path, text: str, name: str = "mine.yaml") -> Path:
    path = tmp_path / "agents" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_n06_a_config_atom_has_tools_policies_and_a_priority(tmp_path: Path) -> None:
    path = write(tmp_path, "persona: poet\ntools: [file_read, /file_write]\npolicies: [base.mg]\npriority: 7\n")
    (entry,) = read_file(path).configs
    assert entry.atom == ConfigAtom(tools=("file_read", "file_write"), policies=("base.mg",), priority=7)
    assert (entry.layer, entry.name) == ("persona", "poet")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("persona: poet\ntool: [x]", r"mine.yaml:2: tool: unknown key; did you mean tools\?"),
        ("persona: poet\ntools: 3", r":2: tools: it has to be a list"),
        ("persona: poet\ntools: [A B]", r":2: tools: 'A B' is no name"),
        ("persona: poet\npriority: high", r":2: priority: it has to be a whole number"),
        ("persona: poet\npriority: true", r":2: priority: it has to be a whole number"),
        ("persona: poet\npriority: -1", r":2: priority: it has to be a whole number"),
        ("persona: poet\nverb: rhyme", r"one persona or for one verb"),
        ("persona: poet\npolicies: [../x.mg]", r":2: policies: '../x.mg' is no policy"),
        ("verb: rhyme\nprompt: hello", r":2: prompt: only a persona has it"),
        ("everyone: true\ntools: [shell_exec]", r":1: everyone: what everybody has is not for other files"),
        ("tools: [file_read]", r":1: an entry has id \(a prompt atom\), persona or verb"),
        ("persona: [a]", r":1: persona: it has to be text"),
        ("- just text", r":1: an entry is a mapping"),
        ("persona: poet\npersona: poet", r":2: the key persona stands there twice"),
        ("persona: &x poet\nsummary: *x", r"anchors and aliases are not used here"),
        ("persona: !!python/name:os.system poet", r"the tag .* is not used here"),
        ("persona: {a", r"mine.yaml:"),
        ("a: " + "[" * 5000, r"nested deeper than 8"),
        ("persona: \x07", r"mine.yaml"),
    ],
)
def test_n06_what_is_wrong_names_file_line_and_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_file(write(tmp_path, text))


def test_n06_a_file_that_everybody_may_write_is_not_read(tmp_path: Path) -> None:
    path = write(tmp_path, "persona: poet\n")
    path.chmod(0o666)
    with pytest.raises(InputError, match="anybody may write it"):
        read_file(path)


@given(ATOMS, ATOMS, ATOMS)
def test_n07_merge_is_associative(one: ConfigAtom, two: ConfigAtom, three: ConfigAtom) -> None:
    assert one.merge(two).merge(three) == one.merge(two.merge(three))


@given(ATOMS, ATOMS)
def test_n07_merge_is_a_union_in_the_order_first_seen(one: ConfigAtom, two: ConfigAtom) -> None:
    both = one.merge(two)
    assert both.tools == tuple(dict.fromkeys(one.tools + two.tools))
    assert both.policies == tuple(dict.fromkeys(one.policies + two.policies))
    assert both.priority == max(one.priority, two.priority)
    assert both.merge(both) == both.merge(one) == both.merge(two) == both


def test_n07_the_example_of_document_004_has_exactly_its_order() -> None:
    coder = ConfigAtom(
        tools=("file_write", "shell_exec", "git", "build_check"), policies=("code_safety.mg", "git_workflow.mg")
    )
    tester = ConfigAtom(
        tools=("test_exec", "coverage_analyzer", "file_read"), policies=("test_strategy.mg", "framework_detection.mg")
    )
    both = merge([coder, tester])
    assert " ".join(both.tools) == "file_write shell_exec git build_check test_exec coverage_analyzer file_read"
    assert " ".join(both.policies) == "code_safety.mg git_workflow.mg test_strategy.mg framework_detection.mg"


def test_n08_an_unknown_persona_is_an_error_and_has_no_tool(shipped: Personas, snapshot: Snapshot) -> None:
    with pytest.raises(InputError, match=r"there is no persona 'codr'; did you mean coder\?"):
        shipped.atom(["codr"])
    with pytest.raises(InputError, match="no persona"):
        shipped.configure(["coder", "stranger"], context=PromptContext())
    with pytest.raises(InputError, match="nobody is to act"):
        shipped.configure([], context=PromptContext())
    kernel = Kernel(snapshot, persona="stranger")
    assert not kernel.permitted("file_read", "a.txt").allowed


def test_n09_a_configuration_is_whole_or_none() -> None:
    made = AgentConfig(identity_prompt="You are.", tools=(), policies=("base.mg",), mode="Campaign")
    assert (made.mode, made.tools, made.facts()) == ("Campaign", (), ())
    with pytest.raises(InputError, match="without a prompt"):
        AgentConfig(identity_prompt=" ", tools=(), policies=("base.mg",))
    with pytest.raises(InputError, match="no policy governs"):
        AgentConfig(identity_prompt="x", tools=(), policies=())
    with pytest.raises(InputError, match="no mode 'Forever'"):
        AgentConfig(identity_prompt="x", tools=(), policies=("base.mg",), mode="Forever")  # type: ignore[arg-type]


def test_n09_an_agent_without_tools_is_denied_everything(snapshot: Snapshot) -> None:
    made = AgentConfig(identity_prompt="You are.", tools=(), policies=("base.mg",))
    kernel = Kernel(snapshot, persona="coder", policies=made.policies, session=made.facts())
    assert not kernel.permitted("file_write", "a.py", "x").allowed


def test_n09_campaign_mode_tells_the_agent_so(shipped: Personas) -> None:
    said = [shipped.configure(["coder"], context=PromptContext(), mode=mode) for mode in ("SingleTurn", "Campaign")]
    assert ["several turns" in one.identity_prompt for one in said] == [False, True]


@pytest.mark.parametrize("persona", TABLE)
def test_n22_the_personas_of_document_004_have_what_its_tables_say(shipped: Personas, persona: str) -> None:
    tools, policies, priority = TABLE[persona]
    atom = shipped.atom([persona])
    assert set(tools.split()) <= set(atom.tools)
    assert (*policies.split(), "base.mg") == atom.policies
    assert atom.priority == priority


def test_n22_the_other_personas_have_their_priorities(shipped: Personas) -> None:
    assert [shipped.atom([name]).priority for name in ("adversary", "toolgen", "general")] == [85, 75, 50]
    assert shipped.problems == ()


def test_m05_the_tester_has_the_checks_and_everybody_can_read_and_ask(shipped: Personas) -> None:
    assert {"run_pytest", "run_mypy", "run_syntax_check"} <= set(shipped.atom(["tester"]).tools)
    for name in shipped.names():
        tools = set(shipped.atom([name]).tools)
        assert {"file_read", "file_list", "file_search", "ask_user"} <= tools
        assert ("file_write" in tools) == ("file_edit" in tools)
        assert tools <= shipped._known.tools


def test_c27_base_by_persona_then_the_verb_then_the_user(tmp_path: Path, snapshot: Snapshot) -> None:
    write(tmp_path, "- persona: general\n  override: true\n  tools: [kb_search]\n- verb: count\n  tools: [doc_parse]\n")
    personas = Personas.load(tmp_path, snapshot)
    tools = personas.atom(["general"], ["count"]).tools
    own = ("file_read", "file_list", "file_search", "ask_user", "tool_find", "tool_use")
    assert tools == (*own, "doc_parse", "kb_search", "output_read")
    assert "doc_parse" not in personas.atom(["general"], ["read"]).tools


def test_c28_a_persona_that_only_a_rule_speaks_of_has_the_general_tools(tmp_path: Path) -> None:
    (tmp_path / "poet.mg").write_text("verb_persona(/rhyme, /poet).\n")
    snapshot = Rulebook(extra=[tmp_path / "poet.mg"]).snapshot
    poet = Personas.load(None, snapshot).atom(["poet"])
    assert poet == Personas.load(None, snapshot).atom(["general"])


def test_c28_what_the_user_gives_to_general_does_not_reach_others(tmp_path: Path) -> None:
    (tmp_path / "poet.mg").write_text("verb_persona(/rhyme, /poet).\n")
    write(tmp_path, "persona: general\noverride: true\ntools: [shell_exec]\n")
    personas = Personas.load(tmp_path, Rulebook(extra=[tmp_path / "poet.mg"]).snapshot)
    assert "shell_exec" in personas.atom(["general"]).tools
    assert "shell_exec" not in personas.atom(["poet"]).tools


def test_c30_every_configuration_is_governed_by_the_policy_for_all(shipped: Personas) -> None:
    assert all("base.mg" in shipped.policies(name) for name in shipped.names())


def test_n20_a_policy_counts_for_who_has_it_only(shipped: Personas, snapshot: Snapshot, tmp_path: Path) -> None:
    def decision(persona: str) -> str:
        kernel = Kernel(
            snapshot,
            workspace=tmp_path,
            persona=persona,
            policies=shipped.policies(persona),
            session=[*shipped.facts(persona), "granted_tool(/file_write)"],
        )
        return kernel.permitted("file_write", "src/a.py", "x = 1").decision

    assert (decision("reviewer"), decision("coder"), decision("tester")) == ("deny", "permit", "deny")


def test_n20_who_was_asked_to_implement_and_test_may_write_both(
    shipped: Personas, snapshot: Snapshot, tmp_path: Path
) -> None:
    both = ("coder", "tester")
    kernel = Kernel(
        snapshot, workspace=tmp_path, persona="coder", policies=shipped.policies(*both), session=shipped.facts(*both)
    )
    assert kernel.permitted("file_write", "src/a.py", "x = 1").allowed
    assert kernel.permitted("file_write", "tests/test_a.py", "x = 1").allowed
    assert not kernel.permitted("file_write", "node_modules/a.js", "x").allowed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("persona: poet\ntools: [config_write]", "config_write is above the tier authored"),
        ("persona: poet\ntools: [stage_builtin]", "stage_builtin is above the tier authored"),
        ("persona: poet\ntools: [nonsense_tool]", "no rule knows nonsense_tool"),
        ("persona: poet\npolicies: [nowhere.mg]", "there is no policy nowhere.mg"),
        ("persona: coder\ntools: [web_fetch]", "coder stands in coder.yaml:1 already"),
    ],
)
def test_n24_a_file_cannot_give_what_its_author_may_not(
    tmp_path: Path, snapshot: Snapshot, text: str, said: str
) -> None:
    write(tmp_path, text)
    personas = Personas.load(tmp_path, snapshot)
    assert said in " ".join(map(str, personas.problems))
    with pytest.raises(InputError, match="no persona 'poet'"):
        personas.atom(["poet"])
    assert "web_fetch" not in personas.atom(["coder"]).tools


def test_n24_a_lower_tier_gives_less(tmp_path: Path, snapshot: Snapshot) -> None:
    write(tmp_path, "persona: poet\ntools: [file_read, shell_exec]\n")
    personas = Personas.load(tmp_path, snapshot, settings=PersonaSettings(tier="memo"))
    assert "shell_exec is above the tier memo" in str(personas.problems[0])
    assert Personas.load(tmp_path, snapshot).problems == ()


def test_n26_a_policy_that_uses_a_tools_predicate_brings_the_tool(tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "mine.mg").write_text(
        'policy_needs_approval(Id, "look first") :-\n'
        '  in_force("mine.mg"), pending_action(Id, /file_write, Path, _, _), hypothesis_gen(Path, _).\n'
    )
    write(tmp_path, "persona: poet\ntools: [file_write]\npolicies: [mine.mg]\n")
    snapshot = Rulebook(policies=[tmp_path / "policies"]).snapshot
    personas = Personas.load(tmp_path, snapshot)
    assert personas.problems == ()
    assert "hypothesis_gen" in personas.atom(["poet"]).tools
    assert ("hypothesis_gen", "mine.mg") in personas.brought(["poet"])[0]


def test_n26_a_policy_that_uses_an_unknown_predicate_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "mine.mg").write_text(
        'policy_denies(Id, "x") :- in_force("mine.mg"), no_such_thing(Id).\n'
    )
    write(tmp_path, "persona: poet\npolicies: [mine.mg]\n")
    personas = Personas.load(tmp_path, Rulebook(policies=[tmp_path / "policies"]).snapshot)
    assert "no_such_thing" in " ".join(map(str, personas.problems))
    with pytest.raises(InputError, match="no_such_thing"):
        personas.atom(["poet"])


def test_n26_a_policy_cannot_bring_what_is_above_the_tier(tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "mine.mg").write_text('policy_tool("mine.mg", /config_write).\n')
    write(tmp_path, "persona: poet\npolicies: [mine.mg]\n")
    personas = Personas.load(tmp_path, Rulebook(policies=[tmp_path / "policies"]).snapshot)
    assert "config_write is above the tier" in " ".join(map(str, personas.problems))


def test_a_bad_file_is_named_and_its_last_good_version_stays(tmp_path: Path, snapshot: Snapshot) -> None:
    path = write(tmp_path, "persona: poet\ntools: [file_write]\n")
    other = write(tmp_path, "persona: painter\n", "other.yaml")
    shelf = Shelf(tmp_path)
    running = Personas(shelf.stock, snapshot)
    path.write_text("persona: poet\ntools: [file_write\n")
    other.write_text("persona: sculptor\n")
    shelf.reload()
    (problem,) = shelf.stock.problems
    assert problem.file == str(path)
    assert "last good version stays in force" in str(problem)
    now = Personas(shelf.stock, snapshot)
    assert "file_write" in now.atom(["poet"]).tools
    assert ("sculptor" in now.names(), "painter" in now.names()) == (True, False)
    assert "painter" in running.names()
    path.unlink()
    assert shelf.reload().problems == ()
    assert "poet" not in Personas(shelf.stock, snapshot).names()


def test_two_files_cannot_make_one_persona(tmp_path: Path, snapshot: Snapshot) -> None:
    write(tmp_path, "persona: poet\ntools: [file_write]\n", "a.yaml")
    write(tmp_path, "persona: poet\ntools: [shell_exec]\n", "b.yaml")
    personas = Personas.load(tmp_path, snapshot)
    assert "b.yaml" in str(personas.problems[0])
    assert "shell_exec" not in personas.atom(["poet"]).tools


def test_no_code_names_a_persona() -> None:
    import re

    source = Path(__file__).parents[2] / "src"
    named = re.compile(r"\b(coder|tester|reviewer|researcher)\b")
    assert [str(path) for path in source.rglob("*.py") if named.search(path.read_text())] == []


def test_every_number_is_a_setting() -> None:
    shown = {row.key: row.default for row in Settings().show() if row.key.startswith("persona.")}
    assert shown["persona.budget"] == 8192
    assert (shown["persona.largest"], shown["persona.fallback"]) == (200_000, 4096)
    assert (shown["persona.headroom"], shown["persona.reserve"]) == (500, 8000)
    assert (shown["persona.logic_weight"], shown["persona.similarity_weight"]) == (0.7, 0.3)
    assert shown["persona.threshold"] == 0.1


def test_the_budget_leaves_room_for_the_answer(snapshot: Snapshot) -> None:
    personas = Personas(Stock(), snapshot)
    assert personas.budget() == 8192 - 500
    assert personas.budget(100_000) == 8192 - 500
    assert personas.budget(12_000) == 6000 - 500
    assert personas.budget(4096) == 2048 - 500
    big = Personas(Stock(), snapshot, settings=PersonaSettings(budget=1_000_000))
    assert big.budget() == 200_000 - 500
    assert big.budget(100_000) == 100_000 - 8000 - 500


def test_the_shipped_files_are_in_the_wheel() -> None:
    table = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert table["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["src/mayfly"]
