"""Find what is for sale: priced resources from a seller's lists and from its 402 answers, as capabilities to buy.

Nothing is paid, and nobody is asked but the host that was named: what a list says of other hosts is written down, and
looked at only when somebody buys there. Whatever an entry has wrong is said beside the others. `Shops` has what is sold
in the shops of the settings as capabilities: found by name, bought for what the list says.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode, urljoin, urlsplit

from mayfly.core import (
    Capability,
    InputError,
    Invocation,
    MachineError,
    MayflyError,
    one_line,
    parse_json,
    units_text,
    with_checksums,
)
from mayfly.market._purchase import listed
from mayfly.market._requirements import RESOURCES, WELL_KNOWN
from mayfly.market._terms import PAYMENT_REQUIRED, PaymentTerms, read_terms
from mayfly.sandbox import PurchaseRequest
from mayfly.world import HttpAnswer, address_of, exchange

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.library import Workshop

# A list of a few hundred resources with schemas.
_LARGEST: Final = 4 * 1024 * 1024
# Entries that are read of one list, and addresses without terms that are asked for theirs.
_MOST: Final = 500
_MOST_ASKED: Final = 32
# How far away a host is: what lies further away names nothing that lies nearer.
_FAR: Final = {"loopback": 0, "private": 1, "public": 2}
_NAME: Final = re.compile(r"[^A-Za-z0-9_]+")
_BODY_METHODS: Final = ("POST", "PUT", "PATCH")


@dataclass(frozen=True, kw_only=True)
class PricedResource:
    """Something that can be bought: where, how it is asked for, and each way to pay for it."""

    name: str
    url: str
    method: str
    description: str
    terms: tuple[PaymentTerms, ...]
    input_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    output_schema: Mapping[str, Any] = field(default_factory=dict)

    def request(self, arguments: Mapping[str, Any]) -> tuple[str, bytes]:
        """Return the URL and the body that ask for it with *arguments*."""
        if self.method in _BODY_METHODS:
            return self.url, json.dumps(arguments, ensure_ascii=False).encode()
        query = urlencode({name: one if isinstance(one, str) else json.dumps(one) for name, one in arguments.items()})
        return f"{self.url}{'&' if '?' in self.url else '?'}{query}" if query else self.url, b""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; amounts are texts, for they may be larger than numbers of JSON are."""
        ways = [
            {
                "network": one.network,
                "asset": one.asset,
                "units": str(one.units),
                "payee": one.payee,
                "seconds": one.seconds,
                "x402Version": one.version,
            }
            for one in self.terms
        ]
        return {**{name: one for name, one in asdict(self).items() if name != "terms"}, "accepts": ways}


@dataclass(frozen=True, kw_only=True)
class Discovered:
    """What a seller offers, and what of its list could not be read."""

    resources: tuple[PricedResource, ...] = ()
    problems: tuple[str, ...] = ()


Buy = Callable[[PricedResource, Mapping[str, Any], str], object]
"""Buy a resource with arguments; the key is the call id, under which nothing is paid twice. It returns the value."""


def shop_urls(settings: Settings) -> list[str]:
    """Return where the settings say that names are looked up; a pattern of hosts is no address."""
    market = settings.market
    if named := [one.strip() for one in market.shops.split(",") if one.strip()]:
        return named
    return [f"https://{host}" for host in listed(market.hosts) if not host.startswith(("*", "."))]


def discover(url: str, *, seconds: float = 30.0) -> Discovered:
    """Return what is for sale at *url*: a seller, one of its lists, or one priced address."""
    ask = _Asker(url, seconds)
    tried = _places(url)
    for place in tried:
        answer = ask(place)
        if answer.status == PAYMENT_REQUIRED:
            return Discovered(resources=(_priced(answer, place, "POST"),))
        entries = _entries(answer) if answer.status == 200 else None
        if entries is not None:
            return _read_all(entries, place, ask)
    raise MachineError(
        f"nothing is for sale at {one_line(url, limit=200)}: neither a price nor a list of x402",
        fix=f"name a priced address, or a list such as {urljoin(url, WELL_KNOWN)}",
    )


def as_capability(resource: PricedResource, buy: Buy) -> Capability:
    """Return a resource as a capability: calling it pays, once for each key; *buy* knows how, and within which caps."""

    def call(invocation: Invocation) -> object:
        if not invocation.key:
            raise InputError(f"{resource.name} is bought, and a purchase needs a call id")
        return buy(resource, invocation.arguments, invocation.key)

    host = urlsplit(resource.url).hostname or ""
    return Capability(
        name=resource.name,
        call=call,
        summary=resource.description or f"bought from {host}",
        input_schema=resource.input_schema,
        output_schema=resource.output_schema,
        effect="idempotent",
        grants=(f"buy:{host}",),
    )


