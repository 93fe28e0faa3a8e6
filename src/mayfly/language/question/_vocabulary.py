"""What the words of a question can mean for one table: its columns, its values, and what its records are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Literal, NamedTuple, cast

from mayfly.language._inflect import bases, is_form_of, is_made_of, roots, singular
from mayfly.language._lexicon import load_words, word_set
from mayfly.language._tokens import Token
from mayfly.language.question._query import Scalar
from mayfly.language.question._words import unit_of

ColumnKind = Literal["int", "float", "text", "time", "bool", "list"]
# How far a word is from what it is taken for: its own name, a part of the name or another form, another word for it.
# Readings whose costs differ by less than `MARGIN` of the reader are rivals, so each of these is more than that apart.
EXACT, NEAR, AKIN = 0.0, 1.0, 1.5
# Another form of a name, the verb of what happened.
_FORM = 0.5
# A value with an s behind it: "no-shows", "rejects".
_PLURAL = 0.3
# Longer spans of words are not looked up as one name or value.
LONGEST_NAME, LONGEST_VALUE = 4, 8


@dataclass(frozen=True, kw_only=True)
class ColumnInfo:
    """Describe one column: what it is called, what it holds and which values were seen in it."""

    name: str
    kind: ColumnKind = "text"
    role: str = ""
    unit: str = ""
    values: tuple[Scalar, ...] = ()
    # Whether all different values of the data are in *values*.
    complete: bool = False
    # Why its numbers cannot be worked with, such as two ways of writing them; empty where they can.
    trouble: str = ""
    # Whether some records have no value in it.
    optional: bool = False
    # What a moment tells: the day and the time, the day only, or the time of some day.
    tells: Literal["moment", "day", "clock"] = "moment"
    # Whether its numbers have a comma before the fraction, so that a point in a number parts thousands.
    comma: bool = False
    # Words that stand for nothing in it, each for a reason of its own.
    absent: tuple[str, ...] = ()
    # Whether the items of a list are numbers.
    numbers: bool = False
    # Whether no two records have the same value in it.
    distinct: bool = False
    # Whether this moment is simply the record's date; whether the record begins with it, other moments come later.
    main: bool = False
    first: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of its name, in small letters."""
        return name_words(self.name)

    @property
    def numeric(self) -> bool:
        """Whether sums and comparisons by size make sense."""
        return self.kind in ("int", "float")


class Hit(NamedTuple):
    """A column that words name, where the words end, and how far they are from its name."""

    column: ColumnInfo
    end: int
    cost: float


class ValueHit(NamedTuple):
    """Values of one column that words name (several where only the case differs), where they end, how far off."""

    column: ColumnInfo
    values: tuple[Scalar, ...]
    end: int
    cost: float


