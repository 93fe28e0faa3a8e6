"""Languages that programs are written in: Python, and what a second one brings to pass the same gates."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.forge.languages._gates import LanguageGates, unstable
    from mayfly.forge.languages._language import ChoiceFact, Facts, FunctionFact, Language, Reading
    from mayfly.forge.languages._python import Python
    from mayfly.forge.languages._typescript import TypeScript, find_node, find_typescript

__all__ = [
    "LANGUAGES",
    "ChoiceFact",
    "Facts",
    "FunctionFact",
    "Language",
    "LanguageGates",
    "Python",
    "Reading",
    "TypeScript",
    "find_node",
    "find_typescript",
    "unstable",
]

LANGUAGES = ("python", "typescript")

__getattr__ = lazily(
    __name__,
    {
        "_gates": "LanguageGates unstable",
        "_language": "ChoiceFact Facts FunctionFact Language Reading",
        "_python": "Python",
        "_typescript": "TypeScript find_node find_typescript",
    },
)
