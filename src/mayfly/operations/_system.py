"""How things stand: the wall, the library, settings, code at the static gates, and how much was written on demand."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import Artifact, Money, SecretFields, is_secret_name
from mayfly.operations._words import pick_fields, verdict_fields

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.gates import Admission, Profile
    from mayfly.library import Tools
    from mayfly.runtime import Runtime
    from mayfly.sandbox import Diagnosis
    from mayfly.sandbox.workbench import Commit
    from mayfly.store import Ledger


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
    from mayfly.sandbox import diagnose
    from mayfly.session import left_by_staging

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


@dataclass(frozen=True, kw_only=True)
class PromiseMetrics:
    """Count promises by how they stand now: those of trees, and one for each run that is one agent."""

    total: int
    resolved: int
    collapsed: int
    failed: int
    max_depth: int

    @property
    def success_rate(self) -> float:
        """Kept promises of those that have ended."""
        ended = self.resolved + self.collapsed + self.failed
        return self.resolved / ended if ended else 0.0


@dataclass(frozen=True, kw_only=True)
class RunMetrics:
    """Count runs, what was compiled for them, and why others collapsed; a tree is one run, whatever its leaves."""

    runs: int
    resolved: int
    collapsed: int
    failed: int
    compiled: int
    cached: int
    generated_lines: int
    total_lines: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    money: float
    unknown_effects: int
    dead_letters: int
    promises: PromiseMetrics
    jit_collapse: dict[str, int] = field(default_factory=dict)

    @property
    def autopoiesis_score(self) -> float:
        """Generated lines of all lines: those generated and those of Mayfly itself."""
        return self.generated_lines / self.total_lines if self.total_lines else 0.0

    @property
    def jit_contribution(self) -> float:
        """Agents compiled for each run."""
        return self.compiled / self.runs if self.runs else 0.0

    def to_json(self) -> dict[str, object]:
        """Return everything as data, the rates too."""
        return {
            **asdict(self),
            "promises": {**asdict(self.promises), "success_rate": round(self.promises.success_rate, 6)},
            "autopoiesis_score": round(self.autopoiesis_score, 6),
            "jit_contribution": round(self.jit_contribution, 6),
        }


def metrics(ledger: Ledger) -> RunMetrics:
    """Add up what the ledger keeps of each run; no event is read but those of effects that nobody can tell about."""
    from mayfly.promise import unknown_effects

    found = ledger.totals()
    return RunMetrics(
        **pick_fields(found, "runs resolved failed compiled cached model_calls input_tokens output_tokens"),
        collapsed=found.runs - found.resolved - found.failed,
        generated_lines=found.lines,
        total_lines=found.lines + own_lines(),
        money=Money(found.micros).dollars,
        unknown_effects=len(unknown_effects(ledger)),
        dead_letters=found.dead,
        promises=PromiseMetrics(
            total=found.nodes + found.single,
            resolved=found.promises_resolved,
            collapsed=found.promises_collapsed,
            failed=found.promises_failed,
            max_depth=found.depth,
        ),
        jit_collapse=found.codes,
    )


def own_lines() -> int:
    """Count the lines of Mayfly's own source."""
    return sum(path.read_bytes().count(b"\n") for path in Path(__file__).parents[1].rglob("*.py"))
