"""Add up invoices, with the dataclasses and postponed annotations ordinary programs have."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Invoice:
    """One invoice and its lines: quantity and price in cents."""

    customer: str
    lines: list[tuple[int, int]] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Cents over all lines."""
        return sum(quantity * price for quantity, price in self.lines)


def total(invoices: list[dict[str, object]]) -> dict[str, float]:
    """Return what each customer owes."""
    owed: dict[str, int] = {}
    for given in invoices:
        invoice = Invoice(**given)  # type: ignore[arg-type]
        owed[invoice.customer] = owed.get(invoice.customer, 0) + invoice.total
    return {customer: cents / 100 for customer, cents in sorted(owed.items())}
