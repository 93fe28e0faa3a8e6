"""Tests that need what a tool was granted: run once, where a proof opens no door."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mayfly.core import OpenPoint, Proof, Verdict, Witness
from mayfly.gates import Admission, Profile, Prover, Suite
from mayfly.gates.stability import importable
from mayfly.library._tool_grants import reaches_outside
from mayfly.sandbox import GrantedSandbox, Spender

if TYPE_CHECKING:
    from mayfly.library import Workshop


def try_live(parts: Workshop, admission: Admission, suite: Suite, profile: Profile, *, run: str) -> Admission:
    """Run the tests alone with what was granted, where the proof failed for want of it.

    A proof runs a program hundreds of times and opens no door to the outside for that; the tests run once. What they
    buy is bought, in the name of the *run* in which the tool is made.
    """
    refused = [verdict for verdict in admission.verdicts if verdict.decision == "reject"]
    outside = [grant for grant in profile.grants if reaches_outside([grant])]
    if not outside or admission.entry is None or any(one.code != "TEST_FAILED" for one in refused):
        return admission
    spender = Spender(agent=run, run=run, tool=admission.entry.name)
    prover = Prover(GrantedSandbox(parts.sandbox, profile.grants, spender=spender), parts.prover.options)
    source, imports = admission.artifact.source, importable(profile)
    results = prover.rerun(source, admission.entry, suite, imports=imports)
    if not results or not all(result.passed for result in results):
        return admission
    count = len(results)
    said = f"{count} tests passed with {', '.join(outside)}; what it gives for other inputs was not tried"
    verdict = Verdict(decision="accept", gate="proof", code="TESTED", message=said)
    witness = Witness(kind="tests", author=suite.author or "given", count=count, what=f"{count} tests")
    point = OpenPoint(kind="failure", author="grants", count=1, what="it was tried on no input but those of its tests")
    proof = Proof(strength="tested", tests=count, evidence=(witness,), open=(point,))
    report = replace(admission.report, proof=proof, verdicts=(verdict,), results=results) if admission.report else None
    others = tuple(one for one in admission.verdicts if one.gate != "proof")
    return replace(admission, decision="accept", verdicts=(*others, verdict), report=report)
