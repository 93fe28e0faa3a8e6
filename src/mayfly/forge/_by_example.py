"""`ExampleArchitect`: no model at all; programs from examples, from sample lines and from words for operations."""

from __future__ import annotations

import ast
import json
import time
from typing import TYPE_CHECKING

from mayfly.core import Artifact, content_hash, missing_class, parse_python, same
from mayfly.forge._request import CannotWrite, Request
from mayfly.synthesis.records import Proposal

if TYPE_CHECKING:
    from mayfly.synthesis.examples import Synthesis

MODEL = "a model (--model)"
EXAMPLES = "examples of inputs with their outputs (--examples)"
# What a search gets at least when earlier ones for other examples used up the time: enough for nearly all that succeed.
_LEAST = 0.2


class ExampleArchitect:
    """Write from examples where there are any, otherwise from the sample and the words of the intent.

    An attempt that was refused is not written again: the next best program follows. The same examples are searched
    once, and all searches of one architect share its seconds.
    """

    name = "examples"

    def __init__(self, *, seconds: float = 20.0) -> None:
        self._seconds = self._left = seconds
        self._known: tuple[Request, Synthesis] | None = None

    def write(self, request: Request) -> Artifact:
        """Return the best program not yet tried, or raise `CannotWrite` with what would help."""
        tried = {content_hash(attempt.source) for attempt in request.attempts}
        if request.examples:
            return self._from_examples(request, tried)
        if request.question is not None:
            return self._from_reading(request.question.proposal, tried)
        raise CannotWrite("without a model, words alone are not enough", helps=(EXAMPLES, "an input (--input)", MODEL))

    def _from_examples(self, request: Request, tried: set[str]) -> Artifact:
        made = self._searched(request)
        asked = None if made.question is None else (made.question.input, made.question.answers)
        if asked is not None and any(same(asked[0], one) for one in request.never):
            asked = None
        question = None if asked is None else ask(*asked)
        # Where a class lacks examples one answer is no proof: the program is shown, with the reason why it is weak.
        if question is not None and not made.confident and not missing_class(request.examples):
            reason = "programs that fit the examples disagree"
            raise CannotWrite(reason, helps=("an example that settles it",), question=question, asked=asked)
        left = [program for program in made.programs if content_hash(program.source) not in tried]
        if not left:
            reason = made.reason or "every program found was refused"
            raise CannotWrite(reason, helps=("more examples", MODEL), question=question, asked=asked)
        program = left[0]
        provenance = {
            "how": program.description,
            "rivals": len(made.programs) - 1,
            # Whether the search compared it with every other program that fits the examples, and it leads them clearly.
            # Then how many of the examples other programs foretold that were not shown them.
            "foretold": made.trust.foretold if made.trust and made.confident and program is made.programs[0] else 0,
            "parts": library_parts(program.source),
            "doubt": made.trust.doubt.reason if made.trust and made.trust.doubt else "",
        }
        return Artifact(
            kind="agent", source=program.source, entry=program.entry, author=self.name, provenance=provenance
        )

    def _searched(self, request: Request) -> Synthesis:
        """Search once for what is the same request but for its attempts."""
        from mayfly.synthesis import examples

        if self._known is not None:
            known, made = self._known
            if known.examples is request.examples and known.sample is request.sample:
                return made
        signature = request.signature
        began = time.thread_time()
        made = examples.synthesize(
            request.examples,
            intent=request.intent,
            probes=[probe for probe in request.sample if not any(same(probe, one) for one in request.never)],
            name=signature.name if signature else request.name,
            parameters=[parameter.name for parameter in signature.parameters] if signature else (),
            seconds=max(self._left, _LEAST * self._seconds),
        )
        self._left -= time.thread_time() - began
        self._known = (request, made)
        return made

    def _from_reading(self, proposal: Proposal, tried: set[str]) -> Artifact:
        program = proposal.program
        if content_hash(program.source) in tried:
            raise CannotWrite("the only program found was refused", helps=(EXAMPLES, MODEL))
        provenance = {
            "how": "read",
            "reading": proposal.reading,
            "accounts": program.account,
            "rows": proposal.rows,
        }
        return Artifact(
            kind="agent",
            source=program.source,
            entry=program.entry,
            author=self.name,
            grants=("data",),
            provenance=provenance,
        )


def library_parts(source: str) -> list[str]:
    """Return the names of what was copied from the synthesizer's own library: helpers, and constants only they use."""
    body = parse_python(source).body
    helpers = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("_")]
    constants = [node for node in body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    named = [(node.targets[0] if isinstance(node, ast.Assign) else node.target) for node in constants]
    kept = {id(node) for node in (*helpers, *constants)}
    used = {
        inner.id for node in body if id(node) not in kept for inner in ast.walk(node) if isinstance(inner, ast.Name)
    }
    own = [target.id for target in named if isinstance(target, ast.Name) and target.id not in used]
    return [*(node.name for node in helpers), *own]


def ask(input: object, answers: tuple[object, ...]) -> str:
    """Put the question that would settle which of several programs is meant."""
    shown = " or ".join(json.dumps(answer, ensure_ascii=False) for answer in answers[:4])
    return f"what should {json.dumps(input, ensure_ascii=False)} give{': ' * bool(answers)}{shown}?"
