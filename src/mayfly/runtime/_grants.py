"""Whether the rules allow code of a tier to hold what it is granted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mayfly.core import Tier, Verdict

if TYPE_CHECKING:
    from mayfly.gates import Profile
    from mayfly.runtime._policy import Desk


def refuse_grants(desk: Desk, profile: Profile) -> Verdict | None:
    """Return why one of the grants may not be held at this tier, or None where the rules allow all of them."""
    kernel = desk.kernel()
    for grant in profile.grants:
        effect = grant.partition(":")[0]
        if kernel.query(f"grant_allowed({_name(profile.tier)}, /{effect})"):
            continue
        allowed = [tier.value for tier in Tier if kernel.query(f"grant_allowed({_name(tier)}, /{effect})")]
        return Verdict(
            decision="reject",
            gate="policy",
            code="GRANT",
            message=f"grant {grant} is refused: the rules allow {effect} to no code of tier {profile.tier.value}",
            measured=grant,
            limit=", ".join(allowed) or "no tier",
            fix=f"use --tier {allowed[0]}" if allowed else "do without it",
        )
    return None


def _name(tier: Tier) -> str:
    """Return how the rules call a tier: names in them have no dash."""
    return f"/{tier.value.replace('-', '')}"
