"""Which predicates only the shipped rules may define, and what a rule file says about personas."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from mayfly.mangle import Atom, Clause, Constant, MangleError, Name, Negation, Timed, Unit, Variable
from mayfly.policy.kernel.facts import COLUMNS

DECISIONS: Final = ("permitted", "refused", "needs_approval", "change_permitted", "permitted_because")
OPEN: Final = frozenset(
    {"policy_allows", "policy_denies", "policy_needs_approval", "policy_tool", "verb_persona", "verb_action"}
    | {"verb_form", "verb_hint", "verb_noun", "default_persona", "persona", "persona_for", "action_type"}
    | {"action_type_for", "verb_claimed"}
)
"""Where files other than the shipped ones may add their word although decisions depend on it."""
# What rule files said of personas once, and the files of the personas say now.
_OF_A_PERSONA: Final = frozenset({"persona_tool", "persona_policy"})
WIDENING: Final = frozenset({"policy_allows", "policy_tool"})
"""What gives somebody more than the shipped rules do: nothing for files that agents can write."""
_ALWAYS: Final = frozenset(
    {
        *DECISIONS,
        "grant_allowed",
        "admin_override",
        "signed_approval",
        "granted_policy",
        "promotable",
        "proposed",
        "demotable",
    }
    | {"file_exists", "file_contains", *(symbol.name for symbol in COLUMNS)}
)


def protected_by(base: Iterable[Unit]) -> frozenset[str]:
    """Return what decisions rest on in the shipped rules, the open predicates left out."""
    needs: dict[str, set[str]] = {}
    for clause in (clause for unit in base for clause in unit.clauses):
        needs.setdefault(clause.head.predicate, set()).update(_read_by(clause))
    found = set(_ALWAYS)
    waiting = [*DECISIONS, "grant_allowed"]
    while waiting:
        for name in needs.get(waiting.pop(), ()):
            if name not in found and name not in OPEN:
                found.add(name)
                waiting.append(name)
    return frozenset(found)


def check_heads(unit: Unit, protected: Collection[str]) -> None:
    """Refuse a file that defines or declares what only the shipped rules may."""
    declared = ((declaration.atom, "declares") for declaration in unit.declarations)
    for atom, does in (*((clause.head, "defines") for clause in unit.clauses), *declared):
        name = atom.predicate.rpartition(".")[2]
        if name in _OF_A_PERSONA:
            raise MangleError(
                f"{does} {name}: what a persona has is said in the files of the personas",
                stage="analyze",
                place=atom.place,
                fix="see: mayfly persona add",
            )
        if name in protected:
            raise MangleError(
                f"{does} {name}, which only the shipped rules may",
                stage="analyze",
                place=atom.place,
                fix="use policy_allows, policy_denies or policy_needs_approval",
            )
        if name == "policy_tool" and does == "defines":
            _check_policy_tool(atom, unit.file.rpartition("/")[2])


def check_restricts(unit: Unit) -> None:
    """Refuse a file that could give anybody more than the shipped rules do."""
    for clause in unit.clauses:
        name = clause.head.predicate.rpartition(".")[2]
        if name in WIDENING:
            raise MangleError(
                f"defines {name} in the workspace, where agents write; such files may only take away",
                stage="analyze",
                place=clause.place,
                fix="move the file out of the workspace",
            )


def _check_policy_tool(atom: Atom, file: str) -> None:
    first = atom.arguments[0] if atom.arguments else None
    if not (isinstance(first, Constant) and first.value == file):
        raise MangleError(
            "gives a tool to another policy",
            stage="analyze",
            place=atom.place,
            fix=f'write policy_tool("{file}", …)',
        )


def claims(unit: Unit) -> tuple[Clause, ...]:
    """Return a fact verb_persona(/v, /p) for each rule that says `persona(/p) :- user_intent(_, _, /v, _, _).`"""
    return tuple(fact for clause in unit.clauses for fact in _claim(clause))


def _claim(clause: Clause) -> Iterator[Clause]:
    premises = clause.premises or ()
    if clause.head.symbol != ("persona", 1) or len(premises) != 1 or clause.transforms or clause.time:
        return
    premise, persona = premises[0], clause.head.arguments[0]
    if not isinstance(premise, Atom) or premise.symbol != ("user_intent", 5):
        return
    verb = premise.arguments[2]
    others = [term for at, term in enumerate(premise.arguments) if at != 2]
    named = isinstance(persona, Constant) and isinstance(verb, Constant)
    if named and _is_name(persona) and _is_name(verb) and all(isinstance(term, Variable) for term in others):
        head = Atom(predicate="verb_persona", arguments=(verb, persona), place=clause.place)
        yield Clause(head=head, premises=None, transforms=(), time=None, place=clause.place)


def _is_name(term: object) -> bool:
    return isinstance(term, Constant) and isinstance(term.value, Name)


def _read_by(clause: Clause) -> Iterator[str]:
    for premise in clause.premises or ():
        atom = premise.atom if isinstance(premise, (Negation, Timed)) else premise
        if isinstance(atom, Atom):
            yield atom.predicate
