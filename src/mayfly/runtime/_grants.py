"""Whether the rules in force allow what a task is granted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mayfly.core import InputError, Refusal, Tier, Verdict
from mayfly.persona import Desk

if TYPE_CHECKING:
    from mayfly.forge import Story, Task
    from mayfly.gates import Profile
    from mayfly.library import Workshop


def check_grants(parts: Workshop, workspace: Path, task: Task, story: Story | None) -> None:
    """Raise an `InputError` for a grant that cannot be meant, a `Refusal` for one that the rules do not allow."""
    grants = task.profile.grants
    parts.sandbox.check_grants(grants)
    if any(grant.startswith("fs:") for grant in grants):
        _keep_state_out(parts.settings.state, workspace)
    refused = refuse_grants(Desk(parts.settings, ledger=parts.ledger, workspace=workspace), task.profile)
    if refused is not None:
        if story is not None:
            # The ledger has to say what was asked for, also where nothing came of it.
            story.began(task)
        raise Refusal(refused)


def _keep_state_out(state: Path, workspace: Path) -> None:
    """Refuse to hand our own ledger and keys to what we run, as part of the workspace."""
    kept, opened = state.expanduser().resolve(), workspace.resolve()
    if kept.is_relative_to(opened) or opened.is_relative_to(kept):
        raise InputError(
            f"the workspace {workspace} and the state directory {kept} hold each other, and no agent may see the state",
            fix="name a directory apart from it: --workspace DIR",
        )


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
