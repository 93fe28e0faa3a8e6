"""The facts of one pending action: what is asked, and what follows from it without asking anybody.

How much it would spend is told in whole cents, rounded up; an amount that cannot be told is left out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import Final

from mayfly.core import InputError, Money, host_of
from mayfly.mangle import LARGEST_NUMBER, Name, Time
from mayfly.policy.kernel._actions import moving_names, removing_sql
from mayfly.policy.kernel.facts._paths import Located, PathPlaces, is_url
from mayfly.policy.kernel.facts._payload import (
    ATOMIC,
    BODIES,
    CENTS,
    CURRENCY,
    DOLLARS,
    HOSTS,
    METHODS,
    REFS,
    REMOTES,
    TIMES,
    ActionPayload,
    take_apart,
)
from mayfly.policy.kernel.facts._symbols import Fact, symbol


def facts_of_action(
    action: str, target: str, payload: str, *, id: str, time: int, workspace: str, root: str | None = None
) -> list[Fact]:
    """Return the pending action and everything computed of it.

    *action* is a name with or without its slash, *time* nanoseconds since 1970, *workspace* an absolute directory and
    *root* the same with its links followed, where that is known.
    The facts depend on these texts and on the links that lie in the workspace, on nothing else.
    """
    for text in (target, payload):
        _check_text(text)
    asked = (id, Name(action_name(action)), target, payload, Time(time))
    apart, places = take_apart(payload), PathPlaces(workspace, root)
    texts = (target, payload) if apart.value is None else (target,)
    bare = apart.value if isinstance(apart.value, str) else payload
    found = amounts(apart.value, texts, bare=bare if bare.strip() else target)
    facts: Iterable[Fact] = chain(
        [(symbol("pending_action"), asked)],
        _places(id, action_name(action)[1:], target, apart, places),
        _hosts(id, target, apart),
        _requests(id, apart),
        ((symbol("action_word"), (id, words)) for words in _removing_words((target, payload))),
        ((symbol("action_amount"), (id, cents)) for cents in found),
        _payment(id, apart.value),
    )
    return list(dict.fromkeys(facts))


def action_name(action: str) -> str:
    """Return the name of an action with its slash; refuse what cannot be one."""
    name = action if action.startswith("/") else f"/{action}"
    if len(name) > 200 or not all(part.replace("_", "").replace("-", "").isalnum() for part in name[1:].split("/")):
        raise InputError(f"{action[:80]!r} is not the name of an action", fix="use letters, digits and _")
    if not name.isascii():
        raise InputError(f"{action[:80]!r} is not the name of an action", fix="use letters, digits and _")
    return name


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("the target or payload holds half of a character (a lone surrogate)") from None


def _places(id: str, name: str, target: str, apart: ActionPayload, places: PathPlaces) -> Iterator[Fact]:
    named = [text.text for text in apart.texts if apart.value is not None and text.is_path]
    if apart.value is None and name in moving_names():
        named = [text.text for text in apart.texts]
    patched = [path for text in apart.texts for path in text.patched]
    own = [target] if target and not is_url(target) else []
    for text in dict.fromkeys([*own, *named, *patched]):
        yield from facts_of_path(id, places.locate(text))
    if not apart.whole:
        yield symbol("action_path"), (id, "the payload is too large to be looked at", Name("/unclear"))


def facts_of_path(id: str, located: Located) -> Iterator[Fact]:
    """Yield what rules see of one path."""
    yield symbol("action_path"), (id, located.path, Name(located.where))
    for part in located.parts:
        yield symbol("action_path_part"), (id, part)
    for suffix in located.suffixes:
        yield symbol("action_path_suffix"), (id, suffix)
    if located.secret:
        yield symbol("path_secret"), (id, located.secret)
    if located.git is not None:
        yield symbol("git_file"), (id, *located.git)


def _hosts(id: str, target: str, apart: ActionPayload) -> Iterator[Fact]:
    host = host_of(target)
    if host is not None:
        yield symbol("action_host"), (id, host.name, Name(f"/{host.kind}"))
        for domain in host.within:
            yield symbol("action_host_within"), (id, domain)
    for text in apart.texts:
        named = text.key in HOSTS
        other = host_of(text.text) if named or "://" in text.text[:32] else None
        if other is not None:
            yield symbol("payload_host"), (id, other.name, Name(f"/{other.kind}"))


def _requests(id: str, apart: ActionPayload) -> Iterator[Fact]:
    """Yield what a payload says of an HTTP request and of a push."""
    if apart.value is None:
        return
    for method in apart.under(METHODS):
        yield symbol("action_method"), (id, method.strip().upper()[:32])
    if apart.keys & BODIES:
        yield symbol("action_body"), (id,)
    fault = _push_fault(apart.under(REMOTES), apart.under(REFS))
    if fault:
        yield symbol("push_fault"), (id, fault)


def _payment(id: str, value: object) -> Iterator[Fact]:
    """Yield what a payload says of a payment with a token: who gets it, which token on which chain, and how much.

    Only what is written in exactly one way is told; the rules refuse a payment of which something is missing.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("asset"), str):
        return
    network, payee, micros = value.get("network"), value.get("payee"), value.get("atomic")
    yield symbol("payment_asset"), (id, network.lower() if isinstance(network, str) else "", value["asset"].lower())
    if isinstance(payee, str):
        yield symbol("payment_payee"), (id, payee.lower())
    if type(micros) is int and 0 <= micros <= LARGEST_NUMBER:
        yield symbol("payment_micros"), (id, micros)


