"""Accounts, transfers, a custom exception tree and a ledger of transactions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import Enum

ARGUMENT = [["open", "ada", 100], ["open", "bob", 20], ["transfer", "ada", "bob", 70], ["transfer", "ada", "bob", 70], ["transfer", "ada", "eve", 1]]


class BankError(Exception):
    code = "BANK"


class InsufficientFunds(BankError):
    code = "FUNDS"


class UnknownAccount(BankError, KeyError):
    code = "ACCOUNT"


class Kind(Enum):
    DEPOSIT = "deposit"
    TRANSFER = "transfer"


@dataclass(frozen=True)
class Transaction:
    kind: str
    amount: int
    on: str


@dataclass
class Account:
    owner: str
    history: list[Transaction] = field(default_factory=list)

    @property
    def balance(self) -> int:
        return sum(t.amount for t in self.history)


class Bank:
    def __init__(self, start: date) -> None:
        self.accounts: dict[str, Account] = {}
        self.today = start

    def account(self, owner: str) -> Account:
        try:
            return self.accounts[owner]
        except KeyError:
            raise UnknownAccount(owner) from None

    def open(self, owner: str, amount: int) -> None:
        self.accounts[owner] = Account(owner, [Transaction(Kind.DEPOSIT.value, amount, self.today.isoformat())])

    def transfer(self, source: str, target: str, amount: int) -> None:
        giver, taker = self.account(source), self.account(target)
        if giver.balance < amount:
            raise InsufficientFunds(f"{source} has {giver.balance}, needs {amount}")
        for account, sign in ((giver, -1), (taker, 1)):
            account.history.append(Transaction(Kind.TRANSFER.value, sign * amount, self.today.isoformat()))


def main(argument):
    bank, problems = Bank(date(2024, 12, 30)), []
    for name, *values in argument:
        try:
            getattr(bank, name)(*values)
        except BankError as error:
            problems.append([error.code, str(error)])
        bank.today += timedelta(days=1)
    return {"balances": {a.owner: a.balance for a in bank.accounts.values()}, "problems": problems, "accounts": list(bank.accounts.values())}