# How headers write "number".
_SHORT_FOR_NUMBER = ("no", "nr", "num", "nbr")


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Know what words can mean: columns, values, and nouns for the records.

    *nouns* are what one record is called here besides the words that always fit.
    """

    columns: tuple[ColumnInfo, ...]
    nouns: frozenset[str] = frozenset()
    # What data of this kind is called, such as an access log of nginx.
    kinds: frozenset[str] = frozenset()
    # Whether a record is a thing of its own, and not a line that tells of things.
    about_things: bool = True
    # Of two inputs that were put together: the column by which, and how the files may be called.
    joined: str = ""
    files: frozenset[str] = frozenset()
    # Whether only those of the first are left that have no partner in the second.
    unmatched: bool = False
    # Texts in small letters that are looked through for words that are neither a name nor a value.
    texts: Sequence[str] = field(default=(), repr=False)

    @cached_property
    def by_name(self) -> Mapping[str, ColumnInfo]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}

    @cached_property
    def _values(self) -> dict[str, list[tuple[ColumnInfo, Scalar]]]:
        """Values by their text in small letters with single spaces."""
        found: dict[str, list[tuple[ColumnInfo, Scalar]]] = {}
        for column in self.columns:
            for value in column.values:
                found.setdefault(" ".join(str(value).lower().split()), []).append((column, value))
        return found

    @cached_property
    def _value_bases(self) -> dict[str, list[tuple[ColumnInfo, Scalar]]]:
        """Values of one word by every base of that word."""
        found: dict[str, list[tuple[ColumnInfo, Scalar]]] = {}
        for text, held in self._values.items():
            # The methods of requests are names and have no other forms: "got" is no GET.
            named = [pair for pair in held if pair[0].role != "method"]
            if text.isalpha() and len(text) > 2:
                for base in bases(text):
                    found.setdefault(base, []).extend(named)
        return found

    @cached_property
    def _value_roots(self) -> dict[str, list[tuple[ColumnInfo, Scalar]]]:
        """Values of one word by the roots of that word."""
        found: dict[str, list[tuple[ColumnInfo, Scalar]]] = {}
        for base, held in self._value_bases.items():
            for root in roots(base):
                found.setdefault(root, []).extend(held)
        return found

    @cached_property
    def _value_words(self) -> dict[str, dict[str, list[str]]]:
        """Values of several words by every base of each word, and by their column; running text is left out."""
        found: dict[str, dict[str, list[str]]] = {}
        for column in self.columns:
            if column.kind != "text" or column.role == "message":
                continue
            for value in column.values:
                for part in set(re.split(r"[\s/_,;:()?=&]+", str(value).lower())) - {""}:
                    for base in bases(part):
                        held = found.setdefault(base, {}).setdefault(column.name, [])
                        held += [] if str(value) in held[-1:] else [str(value)]
        return found

    def values_with(self, word: str) -> dict[str, list[str]]:
        """Return the values that have a word among theirs, by their column."""
        found: dict[str, dict[str, None]] = {}
        for base in sorted(bases(word)):
            for name, values in self._value_words.get(base, {}).items():
                found.setdefault(name, {}).update(dict.fromkeys(values))
        return {name: list(values) for name, values in found.items()}

    def columns_at(self, tokens: Sequence[Token], start: int) -> list[Hit]:
        """Return the columns that the words from *start* on name, by as many words as possible."""
        found: list[Hit] = []
        for length in range(min(LONGEST_NAME, len(tokens) - start), 0, -1):
            words = _spoken_words(tokens[start : start + length])
            if length == 1 and tokens[start].kind == "quoted":
                words = name_words(tokens[start].text)
                return [Hit(column, start + 1, EXACT) for column in self.columns if column.words == words]
            if not words:
                continue
            exact = [
                column
                for column in self.columns
                if len(column.words) == len(words) and all(map(_is_word, column.words, words))
            ]
            if exact:
                # Of two columns of one name the second has a number behind it, and either may be meant.
                exact += [one for one in self.columns if one.words[:-1] == exact[0].words and one.words[-1].isdigit()]
                # More words for the same column, "email address" for email, only say it more fully.
                longer = [hit._replace(cost=0.1) if hit.column in exact else hit for hit in found]
                hits = [Hit(one, start + length, _off(one.words[: len(words)], words)) for one in exact]
                return [*hits, *longer]
            if not found:
                found = [Hit(column, start + length, cost) for column, cost in self._near(words)]
        return found

    def _near(self, words: tuple[str, ...]) -> list[tuple[ColumnInfo, float]]:
        """Return the columns whose name has the words as a part, and those whose role goes by them."""
        if all(len(word) < 2 or word in _STOP or word in _TURNING for word in words):
            return []  # "no" is no part of emp_no: it turns something round.
        partly = [column for column in self.columns if _holds(column.words, words)]
        # "customer" means the customer's name rather than the customer's number.
        named = [one for one in partly if one.words[-1] == "name" and is_form_of(one.words[0], words[0])]
        # Other parts of the same thing are no better than its number: a rider's plan is no rider.
        numbers = [column for column in partly if column.words[-1] in ("id", "no", "nr", "number")]
        named = named or (
            [] if any("." in column.name for column in partly) else [c for c in partly if c not in numbers]
        )
        roles = roles_of(words)
        akin = [column for column in self.columns if column.role in roles and column not in partly]
        akin += [column for column in self.columns if column not in (*partly, *akin) and _is_made_of(column, words)]
        return [*((column, NEAR) for column in named or partly), *((column, AKIN) for column in akin)]

    def values_at(self, text: str, tokens: Sequence[Token], start: int) -> list[ValueHit]:
        """Return the values that the words from *start* on name, the longest first; a form of the word will do."""
        for length in range(min(LONGEST_VALUE, len(tokens) - start), 0, -1):
            end = start + length
            said = text[tokens[start].start : tokens[end - 1].end]
            if tokens[start].kind == "quoted" and length == 1:
                said = tokens[start].text
            # "in", "on", "no" join words, even where a column holds them.
            joins = length == 1 and tokens[start].text in _STOP
            held = self._values.get(" ".join(said.lower().split()))
            if held and not joins:
                return _hits(held, end, EXACT)
        return self._values_like(tokens[start], start + 1)

    def _values_like(self, token: Token, end: int) -> list[ValueHit]:
        """Return the values of one word of which another form was said: "rejects", "paying" of "paid"."""
        if plural := self._values.get(token.text.lower().removesuffix("s")) if token.text.endswith("s") else None:
            return _hits(plural, end, _PLURAL)
        # Short words are forms of too many others.
        if token.kind != "word" or len(token.plain) < 3:
            return []
        forms = [pair for base in sorted(bases(token.plain)) for pair in self._value_bases.get(base, ())]
        if forms or len(token.plain) < 5:
            return _hits(forms, end, NEAR)
        return _hits(
            (pair for root in sorted(roots(token.plain)) for pair in self._value_roots.get(root, ())), end, AKIN
        )

    def with_role(self, *roles: str) -> list[ColumnInfo]:
        """Return the columns that are about one of *roles*."""
        return [column for column in self.columns if column.role in roles]

    def is_noun(self, word: str) -> bool:
        """Say whether a word is what a record of this table is called."""
        return any(base in self.nouns or base in _noun_bases("any") for base in bases(word))

    def has_text(self, said: str) -> bool:
        """Say whether the words stand in some text of the data."""
        wanted = re.compile(rf"(?<!\w){re.escape(said.lower())}(?!\w)")
        return any(wanted.search(text) for text in self.texts)


_STOP = word_set("glue", "questions")
_TURNING = word_set("turning", "questions")


def _hits(held: Iterable[tuple[ColumnInfo, Scalar]], end: int, cost: float) -> list[ValueHit]:
    """Group values by their column, each value once."""
    found: dict[str, tuple[ColumnInfo, list[Scalar]]] = {}
    for column, value in held:
        values = found.setdefault(column.name, (column, []))[1]
        if value not in values:
            values.append(value)
    return [ValueHit(column, tuple(values), end, cost) for column, values in found.values()]


def _spoken_words(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the words of some tokens as a name would have them; nothing where one cannot be part of a name."""
    found: list[str] = []
    for token in tokens:
        if token.kind in ("word", "code"):
            found += name_words(token.text)
        elif token.kind == "number" and not token.unit and found:
            found.append(token.text)
        else:
            return ()
    return tuple(found)


