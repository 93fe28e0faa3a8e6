"""Make a version: have it written or take what was handed in, try it at all gates, and say what speaks for it.

Nothing of it is kept anywhere before the evidence is in.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from mayfly.core import (
    UNSET,
    Contract,
    Example,
    HelpNeeded,
    InputError,
    MayflyError,
    Order,
    Proof,
    Tier,
    Verdict,
    checked_examples,
    content_hash,
    one_line,
    parse_python,
    without_secrets,
)
from mayfly.forge._compile import compile_task
from mayfly.forge._compiler import Compiler, verdicts_of
from mayfly.forge._prompt import parsed
from mayfly.forge._story import Collapse
from mayfly.forge._task import Task
from mayfly.forge._tool_wish import Wish, given_tests, signature_for, try_live
from mayfly.gates import Admission, Profile, Suite, Test, find_entry
from mayfly.library import (
    FILE,
    LONGEST_DESCRIPTION,
    Card,
    Earlier,
    ProvenTool,
    ToolMade,
    ToolOrder,
    ToolSignature,
    check_name,
    default_grants,
    each_once,
    opened_grants,
    reaches_outside,
    read_signature,
    suite_text,
    tool_name_of,
    unspread,
)

if TYPE_CHECKING:
    from mayfly.core import Does
    from mayfly.forge._story import Story

_NOBODY = "nobody but its author: source and tests are by one hand"


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """What an order asks for, where the version before says what it leaves open."""

    order: ToolOrder
    earlier: Earlier | None
    intent: str
    granted: tuple[str, ...]
    contract: Contract | None

    def opened(self, source: str) -> tuple[str, ...]:
        """Return the grants that are open: those that were named, or of the usual ones what the source needs."""
        return self.granted if self.order.grants is not None else opened_grants(source, self.granted)

    def kept_tests(self, signature: ToolSignature) -> tuple[Test, ...]:
        """Return the tests of the version before, which go on holding where it is still called the same way."""
        if self.earlier is None or self.order.replace_tests:
            return ()
        if self.earlier.signature.shape != signature.shape:
            raise InputError(
                f"{signature.name} would be called in another way than before, so that its tests say nothing",
                fix="give tests or examples for it and say so: --replace-tests",
            )
        return self.earlier.suite.tests


@dataclass(frozen=True, kw_only=True)
class _Draft:
    """What the gates have said about a source, before anybody decides whether it becomes a version."""

    wanted: _Wanted
    signature: ToolSignature
    admission: Admission
    suite: Suite
    proof: Proof | None
    opened: tuple[str, ...]
    author: str
    kept: tuple[Test, ...]


class ToolMaker:
    """Make tools with the parts of one runtime."""

    def __init__(self, compiler: Compiler, *, does_of: Callable[[str, str], Does]) -> None:
        """Take what compiles, and what turns a name and a summary into the pairs of verb and object they speak of."""
        self._compiler = compiler
        self._parts = compiler.parts
        self._settings = compiler.parts.settings
        self._does_of = does_of

    def make(self, order: ToolOrder, earlier: Earlier | None = None) -> ProvenTool | ToolMade:
        """Return a proven version, or why there is none; an order that cannot be meant is an `InputError`."""
        order = self._checked(order)
        story = self._compiler.begin_story()
        try:
            wanted = self._wanted(order, earlier)
            draft = self._forged(wanted, story) if order.source is None else self._given(wanted, order.source, story)
        except InputError:
            raise
        except Collapse as error:
            verdict = Verdict(decision="reject", gate="forge", code=error.code, message=error.reason)
            question = error.about.get("question")
            return _rejected(order, error.reason, verdicts=(verdict,), question=question or "")
        except MayflyError as error:
            reason = error.last_error if isinstance(error, HelpNeeded) else error.message
            question = str(getattr(error, "question", None) or "")
            return _rejected(order, reason, fix=error.fix, verdicts=tuple(verdicts_of(error)), question=question)
        return self._proven(draft, story)

    def _checked(self, order: ToolOrder) -> ToolOrder:
        """Return the order, which can be meant, with a name: read off the source, or made of the intent."""
        size, most = len((order.source or "").encode("utf-8", "surrogatepass")), self._settings.gates.source
        if size > most:
            raise InputError(f"the source has {size:,} bytes; the limit is {most:,}", fix="MAYFLY_GATES_SOURCE")
        name = order.name
        if not name and order.source is not None:
            name = _only_function(order.source)
        name = name or tool_name_of(order.intent)
        check_name(name)
        if len(order.summary) > LONGEST_DESCRIPTION:
            raise InputError(f"the description has {len(order.summary)} characters; the limit is {LONGEST_DESCRIPTION}")
        limit = self._settings.library.timeout
        if order.seconds is not None and not 0 < order.seconds <= limit:
            raise InputError(
                f"a call of a tool takes up to {limit:g} s, not {order.seconds:g}", fix="MAYFLY_LIBRARY_TIMEOUT"
            )
        return replace(order, name=name)

    def _wanted(self, order: ToolOrder, earlier: Earlier | None) -> _Wanted:
        if order.grants is not None:
            granted = tuple(sorted(set(order.grants)))
        else:
            granted = earlier.grants if earlier is not None else default_grants(self._settings.library.grants)
        # What was agreed on for the version before goes on holding where its tests do.
        contract = earlier.contract if earlier is not None and not order.replace_tests else None
        if order.contract is not None:
            given = order.contract
            contract = given if isinstance(given, Contract) else Contract.from_json(given)
        intent = order.intent or (earlier.intent if earlier else "")
        return _Wanted(order=order, earlier=earlier, intent=intent, granted=granted, contract=contract)

    def _profile(self, grants: tuple[str, ...]) -> Profile:
        return Profile.of(self._settings.gates, tier=Tier.AUTHORED, grants=grants)

    def _given(self, wanted: _Wanted, source: str, story: Story) -> _Draft:
        order = wanted.order
        signature = read_signature(source, order.name)
        opened = wanted.opened(source)
        wanted = replace(wanted, intent=wanted.intent or signature.doc or order.name.replace("_", " "))
        kept = wanted.kept_tests(signature)
        examples = [replace(one, input=signature.positional(one.input)) for one in checked_examples(order.examples)]
        asked = self._asked(wanted, examples=examples, model=order.model, grants=opened)
        admission, suite = self._compiler.prove(
            asked, source, entry=order.name, tests=order.tests, kept=kept, spread=signature.spread, story=story
        )
        suite = replace(suite, tests=each_once(suite.tests))
        if admission.decision != "accept":
            admission = try_live(self._parts, admission, suite, self._profile(opened), run=story.id)
        return _Draft(
            wanted=wanted,
            signature=signature,
            admission=admission,
            suite=suite,
            proof=_honest(admission.proof, witnessed=_has_witness(suite, order, kept, wanted.earlier)),
            opened=opened,
            author=order.by or "given",
            kept=kept,
        )

    def _asked(self, wanted: _Wanted, **more: Any) -> Order:
        return Order.of(wanted.intent, contract=wanted.contract, tier=Tier.AUTHORED, **more)

    def _forged(self, wanted: _Wanted, story: Story) -> _Draft:
        """Have it written: by example where that is enough, and by a model where one may be asked."""
        order, earlier = wanted.order, wanted.earlier
        model = self._parts.model_named(order.model)
        examples = checked_examples(order.examples)
        if earlier is not None and not order.replace_tests:
            known = [one for one in earlier.suite.tests if one.kind == "example" and one.expected is not UNSET]
            examples = (*examples, *(Example(input=one.input, output=one.expected) for one in known))
        if not examples and not model:
            raise InputError(
                "there is nothing to write this tool from",
                fix="give examples (--examples FILE.json), or source and tests, or a model (--model)",
            )
        held = wanted.granted if order.grants is not None else ()
        asked = self._asked(wanted, examples=examples, model=model, grants=held)
        wish = signature_for(self._compiler, order, asked)
        given = () if order.tests is None else given_tests(order.tests, wish)
        admission, suite = self._compiled(wish, asked, story, given)
        signature = read_signature(admission.artifact.source, order.name)
        # What is written for a signature takes a list of arguments; a tool of one parameter takes just that.
        if not signature.spread:
            plain = find_entry(parse_python(admission.artifact.source), order.name, spread=False)
            suite, admission = unspread(suite), replace(admission, entry=plain)
        kept = wanted.kept_tests(signature)
        if kept:
            suite = replace(suite, tests=each_once((*suite.tests, *kept)))
            admission = self._parts.gates().prove_again(admission, suite, profile=self._profile(held))
        return _Draft(
            wanted=wanted,
            signature=signature,
            admission=admission,
            suite=suite,
            proof=admission.proof,
            opened=wanted.opened(admission.artifact.source),
            author=admission.artifact.author,
            kept=kept,
        )

    def _compiled(self, wish: Wish, order: Order, story: Story, given: tuple[Test, ...]) -> tuple[Admission, Suite]:
        """Have a function written for a signature that passes the *given* tests; raises what stood in the way."""
        asked = replace(order, examples=tuple(wish.examples), contract=wish.contract)
        task = Task.of(asked, self._settings, signature=wish.signature)
        self._compiler.check_grants(task, story)
        story.began(task)
        try:
            compiled = compile_task(self._parts, task, story, given=given)
        finally:
            story.keep(self._parts.ledger)
        assert compiled.admission is not None, "what was compiled was admitted"
        assert compiled.suite is not None, "what was admitted was tested"
        return compiled.admission, compiled.suite

    def _proven(self, draft: _Draft, story: Story) -> ProvenTool | ToolMade:
        order, admission, proof, suite = draft.wanted.order, draft.admission, draft.proof, draft.suite
        reason, fix = _objection(draft)
        if reason or proof is None:
            report = admission.report
            return _rejected(
                order,
                reason,
                fix=fix,
                verdicts=admission.verdicts,
                proof=proof,
                source=admission.artifact.source,
                question=report.question.text if report and report.question else "",
            )
        if self._parts.ledger.secrets.holds([suite.to_json(), admission.artifact.source]):
            raise InputError(
                "the source or the tests of this tool hold a secret, which is never kept", fix="leave it out"
            )
        tests = suite_text(suite)
        card = self._card(draft, proof, tests, story)
        return ProvenTool(card=card, source=admission.artifact.source, suite=suite, tests=tests, admission=admission)

    def _card(self, draft: _Draft, proof: Proof, tests: str, story: Story) -> Card:
        wanted, admission, signature, entry = draft.wanted, draft.admission, draft.signature, draft.admission.entry
        order, opened = wanted.order, draft.opened
        assert entry is not None, "what was proven has an entry"
        summary = without_secrets(one_line(order.summary or signature.doc or wanted.intent, limit=LONGEST_DESCRIPTION))
        return Card(
            name=order.name,
            version=0,
            summary=summary,
            intent=without_secrets(one_line(wanted.intent, limit=2000)),
            input_schema=signature.input_schema,
            output_schema=signature.output_schema,
            parameters=signature.parameters,
            required=signature.required,
            is_class=signature.is_class,
            spread=entry.spread,
            does=self._does_of(order.name, summary),
            seconds=order.seconds or self._settings.library.timeout,
            grants=wanted.granted,
            opened=opened,
            effect="once" if reaches_outside(opened) else "none",
            source_hash=admission.artifact.hash,
            tests_hash=content_hash(tests),
            shape=signature.shape,
            verdicts=tuple(asdict(one) for one in admission.verdicts),
            proof=asdict(proof),
            witness="; ".join(map(str, proof.evidence)) or _NOBODY,
            tests=proof.tests,
            author=draft.author,
            by=order.by,
            tests_by=order.tests_by or (order.by if order.source is not None else draft.suite.author),
            model=(story.task.order.model if story.task else None) or "",
            cost=story.cost().to_json(),
            parent=0,
            versions=self._parts.versions(),
            run=story.id,
            notes=admission.report.notes if admission.report else (),
            contract=wanted.contract.to_json() if wanted.contract else {},
        )


def _rejected(order: ToolOrder, reason: str, *, fix: str | None = "", **known: Any) -> ToolMade:
    """Say that no version is made of an order, and why."""
    return ToolMade(decision="reject", name=order.name, reason=one_line(reason, limit=500), fix=fix or "", **known)


def _objection(draft: _Draft) -> tuple[str, str]:
    """Return why a draft does not become a version, and what would help; nothing where it does."""
    order, admission, proof = draft.wanted.order, draft.admission, draft.proof
    refused = next((one for one in admission.verdicts if one.decision == "reject"), None)
    if refused is not None:
        fix = refused.fix or ""
        if draft.kept and refused.code == "TEST_FAILED" and not order.replace_tests:
            fix = f"{fix}; where a test of the old version no longer holds: --replace-tests"
        return f"{refused.gate}: {refused.message}", fix
    if proof is None or admission.entry is None or admission.decision != "accept":
        return "nothing was proven", ""
    if not proof.holds and order.source is None and not order.accept_weak:
        fix = "give more examples or tests, or take it as it is: --accept-weak"
        return "only what its author was shown speaks for it", fix
    return "", ""


def _only_function(source: str) -> str:
    tree = parsed(source)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = [
        node.name for node in (tree.body if tree else ()) if isinstance(node, kinds) and not node.name.startswith("_")
    ]
    return found[0] if len(found) == 1 else ""


def _has_witness(suite: Suite, order: ToolOrder, kept: Sequence[Test], earlier: Earlier | None) -> bool:
    """Whether any of the written tests is by another hand than the source: a model's, or one that is named."""
    by_model = suite.author not in ("", "request", order.by)
    by_other = order.tests is not None and not _is_same(order.tests_by or order.by, order.by)
    # Who edits a file is not known, and mostly who wrote the tests beside it.
    known = earlier is not None and bool(earlier.tests_by) and order.by not in ("", FILE)
    before = known and earlier is not None and bool(kept) and not _is_same(earlier.tests_by, order.by)
    return by_model or by_other or before


def _honest(proof: Proof | None, *, witnessed: bool) -> Proof | None:
    """Return a proof in which nobody is a witness for a program of their own."""
    if proof is None or witnessed:
        return proof
    evidence = tuple(one for one in proof.evidence if one.kind != "tests")
    strength = proof.strength if evidence or proof.strength == "none" else "weak"
    return replace(proof, evidence=evidence, strength=strength)


def _is_same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()
