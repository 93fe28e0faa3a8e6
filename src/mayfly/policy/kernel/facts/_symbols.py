"""The predicates whose facts the kernel gives, with the names of their columns."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mayfly.mangle import Row, Symbol

Fact = tuple[Symbol, Row]

_COLUMNS: Final = {
    "pending_action": ("Id", "Action", "Target", "Payload", "Time"),
    "action_path": ("Id", "Path", "Where"),
    "action_path_part": ("Id", "Part"),
    "action_path_suffix": ("Id", "Suffix"),
    "action_host": ("Id", "Host", "Kind"),
    "action_host_within": ("Id", "Domain"),
    "payload_host": ("Id", "Host", "Kind"),
    "action_amount": ("Id", "Cents"),
    "action_word": ("Id", "Word"),
    "action_method": ("Id", "Method"),
    "action_body": ("Id",),
    "push_fault": ("Id", "Reason"),
    "path_secret": ("Id", "Reason"),
    "git_file": ("Id", "Top", "Name"),
    "git_holds": ("Id", "What"),
    "pending_change": ("Id", "Kind", "Entry", "Tracked"),
    "change_mode": ("Id", "Bit"),
    "change_same_code": ("Id",),
    "change_link": ("Id", "Target", "Where"),
    "changed_name": ("Name",),
    "removed_tracked": ("Set", "Number"),
    "removal_limit": ("Number",),
    "history_lost": ("Set", "What"),
    "beyond_undo": ("Set", "Bytes"),
    "runtime_state": ("Path",),
    "approved": ("Action", "Target", "Payload", "Until"),
    "asked_by": ("Who",),
    "acting": ("Persona",),
    "tier": ("Tier",),
    "grant": ("Effect", "Detail"),
    "workspace": ("Path",),
    "allowed_host": ("Host",),
    "send_host": ("Host",),
    "allowed_package": ("Name",),
    "spend_limit": ("Cents",),
    "spend_cap": ("Scope", "Cents"),
    "spent": ("Scope", "Cents"),
    "payment_payee": ("Id", "Address"),
    "payment_asset": ("Id", "Network", "Address"),
    "payment_micros": ("Id", "Micros"),
    "seller_host": ("Host",),
    "seller_payee": ("Address",),
    "paid_with": ("Network", "Address"),
    "purchase_cap": ("Micros",),
    "purchase_over": ("Scope",),
    "granted_tool": ("Tool",),
    "user_intent": ("Id", "Category", "Verb", "Target", "Constraint"),
    "intent_guess": ("Id", "Verb", "Percent"),
    "intent_makes": ("Id",),
    "file_topology": ("Path", "Hash", "Language", "ModTime", "IsTest"),
}
COLUMNS: Final[Mapping[Symbol, tuple[str, ...]]] = MappingProxyType(
    {Symbol(name, len(columns)): columns for name, columns in _COLUMNS.items()}
)
"""What may be given to an evaluation without any rule file declaring it."""


_SYMBOLS: Final = {symbol.name: symbol for symbol in COLUMNS}


def symbol(name: str) -> Symbol:
    """Return the predicate of that name."""
    return _SYMBOLS[name]
