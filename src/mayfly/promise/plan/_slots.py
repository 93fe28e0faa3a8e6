"""Take the object of a request apart: what is wrong, where, in which file, what to look for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mayfly.core import Intent
from mayfly.language import Token, tokens
from mayfly.promise.plan._files import Files
from mayfly.promise.plan._lists import words

_LONGEST, LONGEST_INTENT = 200, 2_000
_EDGES = " \t\r\n,;:.!?-—–…"
_SLOT = re.compile(r"(?P<the>\b[Tt]he )?\{(?P<name>\w+)\}")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_FILE = re.compile(r"[^\n:]{1,200}\.\w{1,5}")
_BEFORE_A_PATH = r"(?i:\s*\b(?:in|of|from|for|on|inside|within)\b)?(?i:\s+the)?(?i:\s+file)?\s+"
# Neutral words in place of the user's, by which a step of a rule is judged.
PLAIN = {
    "file": "file.txt",
    "first": "file.txt",
    "second": "file.txt",
    "inside": "file.txt",
    "dir": "src/",
    "url": "https://example.org/",
}


def slots_of(intent: Intent, files: Files, clause: str = "") -> dict[str, str]:
    """Return what is known of a request by name; what is not known is left out. *clause* says when it is to be done."""
    text = intent.text if intent.target in intent.text else f"{intent.text} {intent.target}"
    pieces = tokens(text)
    object_, condition = _unconditional(intent, _object(intent))
    thing, place = _parted(object_)
    found = {
        "intent": f"{clause}, {alone(intent)}" if clause else alone(intent),
        "task": _without_paths(intent.text, pieces) or alone(intent),
        "object": _written(object_),
        "thing": _written(thing),
        "place": _written(place),
        "goal": _written(_goal(object_)),
        "url": next((token.text for token in pieces if token.kind == "url" and "://" in token.text), ""),
        "tests": "tests" if any(token.plain in words("tests") for token in (*pieces, *tokens(clause))) else "",
        "suite": "tests" if _is_suite(pieces) else "",
        "condition": clause or condition,
        "runs": "runs" if _runs(pieces) else "",
        "files": "files" if _head(thing) and not any(token.plain in words("holding") for token in pieces) else "",
    }
    found |= _pair(object_)
    found |= _paths(pieces, files)
    found["glob"] = _glob(text)
    found |= _file(found, thing, place, files)
    found["target"] = _target(found, thing, place)
    found["problem"] = _problem(found, thing, place)
    found["topic"] = _topic(pieces, place or _goal(object_) or thing)
    found["inside"] = found["file"] if found["file"] != found["topic"] else ""
    found["where"] = found["dir"] or found["inside"]
    found["data_file"] = found["file"] if found.get("file", "").rpartition(".")[2].lower() in words("data") else ""
    longest = {"intent": LONGEST_INTENT, "task": LONGEST_INTENT}
    return {name: value[: longest.get(name, _LONGEST)] for name, value in found.items() if value}


def _without_paths(text: str, pieces: Sequence[Token]) -> str:
    """Return a request without the files it names, for whoever is handed what was in them."""
    rest = text
    for token in pieces:
        if token.kind == "path":
            rest = re.sub(_BEFORE_A_PATH + re.escape(token.text) + r"(?!\S)", "", rest)
    rest = " ".join(rest.split())
    return rest if len(rest.split()) > 1 else f"{rest} the records" if rest else ""


def alone(intent: Intent) -> str:
    """Return the words of an intent so that they can be understood without those before it."""
    unclear = len(intent.text.split()) < 2 or points_back(intent)
    told = all(part in intent.text for part in intent.target.split(", "))
    return f"{intent.text} ({intent.target})" if unclear and not told else intent.text


def points_back(intent: Intent) -> bool:
    """Say whether the object of a verb is a pronoun: "hash it"."""
    return any(word.strip(".,;:!?") in words("same") for word in intent.text.lower().split()[1:2])


def takes_result(intent: Intent) -> bool:
    """Say whether a request works on what was given before it: "hash it", "write the result to a.txt"."""
    said = {word.strip(".,;:!?") for word in intent.text.lower().split()[1:4]}
    return points_back(intent) or bool(said & words("results"))


def fill(template: str, slots: dict[str, str], defaults: dict[str, str]) -> str:
    """Put what is known where a template names it, once: what is put in is never a template of its own."""

    def put(found: re.Match[str]) -> str:
        value = slots.get(found["name"]) or defaults.get(found["name"], "")
        return value if _is_bare(value) else (found["the"] or "") + value

    return " ".join(_SLOT.sub(put, template).split())


def _is_bare(value: str) -> bool:
    """Say whether a phrase takes no article: a name of a file or of a program's, or one that begins with a pronoun."""
    first = value.partition(" ")[0]
    return first.lower() in words("bare") or any(sign in first for sign in "/._:")


