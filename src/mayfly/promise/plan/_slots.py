"""What a request tells by name, for the templates of plan rules, and the files of a workspace that its words mean."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path

from mayfly.core import shipped_table
from mayfly.promise.fit import ClausePiece, FitReading, SaidClause


@cache
def slot_words(name: str) -> frozenset[str]:
    """Return one list of words of `slots.toml`."""
    table = shipped_table(Path(__file__).with_name("slots.toml"))
    return frozenset(str(table[name]).split())


_MOST = 20_000
_DEEPEST = 12


class Files:
    """Know which files a workspace has; nothing is opened, and a name that no line could hold is passed over."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The paths of the files, relative to the workspace."""
        return tuple(self._walk())

    def find(self, module: str, *, code: bool = False) -> str | None:
        """Return the one file that a name means, only one of *code* if asked; None where none or several could be."""
        wanted = [f"{module}.py", module, f"{module.lower()}.*", f"{module}/__init__.py"]
        wanted += [] if code else [f"{module.lower()}.text"]
        found = next((self._by_name[name] for name in wanted if name in self._by_name), [])
        return found[0] if len(found) == 1 else None

    def is_directory(self, name: str) -> bool:
        """Say whether a word names a directory of the workspace that has files in it."""
        return name.strip("/") in self._folders

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.names:
            folder, _, name = path.rpartition("/")
            keys = {name, _known(name)} | ({f"{folder.rpartition('/')[2]}/{name}"} if folder else set())
            for key in keys:
                found.setdefault(key, []).append(path)
        return found

    @cached_property
    def _folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.names:
            folder = path.rpartition("/")[0]
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(found)

    def _walk(self) -> Iterator[str]:
        root, seen = os.fspath(self._workspace), 0
        for place, folders, names in os.walk(root):
            inside = os.path.relpath(place, root)
            inside = "" if inside == "." else inside.replace(os.sep, "/") + "/"
            folders[:] = sorted(
                name for name in folders if not name.startswith(".") and name not in slot_words("skipped")
            )
            if inside.count("/") >= _DEEPEST:
                folders.clear()
            for name in sorted(names):
                seen += 1
                if seen > _MOST:
                    return
                if (inside + name).isprintable():
                    yield inside + name


def _known(name: str) -> str:
    """Return under what a file is known without its ending: a program or a text."""
    stem, dot, ending = name.rpartition(".")
    kind = "*" if ending.lower() in slot_words("endings") else "text"
    return f"{stem.lower()}.{kind}" if dot and ending.lower() in slot_words("endings") | slot_words("texts") else name


LONGEST_SLOT, LONGEST_INTENT = 200, 2_000
_EDGES = " \t\r\n,;:.!?-—–…"
_SLOT = re.compile(r"(?P<the>\b[Tt]he )?\{(?P<name>\w+)\}")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_BEFORE_A_PATH = r"(?i:\s*\b(?:in|of|from|for|on|inside|within)\b)?(?i:\s+the)?(?i:\s+file)?\s+"


def slots_of(said: SaidClause, reading: FitReading, workspace: Files) -> dict[str, str]:
    """Return what is known of a request by name; what is not known is left out."""
    clause, intent = said.clause, alone(said, reading)
    thing, place, goal = (_phrase(said, role) for role in ("object", "place", "destination"))
    place = place or next(
        (_line(phrase.text) for phrase in clause.phrases if phrase.role == "detail" and phrase.names), ""
    )
    thing = thing or ("" if clause.phrases else _line(clause.target))
    found = {
        "intent": intent,
        "task": _without_paths(reading.written(clause.text), said) or intent,
        "object": _line(" ".join(f"{one.lead} {one.text}" for one in clause.phrases if one.role != "condition"))
        or thing,
        "thing": thing,
        "place": place,
        "goal": goal,
        "url": next((str(piece.value) for piece in said.pieces if piece.kind == "url"), ""),
        "glob": next((str(piece.value) for piece in said.pieces if piece.kind == "glob"), ""),
        **_marks(said),
    }
    found |= _paths(said)
    found |= _pair(said, thing, goal)
    found |= _module(found, said, workspace)
    found |= _subjects(found, said)
    longest = {"intent": LONGEST_INTENT, "task": LONGEST_INTENT}
    return {name: value[: longest.get(name, LONGEST_SLOT)] for name, value in found.items() if value}


