"""What the kernel writes to the ledger."""

from mayfly.store import JSON, event


@event("policy.decided")
class PolicyDecided:
    """Record one decision: what was asked, what the rules said and why, and the facts to decide it again from."""

    action: str
    target: str
    payload: str
    """Target and payload are shortened, and what looks like a secret is left out."""
    digest: str
    """The hash of action, target and payload in full, and of who acts where."""
    payload_hash: str
    decision: str
    because: tuple[str, ...]
    rules: str
    persona: str | None = None
    policies: tuple[str, ...] = ()
    action_class: str | None = None
    session: str | None = None
    workspace: str = ""
    facts: tuple[str, ...] = ()
    blob: str | None = None
    """Where the facts are kept when they are too long for an event."""
    reasons: tuple[dict[str, JSON], ...] = ()
    """Of a denial or a need for an approval: code, argument, start and end of each reason."""


@event("policy.spent")
class PolicySpent:
    """Record, in one piece with the permit, what a spending takes of a session or a day, and what that has spent now.

    The subject is the session or the day. What was permitted counts as spent: nobody tells whether it was.
    """

    decision: str
    cents: int
    total: int


@event("policy.routed")
class PolicyRouted:
    """Record who was chosen for a request, and the facts to choose again from."""

    personas: tuple[str, ...]
    action_types: tuple[str, ...]
    because: tuple[str, ...]
    rules: str
    policies: tuple[str, ...] = ()
    session: str | None = None
    facts: tuple[str, ...] = ()
    blob: str | None = None


@event("policy.overridden")
class PolicyOverridden:
    """Record that a person approved exactly one action for a time; the seal is over all other fields.

    Times are nanoseconds since 1970.
    """

    override: str
    """The approval's own id."""
    decision: str
    digest: str
    about: str
    """The class of the action, or its name where the rules say no class."""
    by: str
    reason: str
    made: int
    until: int
    seal: str


@event("policy.review_wanted")
class PolicyReviewWanted:
    """Record that the rules stand in somebody's way often enough to be looked at."""

    about: str
    denials: int
    overrides: int
    window: float


@event("policy.fact_refused")
class PolicyFactRefused:
    """Record that a fact proposed by a model was not taken, and why."""

    line: str
    reason: str


@event("policy.reloaded")
class PolicyReloaded:
    """Record that rule files changed: which are in force now and which were refused with what reason."""

    rules: str
    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    removed: tuple[str, ...]