def _push_fault(remotes: tuple[str, ...], refs: tuple[str, ...]) -> str:
    """Say what is wrong with where a push goes: it is run outside, so neither may be more than a name or an address."""
    if len(remotes) > 1 or len(refs) > 1:
        return "a push goes to exactly one remote and one ref"
    for remote in remotes:
        # `ext::sh -c …` is a command that git would run, and a repository on this machine has hooks that it would.
        if not _REMOTE.fullmatch(remote) or "::" in remote or ".." in remote or remote.lower().startswith("file:"):
            return f"not the name or address of one remote: {remote[:100]}"
    for ref in refs:
        if not _REF.fullmatch(ref) or ".." in ref:
            return f"not the name of one ref: {ref[:100]}"
    return ""


def _removing_words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        plain = _SQL_COMMENT.sub(" ", text)
        yield from (" ".join(found[0].lower().split()) for found in removing_sql().finditer(plain))


_REMOTE: Final = re.compile(r"[A-Za-z0-9][\w./:@~%+-]{0,499}")
_REF: Final = re.compile(r"[A-Za-z0-9][\w./@+-]{0,249}(?::[A-Za-z0-9][\w./@+-]{0,249})?")
_SQL_COMMENT: Final = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)


# How many dollars each of them is.
_CENT: Final = Decimal("0.01")
_MICRO: Final = Decimal("0.000001")
_DOLLAR_NAMES: Final = frozenset({"", "usd", "usdc", "$", "dollar", "dollars", "us$"})
_TEXT: Final = re.compile(
    r"(?:US)?\$\s*(\d[\d,]*(?:\.\d+)?|\.\d+)|\b(\d[\d,]*(?:\.\d+)?)\s*(USDC?|dollars?|cents?|¢)(?!\w)", re.IGNORECASE
)
_PLAIN: Final = re.compile(r"\s*\+?(-?\d[\d,]*(?:\.\d+)?|\.\d+)\s*")


def amounts(value: object, texts: tuple[str, ...], *, bare: str = "") -> tuple[int, ...]:
    """Return every amount that a payload (as read from JSON, or None) or a text names, in cents.

    A number and nothing else, as *bare* may be, is one of dollars.
    """
    found = [*_in_json(value), *(cents for text in texts for cents in _in_text(text[:10_000]))]
    number = _decimal(bare)
    if number is not None:
        found.append(_cents(number))
    return tuple(dict.fromkeys(found))[:32]


def _in_json(value: object, depth: int = 0) -> Iterator[int]:
    if depth > 16:
        return
    if isinstance(value, Mapping):
        yield from _in_object(value)
        for item in value.values():
            yield from _in_json(item, depth + 1)
    elif isinstance(value, list):
        for item in value[:256]:
            yield from _in_json(item, depth + 1)


def _in_object(value: Mapping[object, object]) -> Iterator[int]:
    entries = {re.sub(r"[\s-]", "_", str(key)).lower(): item for key, item in value.items()}
    unit = next((str(entries[name]).strip().lower() for name in CURRENCY if isinstance(entries.get(name), str)), "")
    times = max([Decimal(1), *(number for name in TIMES if (number := _decimal(entries.get(name))) is not None)])
    for name, item in entries.items():
        factor = _factor(name, unit)
        number = _decimal(item)
        if factor is not None and number is not None:
            yield _cents(number * factor * times)


def _factor(name: str, unit: str) -> Decimal | None:
    """Return how many dollars one is of what *name* counts; None where it counts no money."""
    if name in CENTS or (name in DOLLARS and unit in ("cent", "cents", "¢")):
        return _CENT
    if name in ATOMIC:
        return _MICRO
    return Decimal(1) if name in DOLLARS and unit in _DOLLAR_NAMES else None


def _decimal(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    found = _PLAIN.fullmatch(value.replace("$", "")) if isinstance(value, str) and len(value) < 100 else None
    if isinstance(value, str) and found is None:
        return None
    try:
        number = Decimal(found[1].replace(",", "") if found else str(value))
    except (InvalidOperation, ValueError):
        return None
    if not number.is_finite():
        return None
    # Nobody spends less than nothing, or this much: such a number must be over every limit.
    return number if number >= 0 and number.adjusted() < 40 else Decimal(LARGEST_NUMBER)


def _in_text(text: str) -> Iterator[int]:
    for found in _TEXT.finditer(text):
        digits, unit = found[1] or found[2], (found[3] or "").lower()
        if len(digits) < 40:
            number = Decimal(digits.replace(",", ""))
            yield _cents(number * _CENT if unit.startswith(("cent", "¢")) else number)


def _cents(dollars: Decimal) -> int:
    return min(Money.of(dollars).cents, LARGEST_NUMBER)
