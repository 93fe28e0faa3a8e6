"""`open_model`: from a string to a model."""

from __future__ import annotations

from pathlib import Path

from mayfly.core import InputError
from mayfly.models._model import Model
from mayfly.models._record import Recorder
from mayfly.models._remote import Remote
from mayfly.models._replay import Replay
from mayfly.models._scripted import Scripted
from mayfly.models._target import parse_target
from mayfly.models._types import Backend, ModelOptions


def open_model(spec: str, options: ModelOptions | None = None, *, record: Path | None = None) -> Model:
    """Return the model that *spec* names; with *record* every request and answer is appended to that file.

    `openai:NAME`, `anthropic:NAME`, `ollama:NAME` and whatever else pydantic-ai knows; `http://HOST:PORT/v1#NAME` for
    any server that speaks OpenAI's chat completions, its key in MAYFLY_MODELS_API_KEY; with a `base_url` a bare NAME
    and `openai:NAME` are served there; `scripted:FILE`; `replay:FILE`.
    """
    options = options or ModelOptions()
    backend = _backend(spec.strip(), options)
    return Model(backend, options, recorder=None if record is None else Recorder(record.expanduser()))


def _backend(spec: str, options: ModelOptions) -> Backend:
    kind, _, rest = spec.partition(":")
    if kind not in ("scripted", "replay"):
        return Remote(parse_target(spec, options), options)
    if not rest:
        raise InputError(f"{spec!r} names no file", fix=f"write {kind}:FILE")
    path = Path(rest).expanduser()
    return Scripted(path) if kind == "scripted" else Replay(path)
