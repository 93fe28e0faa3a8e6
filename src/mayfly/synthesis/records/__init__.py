"""Records: programs for logs and tables, written without a model from an intent and some lines of the input."""

from mayfly.synthesis.records._model import Condition, Field, Format, Key, Operation, Plan, Unable
from mayfly.synthesis.records._oracle import Oracle, oracle
from mayfly.synthesis.records._plan import plan
from mayfly.synthesis.records._tests import tests

__all__ = ["Condition", "Field", "Format", "Key", "Operation", "Oracle", "Plan", "Unable", "oracle", "plan", "tests"]