def _marks(said: SaidClause) -> dict[str, str]:
    """Return what a request says besides its subject: does it speak of tests or files, under which condition."""
    clause, condition = said.clause, said.condition
    plain = {piece.plain for piece in said.pieces}
    return {
        "tests": "tests" if plain & slot_words("tests") or set(condition.split()) & slot_words("tests") else "",
        "runs": "runs" if clause.said in slot_words("running") else "",
        "files": "files" if plain & slot_words("several") and not plain & slot_words("holding") else "",
        "condition": "" if clause.said in slot_words("wondering") else condition,
        "before": "before" if clause.needs else "",
        "fed": "fed" if _is_fed(said) else "",
    }


def _is_fed(said: SaidClause) -> bool:
    """Say whether a clause is about a part of what came before it that is no file: "remove the repeated words"."""
    plain = {piece.plain for piece in said.pieces if piece.role == "object"}
    names = any(piece.kind in ("path", "url", "directory", "glob") for piece in said.pieces)
    files = plain & (slot_words("several") | slot_words("files"))
    return bool(said.clause.needs) and not (names or said.points_back or files)


def _subjects(found: Mapping[str, str], said: SaidClause) -> dict[str, str]:
    """Return what a request is about, where that is, and what is wrong with it."""
    thing, place = found["thing"], found["place"]
    inside = found["file"] if found["file"] != (topic := _topic(said)) else ""
    target = (place if not _is_path(thing) else "") or thing or found.get("file", "") or _line(said.clause.target)
    return {
        "target": target,
        "problem": thing if (place or not _names_module(thing)) and not _is_path(thing) else "",
        "topic": topic,
        "inside": inside,
        "where": found["dir"] or inside,
        "data_file": found["file"] if found["file"].rpartition(".")[2].lower() in slot_words("data") else "",
    }


def alone(said: SaidClause, reading: FitReading) -> str:
    """Return the words of a clause so that they can be understood without those before it."""
    text = reading.written(said.clause.text)
    target = reading.written(said.clause.target)
    if said.points_back and target and target not in text and not said.condition:
        text = f"{text} ({_told_before(said, reading) or target})"
    # By whole words: "so" of "if so" stands in "b.json", too.
    told = f" {text} "
    bound = [f"{phrase.lead} {phrase.text}" for phrase in said.clause.conditions if f" {phrase.text} " not in told]
    bound += [led] if (led := words_before(said)) else []
    text = f"{reading.written(', '.join(bound))}, {text}" if bound else text
    # What is forbidden goes along, so that whoever does the step can keep to it.
    return text if said.clause.constraint == "none" else f"{text} ({reading.written(said.clause.constraint)})"


def _told_before(said: SaidClause, reading: FitReading) -> str:
    """Return the statement right before a clause, which says what its "them" are: "a.txt has duplicates. Drop them"."""
    start = said.clause.tokens[0].start
    earlier = [clause for clause in reading.request.clauses if clause.tokens and clause.tokens[0].start < start]
    told = bool(earlier) and earlier[-1].kind == "statement" and not earlier[-1].pasted and not said.clause.needs
    return reading.written(earlier[-1].text) if told else ""


def words_before(said: SaidClause) -> str:
    """Return what stands before a clause and says where, or for what, it is done: "for each .log file in var/"."""
    return " ".join(f"{phrase.lead} {phrase.text}" for phrase in said.clause.front)


def fill(template: str, slots: Mapping[str, str], defaults: Mapping[str, str]) -> str:
    """Put what is known where a template names it, once: what is put in is never a template of its own."""

    def put(found: re.Match[str]) -> str:
        value = slots.get(found["name"]) or defaults.get(found["name"], "")
        return value if _is_bare(value) else (found["the"] or "") + value

    return " ".join(_SLOT.sub(put, template).split())


def named_in(template: str) -> set[str]:
    """Return the slots that a template names."""
    return {found["name"] for found in _SLOT.finditer(template)}


def _is_bare(value: str) -> bool:
    """Say whether a phrase takes no article: a name of a file or of a program's, or one that begins with a pronoun."""
    first = value.partition(" ")[0]
    return first.lower() in slot_words("bare") or any(sign in first for sign in "/._:")


def _phrase(said: SaidClause, role: str) -> str:
    return next((_line(phrase.text) for phrase in said.clause.phrases if phrase.role == role), "")


def _line(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split()).strip(_EDGES)


