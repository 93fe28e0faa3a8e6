"""The one seam through which all language-model traffic goes: providers, scripts, recordings, budgets."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.models._conversation import Called as Called
    from mayfly.models._conversation import Message as Message
    from mayfly.models._conversation import Returned as Returned
    from mayfly.models._conversation import SaidText as SaidText
    from mayfly.models._conversation import ToolCall as ToolCall
    from mayfly.models._conversation import ToolOffer as ToolOffer
    from mayfly.models._conversation import Turn as Turn
    from mayfly.models._conversation import clean_offer as clean_offer
    from mayfly.models._conversation import message_from_json as message_from_json
    from mayfly.models._errors import Failure as Failure
    from mayfly.models._errors import ModelError as ModelError
    from mayfly.models._model import Model as Model
    from mayfly.models._open import open_model as open_model
    from mayfly.models._pool import ModelAnswered as ModelAnswered
    from mayfly.models._pool import ModelAsked as ModelAsked
    from mayfly.models._pool import ModelPool as ModelPool
    from mayfly.models._pool import Reservation as Reservation
    from mayfly.models._prompt import Prompt as Prompt
    from mayfly.models._prompt import fenced as fenced
    from mayfly.models._schema import json_schema as json_schema
    from mayfly.models._schema import object_in as object_in
    from mayfly.models._types import PURPOSES as PURPOSES
    from mayfly.models._types import Answer as Answer
    from mayfly.models._types import Backend as Backend
    from mayfly.models._types import Call as Call
    from mayfly.models._types import Emit as Emit
    from mayfly.models._types import ModelOptions as ModelOptions
    from mayfly.models._types import Need as Need
    from mayfly.models._types import Price as Price
    from mayfly.models._types import Purpose as Purpose
    from mayfly.models._types import Reply as Reply
    from mayfly.models._types import estimate_tokens as estimate_tokens

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
