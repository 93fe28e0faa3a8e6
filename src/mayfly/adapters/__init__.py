"""Mayfly inside the frameworks people already use, one module each: none is imported before it is asked for.

Tools of the library as a pydantic-ai toolset (`pydantic_ai`), as OpenAI functions (`openai`) and as LangChain tools
(`langchain`); the sandbox as smolagents' executor (`smolagents`) and as a LangChain tool; a pytest plugin
(`pytest_plugin`) and a cell magic for Jupyter (`jupyter`).
"""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.adapters._cells import CellOutcome, Cells
    from mayfly.adapters._shelf import ShelfTool, shelf_tools

__all__ = ["CellOutcome", "Cells", "ShelfTool", "shelf_tools"]

__getattr__ = lazily(__name__, {"_cells": "CellOutcome Cells", "_shelf": "ShelfTool shelf_tools"})
