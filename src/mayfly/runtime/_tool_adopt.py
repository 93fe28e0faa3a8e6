"""Take in promoted tools that this store has never had, where they pass the gates of today."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from mayfly.core import Artifact, InputError, MayflyError, Tier, one_line
from mayfly.gates import Profile, Suite
from mayfly.library import Card, CheckoutFiles, Versions
from mayfly.runtime._tool_files import ToolFiles, card_file, tests_file

if TYPE_CHECKING:
    from mayfly.gates import Admission
    from mayfly.library.promotion import Promoted
    from mayfly.runtime._run import Runtime


def adopt_promoted(runtime: Runtime, versions: Versions, files: ToolFiles) -> Iterator[str]:
    """Make a first version of each, and say what came of it; one that was deleted here is not brought back."""
    for one in runtime.promotion.tools():
        if versions.rows.get(one.name) is not None:
            continue
        try:
            check_not_builtin(runtime, one.name)
            card, suite = Card.from_json(one.about.get("card")), Suite.from_json(json.loads(one.tests))
            admission = _proven(runtime, one, card, suite)
        except (MayflyError, ValueError, TypeError, KeyError) as error:
            yield f"promoted/{one.place} is left out: {one_line(str(error), limit=300)}"
            continue
        card = replace(
            card,
            version=1,
            parent=0,
            verdicts=tuple(asdict(it) for it in admission.verdicts),
            proof=asdict(admission.proof) if admission.proof else {},
            versions=runtime.parts.versions(),
        )
        kept = versions.add(card, one.source, one.tests, before=0, by="promoted")
        files.write(kept, CheckoutFiles(source=one.source, tests=tests_file(suite, card), card=card_file(card)))
        yield f"promoted/{one.place} was proven and serves as {one.name}"


def _proven(runtime: Runtime, one: Promoted, card: Card, suite: Suite) -> Admission:
    artifact = Artifact(kind="tool", source=one.source, entry=card.name, author=card.author)
    profile = Profile.of(runtime.settings.gates, tier=Tier.AUTHORED, grants=card.opened)
    admission = runtime.parts.gates().admit(
        artifact, profile=profile, suite=suite, intent=card.intent, spread=card.spread
    )
    proof = admission.proof
    if admission.decision != "accept" or proof is None or not proof.holds or card.name != one.name:
        raise InputError(next((it.message for it in admission.verdicts if it.decision != "accept"), "it is not proven"))
    return admission


def check_not_builtin(runtime: Runtime, name: str) -> None:
    """Refuse the names of what the project itself consists of, and those that the rules know."""
    from mayfly.runtime._policy import Desk
    from mayfly.world import builtins

    taken = {one.name for one in builtins(runtime.settings)}
    if name not in taken:
        parts = runtime.parts
        taken |= Desk(parts.settings, ledger=parts.ledger).personas.actions
    if name in taken:
        raise InputError(
            f"{name} is the name of a built-in tool",
            fix=f"call yours agent_{name}; to change the built-in one: mayfly stage {name} FILE",
        )