def _without_paths(text: str, said: SaidClause) -> str:
    """Return a request without the files it names, for whoever is handed what was in them."""
    for piece in said.pieces:
        if piece.is_file and piece.role != "destination":
            text = re.sub(_BEFORE_A_PATH + re.escape(piece.token.text) + r"(?!\S)", "", text)
    text = " ".join(text.split())
    return text if len(text.split()) > 1 else f"{text} the records" if text else ""


def _paths(said: SaidClause) -> dict[str, str]:
    """Return the files and the directory that are named, and the file that something goes to."""
    paths = [piece for piece in said.pieces if piece.is_file]
    folders = [piece for piece in said.pieces if piece.is_directory]
    aimed = [piece for piece in paths if piece.role == "destination"] if len(paths) > 1 else []
    plain = list(dict.fromkeys(_line(str(piece.value)) for piece in paths if piece not in aimed))
    # A word such as "changelog" may be a file; a name with an ending certainly is one.
    plain.sort(key=lambda path: not set(path) & set("./"))
    found = {
        "file": plain[0] if plain else "",
        "dir": str(folders[0].value) if folders else "",
        "saved": _line(str(aimed[0].value)) if aimed else "",
    }
    return found | ({"first": plain[0], "second": plain[1], "other": plain[1]} if len(plain) > 1 else {})


def _pair(said: SaidClause, thing: str, goal: str) -> dict[str, str]:
    """Return the two things that are named side by side: "Redis and Memcached", "get_user to fetch_user"."""
    beside = re.split(r"\s+(?:and|vs\.?|versus|or)\s+", thing)
    other = next((_line(phrase.text) for phrase in said.clause.phrases if phrase.lead in ("with", "against")), "")
    first, second = (beside[0], beside[1]) if len(beside) == 2 else (thing, goal or other)
    named = [piece for piece in said.pieces if piece.role == "object"]
    return {"first": first, "second": second, "old": _line(named[-1].token.text)} if first and second and named else {}


def _module(found: Mapping[str, str], said: SaidClause, workspace: Files) -> dict[str, str]:
    """Return the file that the words for a module mean, where no path is named."""
    if found["file"]:
        return {"module": found["file"].rpartition("/")[2].partition(".")[0], "file": found["file"]}
    told = [
        [piece for piece in said.pieces if piece.role == role]
        for role in ("place", "object", "destination", "question")
    ]
    for pieces in told:
        module = _name_of_module(pieces)
        if module:
            return {"module": module, "file": workspace.find(module, code=True) or f"{module}.py"}
    for pieces in told:
        module = _snake(pieces)
        known = workspace.find(module) if module else None
        if known:
            return {"module": module, "file": known}
    return {"file": ""}


def _name_of_module(pieces: Sequence[ClausePiece]) -> str:
    for place, piece in enumerate(pieces):
        if piece.plain in slot_words("files"):
            # "what does the cart module do": its name begins after the last word that is nobody's name.
            idle = [at for at, before in enumerate(pieces[:place]) if before.plain in slot_words("empty")]
            return _snake(pieces[idle[-1] + 1 if idle else 0 : place]) or _snake(pieces[place + 1 : place + 2])
    return ""


def _snake(pieces: Sequence[ClausePiece]) -> str:
    parts = [piece.token.text for piece in pieces if piece.kind in ("word", "code", "quoted")]
    if not parts or len(parts) > 4 or not all(_NAME.fullmatch(part) for part in parts):
        return ""
    return "_".join(part.lower() if part.isalpha() else part for part in parts).replace("-", "_")


def _is_path(text: str) -> bool:
    return bool(re.fullmatch(r"\S+[./]\S*", text))


def _names_module(text: str) -> bool:
    return not text or any(word in slot_words("files") for word in text.lower().split())


def _topic(said: SaidClause) -> str:
    """Return what to look for: what is quoted, a name of a program's, else the longest word that says something."""
    for kind in ("quoted", "code"):
        for piece in said.pieces:
            if piece.kind == kind:
                return _line(piece.token.text).rstrip("()").strip() or piece.token.text
    for role in ("place", "destination", "object", ""):
        told = [piece.token.text for piece in said.pieces if piece.kind == "word" and role in (piece.role, "")]
        telling = [word for word in told if word.lower() not in slot_words("empty")]
        if telling:
            return max(telling, key=lambda word: (word.isupper() and len(word) > 1, len(word)))
    return ""
