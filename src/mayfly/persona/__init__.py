"""Who acts, with which tools, under which policies and with which prompt: all from data files, chosen by rules.

The names below are loaded on first use: a decision does not load what compiles prompts.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.persona._add import Added, add_persona
    from mayfly.persona._atoms import Category, PromptAtom, categories, tokens_in
    from mayfly.persona._atomset import AtomSet, Fault
    from mayfly.persona._compile import Compiled, Placed, Weights, compile_prompt
    from mayfly.persona._config import ConfigAtom, ConfigEntry, merge
    from mayfly.persona._context import PromptContext, detect_context
    from mayfly.persona._desk import Desk, Understood
    from mayfly.persona._personas import AgentConfig, Brought, Mode, Personas, granted_by
    from mayfly.persona._shelf import Shelf, Stock, shipped_atoms, shipped_configs

__all__ = [
    "Added",
    "AgentConfig",
    "AtomSet",
    "Brought",
    "Category",
    "Compiled",
    "ConfigAtom",
    "ConfigEntry",
    "Desk",
    "Fault",
    "Mode",
    "Personas",
    "Placed",
    "PromptAtom",
    "PromptContext",
    "Shelf",
    "Stock",
    "Understood",
    "Weights",
    "add_persona",
    "categories",
    "compile_prompt",
    "detect_context",
    "granted_by",
    "merge",
    "shipped_atoms",
    "shipped_configs",
    "tokens_in",
]

__getattr__ = lazily(
    __name__,
    {
        "_add": "Added add_persona",
        "_atoms": "Category PromptAtom categories tokens_in",
        "_atomset": "AtomSet Fault",
        "_compile": "Compiled Placed Weights compile_prompt",
        "_config": "ConfigAtom ConfigEntry merge",
        "_context": "PromptContext detect_context",
        "_desk": "Desk Understood",
        "_personas": "AgentConfig Brought Mode Personas granted_by",
        "_shelf": "Shelf Stock shipped_atoms shipped_configs",
    },
)
