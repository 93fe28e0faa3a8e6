"""The facts of one pending action: what is asked, and what follows from it without asking anybody."""

from collections.abc import Iterator

from mayfly.core import InputError, host_of
from mayfly.mangle import Name, Time
from mayfly.policy.kernel.facts._amounts import amounts
from mayfly.policy.kernel.facts._keys import HOSTS
from mayfly.policy.kernel.facts._paths import Places, is_url
from mayfly.policy.kernel.facts._payload import ActionPayload, take_apart
from mayfly.policy.kernel.facts._shell import Fact, ShellFacts
from mayfly.policy.kernel.facts._symbols import symbol, word
from mayfly.policy.kernel.shell import read_arguments, read_script


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
    apart, places = take_apart(payload), Places(workspace, root)
    facts: dict[Fact, None] = {(symbol("pending_action"), asked): None}
    facts |= dict.fromkeys(_places(id, target, apart, places))
    facts |= dict.fromkeys(_hosts(id, target, apart))
    facts |= dict.fromkeys(_shell(id, target, payload, apart, places))
    texts = (target, payload) if apart.value is None else (target,)
    bare = apart.value if isinstance(apart.value, str) else payload
    found = amounts(apart.value, texts, bare=bare if bare.strip() else target)
    facts |= dict.fromkeys((symbol("action_amount"), (id, cents)) for cents in found)
    return list(facts)


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


def _places(id: str, target: str, apart: ActionPayload, places: Places) -> Iterator[Fact]:
    named = [text.text for text in apart.texts if apart.value is not None and text.is_path]
    patched = [path for text in apart.texts for path in text.patched]
    own = [target] if target and not is_url(target) else []
    for text in dict.fromkeys([*own, *named, *patched]):
        located = places.locate(text)
        yield symbol("action_path"), (id, located.path, word(located.where))
        for part in located.parts:
            yield symbol("action_path_part"), (id, part)
        for suffix in located.suffixes:
            yield symbol("action_path_suffix"), (id, suffix)


def _hosts(id: str, target: str, apart: ActionPayload) -> Iterator[Fact]:
    host = host_of(target)
    if host is not None:
        yield symbol("action_host"), (id, host.name, word(f"/{host.kind}"))
        for domain in host.within:
            yield symbol("action_host_within"), (id, domain)
    for text in apart.texts:
        named = text.key in HOSTS
        other = host_of(text.text) if named or "://" in text.text[:32] else None
        if other is not None:
            yield symbol("payload_host"), (id, other.name, word(f"/{other.kind}"))


def _shell(id: str, target: str, payload: str, apart: ActionPayload, places: Places) -> Iterator[Fact]:
    yield from ShellFacts(id, "/target", places).of(read_script(target))
    run, beside = ShellFacts(id, "/payload", places), ShellFacts(id, "/beside", places)
    for text in apart.texts:
        if text.role != "words":
            yield from (run if text.role == "run" else beside).of(read_script(text.text))
    for role, words in apart.lists:
        if role != "words":
            yield from (run if role == "run" else beside).of(read_arguments(words))
    if apart.value is not None and ("$(" in payload or "`" in payload):
        told = any(text.role != "run" for text in apart.texts)
        yield from (beside if told else run).of(read_script(f"cat <<{_END}\n{payload}\n{_END}\n"))
    yield from run.surroundings(apart.settings, apart.directories)
    if not apart.whole:
        yield symbol("shell_unclear"), (id, word("/payload"), "it is too large to be looked at")


_END = "end-of-the-payload"
