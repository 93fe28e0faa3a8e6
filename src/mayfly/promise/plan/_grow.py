"""Let a tree grow from drafts, within its limits: children, nodes, depth, and no circles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from mayfly.core import UNSET, MayflyError, PromiseSettings
from mayfly.language import tokens
from mayfly.promise._order import Cycle, ordered
from mayfly.promise._promise import Combine, Promise, Service
from mayfly.promise.plan._ask import Refused
from mayfly.promise.plan._draft import Draft
from mayfly.promise.plan._ladder import rung
from mayfly.promise.plan._serve import GROUND, Server

Expand = Callable[[Promise[Any]], tuple[Sequence[Draft], Combine]]
_CHILDREN = Service(kind="children")


def collapse(promise: Promise[Any], reason: str, code: str) -> None:
    """Let a promise end in its ground before anything was tried; what was planned below it is dropped."""
    promise.children.clear()
    promise.service = GROUND
    promise.collapse(reason, code)


class Tree:
    """Count what grows; *expand* plans steps that were left open, *argument* finds what a capability works on."""

    def __init__(
        self,
        server: Server,
        settings: PromiseSettings,
        *,
        given: bool,
        expand: Expand,
        argument: Callable[[str, str], object],
        requires: Callable[[str], bool],
    ) -> None:
        self._server = server
        self._settings = settings
        self._given = given
        self._expand = expand
        self._argument = argument
        self._requires = requires
        self._nodes = 1

    def grow(self, node: Promise[Any], drafts: Sequence[Draft], combine: Combine) -> None:
        """Give *node* its children; where that cannot be it collapses, and all of the tree where it is too large."""
        most = self._settings.max_children
        if len(drafts) > most:
            collapse(node, f"{len(drafts)} children, and a promise has at most {most}", "CHILDREN")
            return
        try:
            ordered({draft.name: draft.needs for draft in drafts})
        except Cycle as cycle:
            collapse(node, str(cycle), "CYCLE")
            return
        self._nodes += len(drafts)
        if self._nodes > self._settings.max_nodes:
            raise Refused(f"more than {self._settings.max_nodes} promises in one tree", "NODES")
        node.service, node.combine = _CHILDREN, combine
        for draft in drafts:
            self._child(node, draft)

    def _child(self, node: Promise[Any], draft: Draft) -> None:
        draft = _flat(draft)
        child: Promise[Any] = node.add(
            Promise(draft.intent, ground=None, name=draft.name, needs=draft.needs, argument=draft.argument)
        )
        served = self._server.judge(draft, child.depth)
        child.reality, child.service = served.reality, served.service
        self.note(child, draft.note)
        if served.service is not None:
            if served.service.kind == "capability":
                self._feed(child, draft, served.service.name)
            return
        deeper = rung(child.depth + 1, self._settings) != "ground"
        if draft.steps and deeper:
            self.grow(child, draft.steps, draft.combine)
        elif draft.open and deeper:
            self._open(child, draft)
        else:
            if draft.steps:
                self.note(child, f"its steps would lie deeper than {self._settings.max_depth} levels")
            child.service = self._server.writer(draft, given=self._given)

    def _feed(self, child: Promise[Any], draft: Draft, capability: str) -> None:
        """Give a capability what it works on; without an argument it looks into its intent, or takes what flows in."""
        if child.argument is UNSET:
            child.argument = self._argument(capability, child.intent)
        if child.argument is UNSET and self._requires(capability) and not _names(child.intent):
            # "Fetch a page and hash it": what flows in is no file, so that who works on files cannot take it.
            child.service = self._server.writer(replace(draft, by_example=True), given=self._given)
            return
        if child.argument is not UNSET or draft.takes:
            return
        # What flows in is not for it: "run the tests" says all. What touches nothing need not even wait.
        if self._server.touches(capability):
            child.argument = {}
        else:
            child.needs = ()

    def _open(self, child: Promise[Any], draft: Draft) -> None:
        """Plan a step that was left open; one that comes to itself again is a leaf."""
        try:
            drafts, combine = self._expand(child)
        except Refused as refused:
            collapse(child, refused.reason, refused.kind)
            return
        except MayflyError as error:
            self.note(child, f"no plan for it: {error}")
            drafts, combine = (), "last"
        drafts = [replace(found, open=found.open and found.intent != child.intent) for found in drafts]
        if len(drafts) == 1 and drafts[0].intent == child.intent and not drafts[0].steps:
            drafts = []
        if drafts:
            self.grow(child, drafts, combine)
        else:
            child.service = self._server.writer(draft, given=self._given)

    @staticmethod
    def note(node: Promise[Any], text: str) -> None:
        """Keep a reason beside what is said of the promise already."""
        if text and node.reality is not None:
            node.reality = replace(node.reality, reasoning=f"{node.reality.reasoning}; {text}"[:2000])


def _names(intent: str) -> bool:
    return any(token.kind in ("path", "url", "quoted", "code") for token in tokens(intent))


def _flat(draft: Draft) -> Draft:
    """Return a step whose only step says the same as that step itself."""
    if len(draft.steps) != 1 or draft.steps[0].intent != draft.intent:
        return draft
    return replace(draft.steps[0], name=draft.name, needs=draft.needs, takes=draft.takes)
