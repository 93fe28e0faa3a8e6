"""What looks like a secret: the one list of forms of keys, and of names of what holds one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from mayfly.core._files import shipped_table

# No form of a key is shorter; of a password that is named, the shortest is `secret=abcd`.
SHORTEST_KEY, _SHORTEST_LIKELY = 12, 11
# Longer texts hardly come twice, and would be held in memory.
_LONGEST_REMEMBERED = 200
# A start stands at the edge of a word, or after a sign that JSON, a shell or an address writes with letters: `\n`,
# `\u000a`, `%0a`. Asked after the start: a pattern that begins with fixed letters is searched ten times as fast.
_EDGE = r"(?:(?<!\w{0})|(?<=\\[nrtbf]{0})|(?<=\\u[0-9a-fA-F]{{4}}{0})|(?<=%[0-9a-fA-F]{{2}}{0}))"
# What stands between the lines of a key in source, in JSON, and where lines are numbered.
_GAP = r"""(?:\\[nrt]|[\s"'`+,()\\]|\bb(?=["'])|\d{1,6}\t)"""


class FoundKey(NamedTuple):
    """Text that has the form of a key, and the issuer's name for it."""

    text: str
    issuer: str


class _Form(NamedTuple):
    issuer: str
    pattern: str
    marks: tuple[str, ...]

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Find it; most forms are never looked for, so a pattern is compiled when it is (and `re` remembers it)."""
        return re.finditer(self.pattern, text, re.DOTALL)

    def sub(self, replace: Callable[[re.Match[str]], str], text: str) -> str:
        """Replace every match."""
        return re.sub(self.pattern, replace, text, flags=re.DOTALL)


class _Forms(NamedTuple):
    keys: tuple[_Form, ...]
    code: tuple[_Form, ...]
    likely: tuple[_Form, ...]
    starts: tuple[str, ...]
    name: re.Pattern[str]
    variable: re.Pattern[str]
    address: re.Pattern[str]


@cache
def _forms() -> _Forms:
    found = shipped_table(Path(__file__).with_name("secrets.toml"))
    names = found["names"]
    keys = tuple(form for issuer, told in found["keys"].items() for form in _key_forms(issuer, told))
    code, likely = (
        tuple(
            _Form(issuer, told["form"].replace("{words}", names["words"]), tuple(told["marks"]))
            for issuer, told in found[kind].items()
        )
        for kind in ("code", "likely")
    )
    return _Forms(
        keys=keys,
        code=(*keys, *code),
        likely=likely,
        starts=tuple(dict.fromkeys(mark for form in keys for mark in form.marks)),
        name=re.compile(rf"(?:^|[_.-])(?:{names['words']})s?(?:$|[_.-])", re.IGNORECASE),
        variable=re.compile(names["environment"], re.IGNORECASE),
        address=re.compile(names["addresses"], re.IGNORECASE),
    )


def _key_forms(issuer: str, told: dict[str, Any]) -> Iterator[_Form]:
    rest, before = told["rest"].replace("{gap}", _GAP), told.get("before", "")
    patterns = {}
    for start in told["starts"]:
        fixed = re.escape(start)
        patterns[start] = (
            rf"{_EDGE.format('')}{before}{fixed}{rest}" if before else f"{fixed}{_EDGE.format(fixed)}{rest}"
        )
    if "mark" in told:
        yield _Form(issuer, "|".join(patterns.values()), (told["mark"],))
    else:
        yield from (_Form(issuer, pattern, (start,)) for start, pattern in patterns.items())


# Reading the list imports a module, under a lock that a child forked in that moment would inherit held, by a thread it
# does not have; every append reads it. So whoever forks has read it, or waits until the thread that reads it is done.
os.register_at_fork(before=_forms)


def is_secret_name(name: str) -> bool:
    """Tell whether what is called *name* holds a secret."""
    return _forms().name.search(_in_words(name)) is not None


@lru_cache(maxsize=4096)
def is_secret_variable(name: str) -> bool:
    """Tell whether a variable, or an entry of a file of secrets, is named like one; data has `key` and `token` too."""
    return _forms().variable.search(name) is not None or is_secret_name(name)


@lru_cache(maxsize=4096)
def is_address_variable(name: str) -> bool:
    """Tell whether a variable is named like an address, which may hold a password."""
    return _forms().address.search(name) is not None


def _in_words(name: str) -> str:
    """Return `dbPassword` as `db_Password`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name) if not name.islower() else name


def find_key(text: str) -> FoundKey | None:
    """Return the first thing in *text* that code may not hold: the form of a key, or a password in an address."""
    if len(text) < SHORTEST_KEY:
        return None
    forms = (form for form in _forms().code if any(mark in text for mark in form.marks))
    places = [(match.start(), match[0], form.issuer) for form in forms for match in form.finditer(text)]
    return FoundKey(*min(places)[1:]) if places else None


def found_keys(text: str) -> Iterator[FoundKey]:
    """Yield what has an issuer's own form in *text*."""
    for form in key_forms(text):
        yield from (FoundKey(match[0], form.issuer) for match in form.finditer(text))


def key_forms(text: str) -> tuple[_Form, ...]:
    """Return the issuers' forms that *text* can hold at all, the private keys first; for nearly all texts none."""
    if len(text) < SHORTEST_KEY or (len(text) <= _LONGEST_REMEMBERED and not _short_has_start(text)):
        return ()
    forms = tuple(form for form in _forms().keys if form.marks[0] in text)
    return tuple(sorted(forms, key=lambda form: not form.marks[0].startswith("-"))) if len(forms) > 1 else forms


# The same words come again in event after event; what is new in one is a number and a hash.
@lru_cache(maxsize=4096)
def _short_has_start(text: str) -> bool:
    return any(start in text for start in _forms().starts)


def likely_forms(text: str) -> list[_Form]:
    """Return the forms by words that data may hold in *text*; source has them as well."""
    if len(text) < _SHORTEST_LIKELY:
        return []
    small = text.lower()
    return [form for form in _forms().likely if any(mark in small for mark in form.marks)]


def replaced(text: str, values: Iterable[str], stands_for: Callable[[str], str]) -> str:
    """Return *text* with something else for each of the values in it, the longest first."""
    found = sorted((value for value in values if value in text), key=len, reverse=True)
    return re.sub("|".join(map(re.escape, found)), lambda match: stands_for(match[0]), text) if found else text


def looks_secret(text: str) -> bool:
    """Tell whether something in *text* may be a key, a token or a password, by its form or by the words around it."""
    forms = (*key_forms(text), *likely_forms(text))
    return any(next(form.finditer(text), None) is not None for form in forms)