class _Asker:
    """Ask one host, a bounded number of times."""

    def __init__(self, url: str, seconds: float) -> None:
        self.address = address_of(url)
        self._seconds = seconds

    def is_same(self, url: str) -> bool:
        """Whether an address is on the host that was named."""
        there = address_of(url)
        return (there.host, there.port, there.secure) == (self.address.host, self.address.port, self.address.secure)

    def __call__(self, url: str, method: str = "GET") -> HttpAnswer:
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        body = b"{}" if method in _BODY_METHODS else None
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            answer = exchange(address_of(url), method, headers, body, seconds=self._seconds, largest=_LARGEST)
        except OSError as error:
            raise MachineError(f"{self.address.host} does not answer: {one_line(str(error), limit=200)}") from None
        if not answer.whole:
            raise InputError(f"{one_line(url, limit=200)} answers with more than {_LARGEST} bytes")
        return answer


def _places(url: str) -> list[str]:
    """Return where to look: what was named, and the lists of its host; the lists first where only a host is named."""
    lists = [urljoin(url, WELL_KNOWN), urljoin(url, RESOURCES)]
    parts = urlsplit(url)
    places = [*lists, url] if parts.path in ("", "/") and not parts.query else [url, *lists]
    return list(dict.fromkeys(places))


def _entries(answer: HttpAnswer) -> list[object] | None:
    """Return the entries of a list: `resources` of the well-known file, `items` of the bazaar; None for no list."""
    try:
        said = parse_json(answer.body, "the list")
    except InputError:
        return None
    found = said.get("resources", said.get("items")) if isinstance(said, dict) else None
    return found if isinstance(found, list) else None


def _read_all(entries: list[object], place: str, ask: _Asker) -> Discovered:
    found: list[PricedResource] = []
    problems = [f"{len(entries) - _MOST} more entries are left out"] if len(entries) > _MOST else []
    asked = 0
    for entry in entries[:_MOST]:
        try:
            if isinstance(entry, str):
                asked += 1
                if asked <= _MOST_ASKED:
                    found.append(_asked_for(urljoin(place, entry), ask))
            else:
                found.append(_listed(entry, place, ask))
        except MayflyError as error:
            problems.append(one_line(f"{_what(entry)}: {error.message}", limit=300))
    if asked > _MOST_ASKED:
        problems.append(f"{asked - _MOST_ASKED} addresses without terms are not asked for theirs")
    return Discovered(resources=tuple(_named_apart(found)), problems=tuple(problems))


def _asked_for(url: str, ask: _Asker) -> PricedResource:
    """Ask an address that a list names without terms."""
    if not ask.is_same(url):
        raise InputError("it is on another host, which is not asked")
    for method in ("GET", "POST"):
        answer = ask(url, method)
        if answer.status == PAYMENT_REQUIRED:
            return _priced(answer, url, method)
    raise InputError(f"it asks for no payment: HTTP {answer.status}")


def _listed(entry: object, place: str, ask: _Asker) -> PricedResource:
    """Read an entry with its terms."""
    resource = entry.get("resource", entry.get("url")) if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(resource, str):
        raise InputError("it names no resource")
    url = urljoin(place, resource)
    # A list somewhere in the world has no business with machines that only we can reach.
    if _FAR[address_of(url).kind] < _FAR[ask.address.kind]:
        raise InputError("it is on a machine that is nearer to us than its list is")
    if "accepts" not in entry:
        return _asked_for(url, ask)
    about = {name: entry[name] for name in ("description", "mimeType") if name in entry}
    offer = {
        "x402Version": entry.get("x402Version", 2),
        "accepts": entry["accepts"],
        "resource": {**about, "url": url},
        "extensions": entry.get("extensions"),
    }
    return _resource(read_terms(PAYMENT_REQUIRED, {}, json.dumps(offer).encode(), url=url), url, "POST")


def _priced(answer: HttpAnswer, url: str, method: str) -> PricedResource:
    return _resource(read_terms(answer.status, answer.headers, answer.body, url=url), url, method)


def _resource(terms: Iterable[PaymentTerms], url: str, method: str) -> PricedResource:
    ways = tuple(terms)
    described = next((one for one in ways if one.schema), ways[0])
    said, given, output = _shapes(described)
    last = urlsplit(url).path.rstrip("/").rpartition("/")[2]
    name = _NAME.sub("_", last).strip("_") or _NAME.sub("_", urlsplit(url).hostname or "resource").strip("_")
    return PricedResource(
        name=name[:64],
        url=url,
        method=said or method,
        description=described.description,
        terms=ways,
        input_schema=given,
        output_schema=output,
    )


