"""The one seam through which all language-model traffic goes: providers, scripts, recordings, budgets."""

from mayfly.models._errors import Failure, ModelError
from mayfly.models._events import ModelAnswered, ModelAsked
from mayfly.models._model import Model
from mayfly.models._open import open_model
from mayfly.models._pool import Pool, Reservation
from mayfly.models._schema import json_schema
from mayfly.models._stream import Stream
from mayfly.models._types import (
    PURPOSES,
    Answer,
    Backend,
    Call,
    Emit,
    ModelOptions,
    Need,
    Price,
    Purpose,
    Reply,
    estimate_tokens,
)

__all__ = [
    "PURPOSES",
    "Answer",
    "Backend",
    "Call",
    "Emit",
    "Failure",
    "Model",
    "ModelAnswered",
    "ModelAsked",
    "ModelError",
    "ModelOptions",
    "Need",
    "Pool",
    "Price",
    "Purpose",
    "Reply",
    "Reservation",
    "Stream",
    "estimate_tokens",
    "json_schema",
    "open_model",
]
