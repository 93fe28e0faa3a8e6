"""A generic stack with a bounded type variable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

ARGUMENT = [5, 1, 4]
T = TypeVar("T")
K = TypeVar("K")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self._items: list[T] = []

    def push(self, item: T) -> Stack[T]:
        self._items.append(item)
        return self

    def pop(self) -> T:
        return self._items.pop()

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return reversed(self._items)


def group(items: list[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    found: dict[K, list[T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def main(argument: list[int]) -> dict[str, object]:
    stack: Stack[int] = Stack()
    for number in argument:
        stack.push(number)
    return {"order": list(stack), "popped": stack.pop(), "size": len(stack), "groups": group(argument, lambda n: str(n % 2))}
