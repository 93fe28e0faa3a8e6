"""Who acts, with which tools, under which policies and with which prompt: all from data files, chosen by rules.

The names below are loaded on first use: a decision does not load what compiles prompts.
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.persona._add import Added as Added
    from mayfly.persona._add import add_persona as add_persona
    from mayfly.persona._atoms import Category as Category
    from mayfly.persona._atoms import PromptAtom as PromptAtom
    from mayfly.persona._atoms import categories as categories
    from mayfly.persona._atoms import tokens_in as tokens_in
    from mayfly.persona._atomset import AtomFault as AtomFault
    from mayfly.persona._atomset import AtomSet as AtomSet
    from mayfly.persona._compile import CompiledPrompt as CompiledPrompt
    from mayfly.persona._compile import Placed as Placed
    from mayfly.persona._compile import Weights as Weights
    from mayfly.persona._compile import compile_prompt as compile_prompt
    from mayfly.persona._config import ConfigAtom as ConfigAtom
    from mayfly.persona._config import ConfigEntry as ConfigEntry
    from mayfly.persona._config import merge as merge
    from mayfly.persona._context import PromptContext as PromptContext
    from mayfly.persona._context import detect_context as detect_context
    from mayfly.persona._desk import Desk as Desk
    from mayfly.persona._desk import Understood as Understood
    from mayfly.persona._personas import AgentConfig as AgentConfig
    from mayfly.persona._personas import Brought as Brought
    from mayfly.persona._personas import Mode as Mode
    from mayfly.persona._personas import Personas as Personas
    from mayfly.persona._personas import granted_by as granted_by
    from mayfly.persona._shelf import Shelf as Shelf
    from mayfly.persona._shelf import Stock as Stock
    from mayfly.persona._shelf import shipped_atoms as shipped_atoms
    from mayfly.persona._shelf import shipped_configs as shipped_configs

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
