"""How things stand on this machine: the wall, the library, the settings in force; and code at the static gates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mayfly.core import Artifact, SecretFields, is_secret_name
from mayfly.operations._words import pick_fields, verdict_fields

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.gates import Admission, Profile
    from mayfly.library import Tools
    from mayfly.runtime import Runtime
    from mayfly.sandbox import Diagnosis
    from mayfly.sandbox.workbench import Commit


@dataclass(frozen=True, kw_only=True)
class DoctorView:
    """Which wall this machine gives, layer by layer, and what of the library is not whole."""

    diagnosis: Diagnosis
    tools: int
    problems: tuple[str, ...]
    left: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        found = self.diagnosis
        return {
            **pick_fields(found, "level reason"),
            "layers": [pick_fields(layer, "name ok detail fix") for layer in found.layers],
            "library": {"tools": self.tools, "problems": list(self.problems)},
            "left_by_staging": self.left,
        }


def doctor(settings: Settings, tools: Tools | None) -> DoctorView:
    """Look at this machine, and at the library where there is one."""
    from mayfly.runtime import left_by_staging
    from mayfly.sandbox import diagnose

    return DoctorView(
        diagnosis=diagnose(settings.sandbox),
        tools=len(tools.list()) if tools is not None else 0,
        problems=tuple(tools.problems()) if tools is not None else (),
        left=left_by_staging(),
    )


def settings_rows(settings: Settings) -> list[dict[str, Any]]:
    """Return every setting with its value, default, owner, source, variable and meaning; secrets are hidden."""
    rows = []
    for row in settings.show():
        value = row.value
        if isinstance(value, str):
            hidden = bool(value) and is_secret_name(row.key) and not row.key.endswith("_file")
            value = "(hidden)" if hidden else SecretFields().said(value)
        rows.append({**row._asdict(), "value": value, "variable": row.variable})
    return rows


def check_source(runtime: Runtime, source: str, *, profile: Profile, intent: str, author: str) -> Admission:
    """Try code at the gates that do not run it: syntax, stability, judge and types."""
    parts = runtime.parts
    parts.types.start()
    artifact = Artifact(kind="agent", source=source, author=author)
    return parts.gates().admit(artifact, profile=profile, suite=None, intent=intent, any_entry=True, last=False)


def admission_fields(found: Admission) -> dict[str, Any]:
    """Return what the gates said of code as plain data."""
    return {
        "decision": found.decision,
        "verdicts": [verdict_fields(one) for one in found.verdicts],
        "repairs": list(found.repairs),
        "metrics": vars(found.metrics) if found.metrics else None,
        "milliseconds": found.milliseconds,
    }


def commit_fields(commit: Commit) -> dict[str, Any]:
    """Return a change of the workspace as plain data."""
    files = [pick_fields(change, "kind path") for change in commit.changes]
    return {
        **pick_fields(commit, "id when note undoes size"),
        "at": datetime.fromtimestamp(commit.when, UTC).isoformat(timespec="seconds"),
        "summary": commit.changes.summary(),
        "files": files,
        "changes": files,
    }
