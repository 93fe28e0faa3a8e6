"""Perception without a model: a text becomes intents that rules can read, or a question back."""

from mayfly.policy.perception._guess import Guess
from mayfly.policy.perception._lexicon import Lexicon
from mayfly.policy.perception._perceive import Aside, Perceived, Perception, perceive
from mayfly.policy.perception._tokens import Token, tokens

__all__ = ["Aside", "Guess", "Lexicon", "Perceived", "Perception", "Token", "perceive", "tokens"]