def named_in(template: str) -> set[str]:
    """Return the slots that a template names."""
    return {found["name"] for found in _SLOT.finditer(template)}


def _object(intent: Intent) -> list[Token]:
    """Return what stands after the verb; the target where the verb's object was named elsewhere."""
    told = tokens(intent.target if intent.category == "question" else intent.text)
    if intent.category != "question":
        first = next((token for token in tokens(intent.target)), None)
        places = [place for place, token in enumerate(told) if first is not None and token.text == first.text]
        named = bool(places) and told[places[0]].kind in ("path", "url", "quoted")
        if intent.target and intent.target not in intent.text and not places:
            told = tokens(intent.target)
        else:
            told = told[1:] if named or not places else told[places[0] :]
    return [token for token in told if token.kind not in ("line", "item", "data")]


def _unconditional(intent: Intent, object_: list[Token]) -> tuple[list[Token], str]:
    """Part an object from the clause that says when it is to be done; who is to look "if …" is asked just that."""
    for place, token in enumerate(object_):
        if token.plain in words("when") | words("conditions") and not _asks_whether(intent, object_, place):
            bound = token.plain in words("binding")
            return object_[:place], _written(object_[place:]) if bound else ""
    return object_, ""


def _asks_whether(intent: Intent, object_: Sequence[Token], place: int) -> bool:
    """Say whether a clause is what is asked about: "check if the file is there", "explain when it runs"."""
    if intent.category == "question" or (object_ and object_[0].plain in words("asking")):
        return True
    return intent.verb in words("wondering") or any(token.plain in words("telling") for token in object_[:place])


def _is_suite(pieces: Sequence[Token]) -> bool:
    """Say whether the tests themselves are meant, and not what they are for: "run the unit tests in tests/unit"."""
    about = {token.plain for token in pieces[1:] if token.kind == "word" and token.plain not in words("empty")}
    where = {part for token in pieces if token.kind in ("path", "code") for part in token.text.split("/")}
    return _runs(pieces) and bool(about) and about <= words("tests") | where


def _runs(pieces: Sequence[Token]) -> bool:
    return pieces[:1] != [] and pieces[0].plain in words("running")


