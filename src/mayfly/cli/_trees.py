"""Reasons as trees: plain lines for pipes and files, drawn and coloured on a terminal."""

import sys
from typing import TYPE_CHECKING

from mayfly.cli._output import answer

if TYPE_CHECKING:
    from rich.tree import Tree

    from mayfly.mangle import Branch, Why, WhyNot

_STYLES = {
    "fact": "",
    "absence": "italic",
    "check": "",
    "rule": "",
    "failure": "bold red",
    "hint": "dim",
    "repair": "green",
}


def print_tree(tree: "Why | WhyNot") -> None:
    """Print why something holds, or why not."""
    from mayfly.mangle import outline, to_text

    if sys.stdout.isatty():
        from rich.console import Console

        Console(highlight=False, markup=False, emoji=False).print(_drawn(outline(tree)))
    else:
        answer(to_text(tree))


def _drawn(branch: "Branch") -> "Tree":
    """Return the tree with the rule below what it gives, so that narrow terminals can be read."""
    from rich.text import Text
    from rich.tree import Tree

    label = Text(branch.text, style=_STYLES[branch.kind])
    if branch.rule:
        label.append(f"\nby {branch.rule}", style="dim")
    if branch.place:
        label.append(f"  {branch.place}", style="cyan")
    tree = Tree(label, guide_style="dim")
    for below in branch.below:
        tree.children.append(_drawn(below))
    return tree