def _same(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return len(name) == len(words) and all(map(_alike, name, words))


def _off(name: tuple[str, ...], words: tuple[str, ...]) -> float:
    """Return how far words are from a name of which they are forms: "open" is not quite "opened"."""
    plain = all(
        one == two or one in (f"{two}s", f"{two}es") or two in (f"{one}s", f"{one}es") or singular(one) == singular(two)
        for one, two in zip(name, words, strict=True)
    )
    return EXACT if plain else _FORM


def _is_word(one: str, other: str) -> bool:
    number = one in _SHORT_FOR_NUMBER and other in ("number", "numbers")
    return number or is_form_of(one, other) or one == f"{other}s" or other == f"{one}s"


def _alike(one: str, other: str) -> bool:
    """Say whether two words of names are one; short ones have a plural too: "ins", "ips"."""
    plural = len(one) > 1 and len(other) > 1 and (one == f"{other}s" or other == f"{one}s")
    return is_form_of(one, other) or plural or _abbreviates(one, other)


def _abbreviates(name: str, said: str) -> bool:
    """Say whether a short name stands for a longer word: dept for department, src for source, cust for customer."""
    if not 3 <= len(name) <= 5 or len(said) < len(name) + 2 or said[0] != name[0] or (name,) in _role_table():
        return False
    if said.startswith(name) or (said.startswith(name[:-1]) and said.rstrip("s").endswith(name[-1])):
        return True
    rest = iter(said)
    return not set(name[1:]) & set("aeiou") and all(letter in rest for letter in name)


def _is_made_of(column: ColumnInfo, words: tuple[str, ...]) -> bool:
    """Say whether words name a column by a noun of its verb, or by what its letters stand for.

    The approver is in "Approved By", the destination port in DPT.
    """
    name = [word for word in column.words if word not in _STOP and word != "by"]
    if len(words) == len(name) == 1 and len(words[0]) > 3:
        return is_made_of(words[0], name[0])
    # Abbreviations have hardly a vowel: "event" stands for no two words.
    short = column.name.isupper() or not set(column.name[1:].lower()) & set("aeiou")
    long = short and len(words) > 1 and all(len(word) > 3 for word in words)
    return long and len(column.words) == 1 and 2 < len(column.name) < 6 and _spells(column.words[0], words)


def _spells(letters: str, words: tuple[str, ...]) -> bool:
    """Say whether letters are taken from words, from each the first and perhaps some that follow it."""
    if not words:
        return not letters
    if not letters or letters[0] != words[0][0]:
        return False
    for taken in range(1, len(letters) + 1):
        rest = iter(words[0])
        if all(letter in rest for letter in letters[:taken]) and _spells(letters[taken:], words[1:]):
            return True
    return False


def _holds(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return any(_same(name[start : start + len(words)], words) for start in range(len(name) - len(words) + 1))


@cache
def name_words(name: str) -> tuple[str, ...]:
    """Split a name at underscores, dots, hyphens and humps, into words in small letters."""
    if re.fullmatch(r"[A-Z]{2,}s", name):
        return (name.lower(),)  # "IPs", "URLs"
    name = re.sub(r"(?i)\be-(?=mail)", "e", name)  # An e-mail is an email.
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return tuple(word.lower() for word in re.findall(r"[^\W_]+|[%€$£]", spaced)) or (name.lower(),)


@cache
def _role_table() -> dict[tuple[str, ...], tuple[str, ...]]:
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for role, names in cast("dict[str, list[str]]", load_words("questions")["roles"]).items():
        for name in dict.fromkeys(map(name_words, names)):
            found[name] = (*found.get(name, ()), role)
    return found


@cache
def roles_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the roles that go by *words*, in whatever forms those stand."""
    if words in _role_table():
        return _role_table()[words]
    return tuple(dict.fromkeys(role for name, roles in _role_table().items() if _same(name, words) for role in roles))


def role_of_name(name: str) -> str:
    """Return the role that a column's name tells, by its longest ending that is one, or nothing."""
    words = name_words(name)
    for start in range(len(words)):
        if found := roles_of(words[start:]):
            own = "_".join(words[start:])
            return own if own in found else found[0]
    # "Money Out" is money too.
    if len(words) > 1 and words[-1] in ("in", "out") and (found := roles_of(words[:-1])):
        return found[0]
    unit = unit_of(words[-1]) if len(words) > 1 or len(words[-1]) == 2 else None
    if unit is None or unit[0] in ("number", "share"):
        return ""
    # temp_c, gross_eur: what stands before the unit says it better than the unit does.
    return role_of_name("_".join(words[:-1])) or unit[0]


@cache
def _noun_bases(name: str) -> frozenset[str]:
    listed = cast("dict[str, str]", load_words("questions")["nouns"])[name]
    return frozenset(base for word in listed.split() for base in bases(word))


def nouns_of(*names: str) -> frozenset[str]:
    """Return the nouns of some lists: any, web, log, table, entity."""
    return frozenset().union(*(_noun_bases(name) for name in names))
