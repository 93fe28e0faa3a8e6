"""Languages beside Python: what a second one brings so that its programs pass the same gates."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily

if TYPE_CHECKING:
    from mayfly.forge.languages._gates import LanguageGates, unstable
    from mayfly.forge.languages._language import Language, Reading
    from mayfly.forge.languages._typescript import TypeScript, find_node, find_typescript

__all__ = [
    "Language",
    "LanguageGates",
    "Reading",
    "TypeScript",
    "find_node",
    "find_typescript",
    "unstable",
]

__getattr__ = lazily(
    __name__,
    {
        "_gates": "LanguageGates unstable",
        "_language": "Language Reading",
        "_typescript": "TypeScript find_node find_typescript",
    },
)