def _shapes(terms: PaymentTerms) -> tuple[str, Mapping[str, Any], Mapping[str, Any]]:
    """Return method, input and output as an offer describes them; what is not said is anything."""
    told = terms.schema or {}
    if terms.version == 1:
        asked, output = _part(told, "input"), _part(told, "output")
        given = _part(asked, "body") or _part(asked, "bodyFields") or _part(asked, "queryParams")
    else:
        asked = _part(told, "info", "input")
        shape = _part(told, "schema", "properties", "input", "properties")
        given = _part(shape, "body") or _part(shape, "queryParams")
        output = _part(told, "schema", "properties", "output", "properties", "example")
    method = str(asked.get("method", "")).upper()
    known = method if method in ("GET", "DELETE", *_BODY_METHODS) else ""
    # Fields without a schema around them are the fields of an object.
    whole = given if "type" in given or "properties" in given or not given else {"properties": given}
    return known, {"type": "object", **whole}, output


def _part(value: object, *names: str) -> Mapping[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _named_apart(found: Iterable[PricedResource]) -> Iterator[PricedResource]:
    """Give resources with the same name numbers, so that each can be called by its own."""
    from dataclasses import replace

    seen: dict[str, int] = {}
    for one in found:
        seen[one.name] = seen.get(one.name, 0) + 1
        yield one if seen[one.name] == 1 else replace(one, name=f"{one.name}_{seen[one.name]}")


def _what(entry: object) -> str:
    named = entry if isinstance(entry, str) else entry.get("resource", "") if isinstance(entry, dict) else ""
    return quote(str(named)[:200], safe=":/?&=._-") or "an entry"


# A list is read again after so many seconds: a price is looked at once more before anything is paid anyway.
_FRESH: Final = 60.0
# Seconds for a list: a plan waits for it, and a shop that is slower is no help to it.
_PATIENCE: Final = 10.0
_LOG: Final = logging.getLogger("mayfly.market")


class NotBought(MayflyError):
    """Something was to be bought and there is no answer; says whether money may have gone."""

    code = "NOT_BOUGHT"


class Shops:
    """Look into the shops and buy there; safe to share between threads."""

    def __init__(self, parts: Workshop) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._listed: tuple[PricedResource, ...] = ()
        self._read = float("-inf")

    def capability(self, name: str, version: int = 0) -> Capability | None:
        """Return the cheapest offer of that name as a capability; None where no shop has it for what we pay with."""
        market = self._parts.settings.market
        if version > 1 or not (market.shops or market.hosts):
            return None
        offers = [(price, one) for one in self._offers() if one.name == name and (price := self._price(one))]
        if not offers:
            return None
        price, resource = min(offers, key=lambda offer: offer[0])
        return as_capability(resource, lambda one, arguments, key: self._buy(one, arguments, key, price))

    def _offers(self) -> tuple[PricedResource, ...]:
        with self._lock:
            if time.monotonic() - self._read < _FRESH:
                return self._listed
            found: list[PricedResource] = []
            for url in shop_urls(self._parts.settings):
                try:
                    found += discover(url, seconds=_PATIENCE).resources
                except MayflyError as error:
                    _LOG.warning("%s is passed over: %s", one_line(url, limit=200), error.message)
            self._listed, self._read = tuple(found), time.monotonic()
            return self._listed

    def _price(self, resource: PricedResource) -> int:
        """Return what it costs in units of the token that is paid with here; 0 where it is not sold for that."""
        market = self._parts.settings.market
        ours = (market.network, with_checksums(market.asset))
        return min((one.units for one in resource.terms if (one.network, one.asset) == ours), default=0)

    def _buy(self, resource: PricedResource, arguments: Mapping[str, Any], key: str, price: int) -> object:
        """Buy for what the list says, and not for more."""
        name, settings = resource.name, self._parts.settings
        url, body = resource.request(arguments)
        run = key.partition("/")[0]
        reply = self._parts.purchase(
            PurchaseRequest(
                op="buy",
                call_id=key,
                url=url,
                max_price=units_text(price, settings.market.asset_decimals),
                method=resource.method,
                body=body,
                agent=run,
                run=key,
                tool=name,
            )
        )
        if reply.status not in ("delivered", "free") or reply.answer is None:
            paid = reply.status in ("unknown", "settled", "disputed")
            said = f"{name} may be paid for and is not delivered" if paid else f"{name} is not bought"
            # What waits for a person is in the inbox; whatever it is, the same run goes on with the same payment.
            fix = f"mayfly inbox; then: mayfly resume {run}" if reply.more.get("decision") else f"mayfly resume {run}"
            raise NotBought(f"{said}: {reply.reason or reply.status}", fix=fix)
        try:
            return parse_json(reply.answer.body, f"the answer of {name}")
        except InputError:
            return reply.answer.body.decode("utf-8", "replace")
