"""`Memo`: what proved itself is remembered by the content of its question, sealed, for every process of the store."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field

from mayfly.core import Artifact, Proof, StoreError, canonical_json, content_hash, without_secrets_in
from mayfly.store import Cache, Cached, Seal

Clock = Callable[[], float]


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """One proven agent: its source, how it is called, its proof and the versions of the gates that admitted it.

    *asked* is the key of the question whatever the versions of the gates: promotion outlives them.
    """

    artifact: Artifact
    proof: Proof
    versions: Mapping[str, object]
    intent: str = ""
    spread: bool = False
    asked: str = ""


class Tampered(StoreError):
    """An entry is not what was put there; it is refused, never run."""

    code = "TAMPERED"


class Memo:
    """Find agents again. Hash, seal and gate versions are checked on every load."""

    def __init__(self, cache: Cache, seal: Seal, *, clock: Clock = time.time) -> None:
        self._cache = cache
        self._seal = seal
        self._clock = clock

    def get(self, key: str, *, versions: Mapping[str, object]) -> Remembered | None:
        """Return what is remembered under *key*; `Tampered` if it was changed, None if a gate has changed since."""
        now = self._clock()
        entry = self._cache.get(key, now=now)
        if entry is None:
            return None
        found = self._open(entry)
        if dict(found.versions) != dict(versions):
            return None
        self._cache.touch(entry, now=now)
        return found

    def put(self, key: str, agent: Remembered) -> None:
        """Remember *agent* under *key*."""
        artifact = asdict(agent.artifact)
        artifact["provenance"] = without_secrets_in(json.loads(json.dumps(artifact["provenance"], default=str)))
        body = canonical_json(
            {
                "key": key,
                "artifact": artifact,
                "hash": agent.artifact.hash,
                "proof": asdict(agent.proof),
                "versions": dict(agent.versions),
                "intent": without_secrets_in(agent.intent),
                "spread": agent.spread,
                "asked": agent.asked,
            }
        )
        sealed = json.dumps({"body": body, "seal": self._seal.of(body)})
        self._cache.put(key, sealed, now=self._clock())

    def forget(self, key: str) -> None:
        """Drop one entry."""
        self._cache.remove(key)

    def clear(self) -> int:
        """Forget everything; return how many agents that were."""
        return self._cache.clear()

    def entries(self) -> list[tuple[str, Remembered]]:
        """Return what is alive and untampered, the most recently used first."""
        found = []
        for entry in self._cache.entries(now=self._clock()):
            try:
                found.append((entry.key, self._open(entry)))
            except Tampered:
                continue
        return found

    def _open(self, entry: Cached) -> Remembered:
        try:
            outer = json.loads(entry.value)
            body, seal = outer["body"], outer["seal"]
            if not (isinstance(body, str) and isinstance(seal, str) and self._seal.holds(body, seal)):
                raise ValueError("the seal does not hold")
            data = json.loads(body)
            if data["key"] != entry.key or content_hash(data["artifact"]["source"]) != data["hash"]:
                raise ValueError("the content does not match its address")
            artifact = Artifact(**{**data["artifact"], "grants": tuple(data["artifact"]["grants"])})
            return Remembered(
                artifact=artifact,
                proof=Proof.from_json(data["proof"]),
                versions=data["versions"],
                intent=data["intent"],
                spread=data["spread"],
                asked=data.get("asked", ""),
            )
        except (ValueError, TypeError, KeyError) as error:
            reason = error if isinstance(error, ValueError) else "it cannot be read"
            raise Tampered(f"the remembered agent {entry.key[:12]} was changed: {reason}") from None


@dataclass(frozen=True, kw_only=True)
class Question:
    """Hold everything that could make another agent the right one."""

    intent: str
    examples: object = None
    shape: object = None
    context: Mapping[str, object] = field(default_factory=dict)
    constraints: Mapping[str, object] = field(default_factory=dict)
    tier: str = "memo"
    language: str = "python"
    author: str = ""
    versions: Mapping[str, object] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The SHA-256 of the canonical JSON: the same in every process, whatever the order of keys."""
        return content_hash(canonical_json({name: getattr(self, name) for name in self.__dataclass_fields__}))
