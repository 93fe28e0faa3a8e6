"""A binary search tree with iterators and deletion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

ARGUMENT = [50, 30, 70, 20, 40, 60, 80, 65]


@dataclass
class Node:
    key: int
    left: Node | None = None
    right: Node | None = None

    def __iter__(self) -> Iterator[int]:
        if self.left:
            yield from self.left
        yield self.key
        if self.right:
            yield from self.right


def insert(node: Node | None, key: int) -> Node:
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = insert(node.left, key)
    else:
        node.right = insert(node.right, key)
    return node


def delete(node: Node | None, key: int) -> Node | None:
    if node is None:
        return None
    if key < node.key:
        node.left = delete(node.left, key)
    elif key > node.key:
        node.right = delete(node.right, key)
    elif node.left is None or node.right is None:
        return node.left or node.right
    else:
        node.key = next(iter(node.right))
        node.right = delete(node.right, node.key)
    return node


def height(node: Node | None) -> int:
    return 0 if node is None else 1 + max(height(node.left), height(node.right))


def main(argument):
    root = None
    for key in argument:
        root = insert(root, key)
    before, tall = list(root), height(root)
    root = delete(root, 50)
    return {"before": before, "height": tall, "after": list(root), "root": root.key}
