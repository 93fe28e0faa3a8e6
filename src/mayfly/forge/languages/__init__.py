"""Languages beside Python: what a second one brings so that its programs pass the same gates."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.forge.languages._gates import LanguageGates as LanguageGates
    from mayfly.forge.languages._gates import unstable as unstable
    from mayfly.forge.languages._language import Language as Language
    from mayfly.forge.languages._language import Reading as Reading
    from mayfly.forge.languages._typescript import TypeScript as TypeScript
    from mayfly.forge.languages._typescript import find_node as find_node
    from mayfly.forge.languages._typescript import find_typescript as find_typescript

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
