"""The one seam through which all language-model traffic goes: providers, scripts, recordings, budgets."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.models._conversation import (
        Called,
        Message,
        Returned,
        Said,
        ToolCall,
        ToolOffer,
        Turn,
        clean_offer,
        message_from_json,
    )
    from mayfly.models._errors import Failure, ModelError
    from mayfly.models._model import Model
    from mayfly.models._open import open_model
    from mayfly.models._pool import ModelAnswered, ModelAsked, Pool, Reservation
    from mayfly.models._schema import json_schema
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
    "Called",
    "Emit",
    "Failure",
    "Message",
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
    "Returned",
    "Said",
    "ToolCall",
    "ToolOffer",
    "Turn",
    "clean_offer",
    "estimate_tokens",
    "json_schema",
    "message_from_json",
    "open_model",
]

__getattr__ = lazily(
    __name__,
    {
        "_conversation": "Called Message Returned Said ToolCall ToolOffer Turn clean_offer message_from_json",
        "_errors": "Failure ModelError",
        "_model": "Model",
        "_open": "open_model",
        "_pool": "ModelAnswered ModelAsked Pool Reservation",
        "_schema": "json_schema",
        "_types": "PURPOSES Answer Backend Call Emit ModelOptions Need Price Purpose Reply estimate_tokens",
    },
)
