"""F9: a secret that comes in by whichever way is in no byte of the store, nor in what is printed of it."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import mayfly
from cli.conftest import Cli
from core.samples import KEYS, SECRETS, TEXTS
from mayfly.core import Capability, ConflictError, InputError, MayflyError, Settings
from mayfly.forge import Inbox
from mayfly.models import open_model
from mayfly.persona import Desk
from mayfly.promise import Promise, cancel, settle_effect, unknown_effects
from mayfly.runtime import Runtime
from mayfly.store import Ledger
from mayfly.store._events import _KINDS
from mayfly.testing import write_script

ALL = "\n".join(TEXTS)


def clear_in(state: Path) -> list[str]:
    """Return the secrets that stand in clear in any file below *state*; as JSON has them, too."""
    data = b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file() and path.suffix != ".key")
    return [secret for secret in SECRETS if secret.encode() in data]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state_dir=str(tmp_path / "state"))


@pytest.fixture
def ledger(settings: Settings) -> Iterator[Ledger]:
    with Ledger.open(settings) as opened:
        yield opened


def filled(annotation: str, text: str) -> Any:
    """Return a value of an event's field that holds *text*, if such a field can."""
    kinds: dict[str, Any] = {"str": text, "int": 1, "float": 1.0, "bool": False, "tuple": (text,)}
    plain = annotation.partition("|")[0].partition("[")[0].strip()
    return kinds.get(plain, {"deep": [text, {text: text}]})


def test_f9_no_kind_of_event_has_a_field_that_keeps_a_secret(ledger: Ledger, settings: Settings) -> None:
    for module in pkgutil.walk_packages(mayfly.__path__, "mayfly."):
        if module.name.rpartition(".")[2] in ("_events", "_inbox", "_agents", "_kinds", "_switch"):
            import_module(module.name)
    kinds = dict(_KINDS)
    assert len(kinds) > 30
    for kind, known in kinds.items():
        fields = known.type.__dataclass_fields__
        with suppress(InputError, TypeError):  # a payload type may refuse such values
            ledger.append(
                known.type(**{name: filled(str(field.type), ALL) for name, field in fields.items()}),
                subject=f"{kind}-typed",
            )
        with suppress(ConflictError):  # what serves in the library is changed by whoever knows what served before
            ledger.append(
                mayfly.store.Event(
                    kind=kind, subject=f"{kind}-plain", payload={n: filled(str(f.type), ALL) for n, f in fields.items()}
                ),
            )
    # Events of money take no text that is not of their kind, and their tables no step out of its turn.
    free = [kind for kind in kinds if not kind.startswith(("payment.", "sale."))]
    assert ledger.count() > 2 * len(free) - 20
    assert clear_in(settings.state) == []


def permit(settings: Settings, ledger: Ledger, text: str) -> None:
    desk = Desk(settings, ledger=ledger, workspace=settings.state.parent)
    kernel = desk.kernel()
    for action, target, payload in (
        ("shell_exec", f"huggingface-cli login {text}", ""),
        ("file_write", "notes.txt", text),
        ("web_fetch", f"https://example.org/?q={text}", {"headers": {"x": text}}),
        (text, text, text),
        ("git_push", "origin", ""),
    ):
        found = kernel.permitted(action, target, payload)
    desk.approve(found.id, by=f"ada {text}"[:150], reason=text)
    assert kernel.permitted("git_push", "origin", "").allowed, "an approval whose reason held a secret still counts"


def route(settings: Settings, ledger: Ledger, text: str) -> None:
    desk = Desk(settings, ledger=ledger, workspace=settings.state.parent)
    desk.understand(f"Fix the login with {text}")
    desk.propose([f'file_topology("{text[:60]}")', text], subject="t-1")


def inbox(settings: Settings, ledger: Ledger, text: str) -> None:
    from mayfly.core import HelpNeeded

    asked = Inbox(ledger)
    id = asked.ask(
        HelpNeeded("proof", f"log in with {text}", 1, text, {"said": text}), run="r-1", request={"input": text, text: 1}
    )
    asked.answer(id, f"the token is {text}")


def tree(settings: Settings, ledger: Ledger, text: str) -> None:
    def fails(call: Any) -> object:
        raise ValueError(f"cannot log in with {text}")

    def sends(call: Any) -> object:
        raise OSError(text)

    told = [
        Capability(name="gives", call=lambda call: {"z": text, "a": [text]}),
        Capability(name="large", call=lambda call: [text] * 200),
        Capability(name="fails", call=fails),
        Capability(name="sends", call=sends, effect="once"),
        Capability(name="sent", call=lambda call: {"z": [text] * 200, "a": text}, effect="once"),
    ]
    with Runtime(settings, capabilities=told) as runtime:
        root: Promise[Any] = Promise(f"use {text}", ground=text)
        for capability in told:
            child: Promise[Any] = Promise(text[:500], ground=[text], context={"c": text}, capability=capability.name)
            child.optional = True
            root.add(child)
        root.add(
            Promise("each", ground=None, each=[text], template=Promise("x {item}", ground=None, capability="gives"))
        )
        outcome = runtime.resolve(root)
        with suppress(MayflyError):
            cancel(runtime.parts.ledger, outcome.id, by="ada", reason=text)
        for one in unknown_effects(runtime.parts.ledger):
            settle_effect(runtime.parts.ledger, one.id, verdict="done", by="ada", value=text)
        with pytest.raises(InputError, match="with a secret, which is not kept"):
            runtime.resume(outcome.id)


def run(settings: Settings, ledger: Ledger, text: str) -> None:
    with Runtime(settings) as runtime:
        runtime.run(f"count the lines and log in with {text[:1500]}", input=[text, "b"], ground=text)


def switch(settings: Settings, ledger: Ledger, text: str) -> None:
    from mayfly.store import KillSwitch

    KillSwitch(ledger).turn_on(by="ada", reason=text)
    KillSwitch(ledger).turn_off(by="ada", reason=text)


@pytest.mark.parametrize("way", [permit, route, inbox, tree, run, switch], ids=lambda way: way.__name__)
def test_f9_nothing_that_comes_in_by(
    way: Callable[[Settings, Ledger, str], None], settings: Settings, ledger: Ledger
) -> None:
    way(settings, ledger, ALL)
    assert clear_in(settings.state) == []


def test_f9_a_recording_of_a_model_holds_no_key(settings: Settings, ledger: Ledger, tmp_path: Path) -> None:
    keys = [key for several in KEYS.values() for key in several if "\n" not in key]
    script = write_script(tmp_path / "script.jsonl", ("chat", "yes"))
    with open_model(script, record=settings.state / "record.jsonl") as model:
        model.ask("chat", "\n".join(keys))
    assert not [key for key in keys if key in (settings.state / "record.jsonl").read_text()]


def test_f9_the_token_of_a_command_is_neither_in_the_log_nor_in_the_store(cli: Cli, state: Path) -> None:
    token = "hf_abcdefghijklmnopqrstuvwxyzabcdefgh"
    asked = cli("permit", "shell_exec", f"huggingface-cli login {token}")
    log = cli("log", "--json")
    assert token not in asked.out + asked.err + log.out + log.err
    assert "‹secret: Hugging Face token›" in log.out
    assert token.encode() not in b"".join(path.read_bytes() for path in state.rglob("*.db*"))


def test_f9_an_error_that_repeats_a_token_does_not_print_it(cli: Cli) -> None:
    token = "hf_abcdefghijklmnopqrstuvwxyzabcdefgh"
    ended = cli("why", token)
    assert ended.status != 0
    assert token not in ended.err
