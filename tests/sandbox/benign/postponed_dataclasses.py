"""Orders as dataclasses with postponed annotations."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import ClassVar

ARGUMENT = [["tea", 3, 250], ["cup", 1, 900], ["pot", 2, 1550]]


@dataclass(order=True)
class Line:
    sort_key: int = field(init=False, repr=False)
    name: str
    quantity: int
    price: int
    currency: ClassVar[str] = "EUR"

    def __post_init__(self) -> None:
        self.sort_key = self.quantity * self.price

    @property
    def total(self) -> int:
        return self.quantity * self.price


@dataclass(frozen=True)
class Order:
    lines: list[Line] = field(default_factory=list)
    note: str | None = None

    def total(self) -> int:
        return sum(line.total for line in self.lines)


def main(argument: list[list[object]]) -> dict[str, object]:
    order = Order([Line(*row) for row in argument])
    noted = replace(order, note="gift")
    return {"total": noted.total(), "order": asdict(noted), "largest": max(order.lines).name, "text": repr(order.lines[0])}
