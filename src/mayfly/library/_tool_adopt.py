"""Take in promoted tools that this store has never had, where they pass the gates of today."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from mayfly.core import Artifact, InputError, MayflyError, Tier, one_line
from mayfly.gates import Profile, Suite
from mayfly.library._card import Card
from mayfly.library._checkout import CheckoutFiles
from mayfly.library._tool_files import ToolFiles, card_file, tests_file
from mayfly.library._versions import Versions

if TYPE_CHECKING:
    from mayfly.gates import Admission
    from mayfly.library._workshop import Workshop
    from mayfly.library.promotion import Promoted


def adopt_promoted(
    parts: Workshop, versions: Versions, files: ToolFiles, check_name: Callable[[str], None]
) -> Iterator[str]:
    """Make a first version of each, and say what came of it; one that was deleted here is not brought back."""
    for one in parts.promotion.tools():
        if versions.rows.get(one.name) is not None:
            continue
        try:
            check_name(one.name)
            card, suite = Card.from_json(one.about.get("card")), Suite.from_json(json.loads(one.tests))
            admission = _proven(parts, one, card, suite)
        except (MayflyError, ValueError, TypeError, KeyError) as error:
            yield f"promoted/{one.place} is left out: {one_line(str(error), limit=300)}"
            continue
        card = replace(
            card,
            version=1,
            parent=0,
            verdicts=tuple(asdict(it) for it in admission.verdicts),
            proof=asdict(admission.proof) if admission.proof else {},
            versions=parts.versions(),
        )
        kept = versions.add(card, one.source, one.tests, before=0, by="promoted")
        files.write(kept, CheckoutFiles(source=one.source, tests=tests_file(suite, card), card=card_file(card)))
        yield f"promoted/{one.place} was proven and serves as {one.name}"


def _proven(parts: Workshop, one: Promoted, card: Card, suite: Suite) -> Admission:
    artifact = Artifact(kind="tool", source=one.source, entry=card.name, author=card.author)
    profile = Profile.of(parts.settings.gates, tier=Tier.AUTHORED, grants=card.opened)
    admission = parts.gates().admit(artifact, profile=profile, suite=suite, intent=card.intent, spread=card.spread)
    proof = admission.proof
    if admission.decision != "accept" or proof is None or not proof.holds or card.name != one.name:
        raise InputError(next((it.message for it in admission.verdicts if it.decision != "accept"), "it is not proven"))
    return admission
