"""Find the commands that code given on a command line would run: `python -c`, `perl -e` and their like."""

import ast
import re
import warnings
from typing import Final, NamedTuple

from mayfly.core import parse_python

LONGEST: Final = 20_000
_RUNS: Final = re.compile(r"system|popen|spawn|exec|subprocess|getoutput|pty|call|run|commands", re.IGNORECASE)
_HIDES: Final = frozenset(
    {"exec", "eval", "compile", "__import__", "getattr", "globals", "locals", "vars", "import_module", "b64decode"}
    | {"fromhex", "unhexlify", "decompress", "loads", "decode", "b32decode", "a2b_base64", "setattr", "__dict__"}
)
_REMOVES: Final = {"rmtree": ("-r", "-f"), "remove": (), "unlink": (), "rmdir": ("-d",), "removedirs": ("-r",)}
_STRING: Final = re.compile(
    r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`([^`]*)`|%x\{([^}]*)\}|qx[({/]([^)}/]*)", re.DOTALL
)
_STARTS: Final = re.compile(r"system|exec|popen|spawn|fork|`|qx|%x|shell|Process|child_process|os\.|proc_open|passthru")


class Found(NamedTuple):
    """What code would do as far as it can be read: scripts, argument lists, calls, and why it is not clear."""

    scripts: tuple[str, ...] = ()
    lists: tuple[tuple[str, ...], ...] = ()
    writes: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()


def python_code(code: str) -> Found:
    """Read Python: every written-out text or list that could reach a function which runs commands."""
    tree = _parsed(code)
    if tree is None:
        return Found(unclear=("Python code in it cannot be read",))
    nodes = list(ast.walk(tree))
    names = {name for node in nodes for name in _names(node)}
    removed = tuple(call for node in nodes if isinstance(node, ast.Call) for call in _removal(node))
    writes = tuple(path for node in nodes if isinstance(node, ast.Call) for path in _opened(node))
    unclear = ("Python code in it hides what it calls",) if names & _HIDES else ()
    if not any(_RUNS.search(name) for name in names):
        return Found(lists=removed, writes=writes, unclear=unclear)
    texts = tuple(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    lists = tuple(found for node in nodes if isinstance(node, (ast.List, ast.Tuple)) and (found := _list(node)))
    computed = any(isinstance(node, (ast.BinOp, ast.JoinedStr)) for node in nodes)
    if computed:
        unclear = (*unclear, "Python code in it computes a command")
    return Found(scripts=texts, lists=(*lists, *removed), writes=writes, unclear=unclear)


def other_code(code: str, language: str) -> Found:
    """Look at the texts in code of a language that is not read; it stays unclear where it could run something."""
    texts = tuple(next(part for part in (*found.groups(), "") if part is not None) for found in _STRING.finditer(code))
    reason = (f"{language} code in it is not read",)
    return Found(scripts=texts[:64], unclear=reason) if _STARTS.search(code) else Found(unclear=reason)


def _parsed(code: str) -> ast.Module | None:
    if len(code) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse_python(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _names(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        return (node.attr,)
    if isinstance(node, ast.alias):
        return (*node.name.split("."), node.asname or "")
    if isinstance(node, ast.ImportFrom):
        return tuple((node.module or "").split("."))
    return ()


def _list(node: ast.List | ast.Tuple) -> tuple[str, ...]:
    texts = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return tuple(texts) if len(texts) == len(node.elts) else ()


def _called(node: ast.Call) -> str:
    return (_names(node.func) or ("",))[-1]


def _constants(node: ast.Call) -> tuple[str, ...]:
    inside = (part for part in ast.walk(node) if isinstance(part, ast.Constant))
    return tuple(part.value for part in inside if isinstance(part.value, str))


def _removal(node: ast.Call) -> tuple[tuple[str, ...], ...]:
    """Say the removal of files in Python as the command that does the same."""
    name = _called(node)
    return (("rm", *_REMOVES[name], *_constants(node)),) if name in _REMOVES else ()


def _opened(node: ast.Call) -> tuple[str, ...]:
    texts = _constants(node)
    if _called(node) == "open" and any(re.fullmatch(r"[rbtU]*[wax+][rwaxbtU+]*", text) for text in texts[1:]):
        return texts[:1]
    return texts[:1] if _called(node) in ("write_text", "write_bytes") and isinstance(node.func, ast.Attribute) else ()