def _parted(object_: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """Part an object at its first preposition into the thing and where it is; "how to …" is one thing."""
    if object_ and object_[0].plain in words("asking"):
        return list(object_), []
    for place, token in enumerate(object_):
        if token.plain in words("places") | words("further") and place + 1 < len(object_):
            told = token.plain in words("places") or any(other.kind == "path" for other in object_[place + 1 :])
            where = _where(object_[place + 1 :]) if told else []
            return _bare(object_[:place]), where
    return _bare(object_), []


def _head(thing: Sequence[Token]) -> str:
    """Return what is looked for: the first noun that has others like it, "files larger than 10 MB"."""
    said = [token.plain for token in thing if token.kind == "word"]
    return next((word for word in said if word in words("several_files") | words("folders")), "")


def _goal(object_: Sequence[Token]) -> list[Token]:
    """Return where something is to go: "dark mode to the settings page"."""
    places = [place for place, token in enumerate(object_) if token.plain == "to"]
    return _where(object_[places[0] + 1 :]) if places else []


def _where(tokens_: Sequence[Token]) -> list[Token]:
    joints = words("places") | words("further") | {",", ";", "."}
    stop = next((place for place, token in enumerate(tokens_) if place and token.plain in joints), len(tokens_))
    return _bare(tokens_[:stop])


def _bare(tokens_: Sequence[Token]) -> list[Token]:
    start = 0
    while start < len(tokens_) and (tokens_[start].plain in words("articles") or tokens_[start].kind == "sign"):
        start += 1
    return list(tokens_[start:])


def _written(tokens_: Sequence[Token]) -> str:
    text, end = "", -1
    for token in _bare(tokens_):
        text += (" " if 0 <= end < token.start else "") + _one_line(token.text)
        end = token.end
    return text.strip(_EDGES)


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _pair(object_: Sequence[Token]) -> dict[str, str]:
    """Return the two things that are named side by side: "Redis and Memcached", "get_user to fetch_user"."""
    for place, token in enumerate(object_):
        if token.plain in words("joints") and 0 < place < len(object_) - 1:
            first, second = _written(object_[:place]), _written(_where(object_[place + 1 :]))
            old = object_[place - 1].text
            return {"first": first, "second": second, "old": _one_line(old)} if first and second else {}
    return {}


def _paths(pieces: Sequence[Token], files: Files) -> dict[str, str]:
    """Return the paths that are named, as they are."""
    told = (_one_line(token.text) for token in pieces if token.kind == "path" or _is_quoted_file(token))
    named = list(dict.fromkeys(path if set(path) & set("./") else files.find(path) or path for path in told))
    named.sort(key=lambda path: not set(path) & set("./"))
    globs = [path for path in named if "*" in path]
    folders = _folders(named, pieces, files)
    plain = [path for path in named if path not in globs and path not in folders]
    aimed = [path for path in _aimed(pieces) if path in plain[1:]]
    plain = [path for path in plain if path not in aimed]
    found = {"file": plain[0] if plain else "", "dir": folders[0] if folders else "", "saved": "".join(aimed[:1])}
    if len(plain) > 1:
        found |= {"first": plain[0], "second": plain[1], "other": plain[1]}
    return found


def _folders(named: Sequence[str], pieces: Sequence[Token], files: Files) -> list[str]:
    """Return the directories that are named, those that look like one first."""
    found = [path for path in named if path.endswith("/")]
    found += [path for path in named if path not in found and files.is_directory(path)]
    for kind in ("code", "word"):
        found += [token.text for token in pieces if token.kind == kind and files.is_directory(token.text)]
    return found


def _aimed(pieces: Sequence[Token]) -> list[str]:
    """Return the paths to which something goes: "convert a.csv to b.json"."""
    return [
        _one_line(token.text)
        for before, token in pairwise(pieces)
        if token.kind == "path" and before.plain in words("aims")
    ]


def _glob(text: str) -> str:
    """Return a pattern for the names of files, which no token keeps whole: "*.py"."""
    found = (word.strip("\"'`,;:()") for word in text.split() if "*" in word)
    return next((word for word in found if word.isprintable() and any(map(str.isalnum, word))), "")


def _is_quoted_file(token: Token) -> bool:
    return token.kind == "quoted" and _FILE.fullmatch(token.text) is not None


def _file(found: dict[str, str], thing: Sequence[Token], place: Sequence[Token], files: Files) -> dict[str, str]:
    """Return the file that the words for a module mean, where no path is named."""
    if found["file"]:
        return {"module": found["file"].rpartition("/")[2].partition(".")[0]}
    for phrase in (place, thing):
        module = _module(phrase)
        if module:
            return {"module": module, "file": files.find(module, code=True) or f"{module}.py"}
    for phrase in (place, thing):
        module = _snake(phrase)
        known = files.find(module) if module else None
        if known:
            return {"module": module, "file": known}
    return {}


def _module(phrase: Sequence[Token]) -> str:
    for place, token in enumerate(phrase):
        if token.plain in words("files"):
            # "what does the cart module do": its name begins after the last word that is nobody's name.
            idle = [at for at, before in enumerate(phrase[:place]) if before.plain in words("empty")]
            return _snake(phrase[idle[-1] + 1 if idle else 0 : place]) or _snake(phrase[place + 1 : place + 2])
    return ""


def _snake(phrase: Sequence[Token]) -> str:
    parts = [token.text for token in phrase if token.kind in ("word", "code", "quoted")]
    if not parts or len(parts) > 4 or not all(_NAME.fullmatch(part) for part in parts):
        return ""
    return "_".join(part.lower() if token_is_word(part) else part for part in parts).replace("-", "_")


def token_is_word(text: str) -> bool:
    """Say whether a text is a word of the language and not a name of a program's."""
    return text.isalpha() and (text.islower() or text.istitle() or text.isupper())


def _target(found: dict[str, str], thing: Sequence[Token], place: Sequence[Token]) -> str:
    if any(token.kind == "path" for token in thing):
        return found["thing"]
    return _written(place) or found["thing"] or found.get("file", "") or found["object"]


def _problem(found: dict[str, str], thing: Sequence[Token], place: Sequence[Token]) -> str:
    """Return what is wrong where that is said: not a file or a module alone."""
    if not place and (_module(thing) or not thing or all(token.kind == "path" for token in thing)):
        return ""
    return found["thing"]


def _topic(pieces: Sequence[Token], about: Sequence[Token]) -> str:
    """Return what to look for: what is quoted, a name of a program's, else the longest word that says something."""
    for kind in ("quoted", "code"):
        for token in pieces:
            if token.kind == kind:
                return _one_line(token.text).rstrip("()").strip() or token.text
    return max(_telling(about), key=_weight, default="") or max(_telling(pieces[1:]), key=_weight, default="")


def _weight(word: str) -> tuple[bool, int]:
    return word.isupper() and len(word) > 1, len(word)


def _telling(pieces: Sequence[Token]) -> Iterator[str]:
    return (token.text for token in pieces if token.kind == "word" and token.plain not in words("empty"))
