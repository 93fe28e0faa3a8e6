"""`SessionLog`: a session as the ledger has it, so that a killed one goes on where it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mayfly.core import content_hash
from mayfly.models import Called, Message, Returned, SaidText, ToolCall
from mayfly.session._events import (
    ModelSaid,
    SessionBegan,
    SessionEnded,
    SessionFolded,
    SessionNoted,
    ToolCalled,
    ToolReturned,
    TurnAsked,
    TurnConfigured,
    TurnEnded,
)

if TYPE_CHECKING:
    from mayfly.store import Event, Ledger, Payload


@dataclass(kw_only=True)
class LoggedTurn:
    """One turn as far as it has come."""

    number: int
    text: str
    configured: TurnConfigured | None = None
    said: list[ModelSaid] = field(default_factory=list)
    called: dict[str, ToolCalled] = field(default_factory=dict)
    returned: dict[str, ToolReturned] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)
    originals: dict[str, ToolCall] = field(default_factory=dict)
    """The calls as the model made them in this process; what is recorded of them has no secrets."""
    ended: TurnEnded | None = None

    def messages(self) -> Iterator[Message]:
        """Yield the turn as the model is told it; a call without a result has none yet."""
        yield SaidText(role="user", text=self.text)
        yield from (SaidText(role="user", text=note) for note in self.notes.get(0, ()))
        for place, said in enumerate(self.said):
            calls = calls_of(said)
            if calls:
                carried: Any = said.carried
                yield Called(text=said.text, calls=calls, carried=carried)
                for number, call in enumerate(calls):
                    done = self.returned.get(self.key(said.step, number))
                    if done is not None:
                        failed = done.status not in ("ok", "held")
                        yield Returned(call_id=call.id, name=call.name, text=done.text, failed=failed)
            elif said.text:
                yield SaidText(role="assistant", text=said.text)
            for note in self.notes.get(place + 1, ()):
                yield SaidText(role="user", text=note)

    def key(self, step: int, number: int) -> str:
        """Return by what the effect of a call is known: its place in the session, whatever the model calls it."""
        return f"{self.number}.{step}.{number}"

    def open_calls(self) -> list[tuple[str, ToolCall]]:
        """Return the calls of the last answer that have no result yet, with their keys."""
        if not self.said:
            return []
        last = self.said[-1]
        keyed = [(self.key(last.step, number), call) for number, call in enumerate(calls_of(last))]
        return [(key, self.originals.get(key, call)) for key, call in keyed if key not in self.returned]

    def keep_originals(self, step: int, calls: Sequence[ToolCall]) -> None:
        """Keep the calls of an answer as they are to be made; after a restart there is only the record of them."""
        self.originals = {self.key(step, number): call for number, call in enumerate(calls)}


def tag_of(session: str) -> str:
    """Return by what the placeholders of a session are known: the same after a restart, so that prompts stay cached."""
    return content_hash(session)[:6]


def calls_of(said: ModelSaid) -> tuple[ToolCall, ...]:
    """Return the calls of an answer as the seam knows them."""
    return tuple(ToolCall.from_json(dict(call)) for call in said.calls)


class SessionLog:
    """Append what happens in one session, and read it back."""

    def __init__(self, ledger: Ledger, id: str) -> None:
        self.ledger = ledger
        self.id = id
        self.began: SessionBegan | None = None
        self.turns: list[LoggedTurn] = []
        self.folded: SessionFolded | None = None
        self.ended: SessionEnded | None = None
        self._pending: list[str] = []
        # Notes may come from other processes: an approval is given wherever a person is.
        self._noted: set[int] = set()
        for entry in ledger.read(subject=id):
            self._take_entry(entry)

    def add(self, *payloads: Payload) -> None:
        """Record what happened, in one piece."""
        for entry in self.ledger.append_many(payloads, subject=self.id):
            self._take_entry(entry)

    def hide(self, text: str) -> str:
        """Return the copy of a text that is recorded, shown and sent to a model."""
        return self.ledger.secrets.text(text)

    def tags(self) -> set[str]:
        """Return the tags of the placeholders that this conversation may hold: an agent's tasks have its parent's."""
        parent = self.began.parent if self.began is not None else ""
        return {tag_of(id) for id in (self.id, parent) if id} | {self.ledger.secrets.tag} - {""}

    def refresh(self) -> None:
        """Take in what others noted meanwhile."""
        for entry in self.ledger.read(kind="session.noted", subject=self.id):
            if entry.id not in self._noted:
                self._take_entry(entry)

    @property
    def turn(self) -> LoggedTurn | None:
        """The turn that is under way, if one is."""
        return self.turns[-1] if self.turns and self.turns[-1].ended is None else None

    def messages(self) -> list[Message]:
        """Return the conversation as the model is told it: a summary of what was folded, then every turn since."""
        told: list[Message] = []
        first = 0
        if self.folded is not None:
            told.append(SaidText(role="user", text=f"What happened before, in short:\n{self.folded.summary}"))
            first = self.folded.turn
        for turn in self.turns:
            if turn.number > first:
                told += turn.messages()
                told += _closing(turn)
        return told

    def _take_entry(self, entry: Event) -> None:
        if entry.kind == "session.noted":
            self._noted.add(entry.id)
        self._take(entry.data)

    def _take(self, data: object) -> None:
        match data:
            case SessionBegan():
                self.began, self.ended = data, None
            case SessionEnded():
                self.ended = data
            case SessionFolded():
                self.folded = data
            case SessionNoted():
                self._note(data)
            case TurnAsked():
                self.ended = None
                text = "\n\n".join([*self._pending, data.text])
                self._pending = []
                self.turns.append(LoggedTurn(number=data.turn, text=text))
            case TurnConfigured():
                self.turns[-1].configured = data
            case ModelSaid():
                self.turns[-1].said.append(data)
            case ToolCalled():
                self.turns[-1].called[data.key] = data
            case ToolReturned():
                self.turns[-1].returned[data.key] = data
            case TurnEnded():
                self.turns[-1].ended = data

    def _note(self, noted: SessionNoted) -> None:
        """Put a note where the model hears of it: after its last answer, or with what is asked next."""
        turn = self.turn
        if turn is None or turn.open_calls():
            self._pending.append(noted.text)
        else:
            turn.notes.setdefault(len(turn.said), []).append(noted.text)


def _closing(turn: LoggedTurn) -> Iterator[Message]:
    """Tell how a turn ended that the model did not end itself, so that the next one does not follow on a call."""
    ended = turn.ended
    if ended is None or ended.status == "done":
        return
    for _, call in turn.open_calls():
        text = f"not done: the turn ended ({ended.reason or ended.status})"
        yield Returned(call_id=call.id, name=call.name, text=text, failed=True)
    # Said by us and not by the model: a script counts what the model has said.
    yield SaidText(role="user", text=f"[that turn ended: {ended.reason or ended.status}]")


def sessions(ledger: Ledger) -> list[SessionLog]:
    """Return every session of the ledger, oldest first."""
    return [SessionLog(ledger, entry.subject) for entry in ledger.read(kind="session.began")]
