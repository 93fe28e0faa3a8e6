"""The library: what can be done, and what proved itself, remembered by content for every process of the store."""

from typing import TYPE_CHECKING

from mayfly._lazy import lazily, public_names

if TYPE_CHECKING:
    from mayfly.library._card import Card as Card
    from mayfly.library._card import words_of as words_of
    from mayfly.library._checkout import Checkout as Checkout
    from mayfly.library._events import ToolCallBegan as ToolCallBegan
    from mayfly.library._events import ToolCallEnded as ToolCallEnded
    from mayfly.library._events import ToolDeleted as ToolDeleted
    from mayfly.library._events import ToolRetired as ToolRetired
    from mayfly.library._events import ToolServed as ToolServed
    from mayfly.library._events import ToolWritten as ToolWritten
    from mayfly.library._function import FunctionCapability as FunctionCapability
    from mayfly.library._function import ToolCapability as ToolCapability
    from mayfly.library._function import capability as capability
    from mayfly.library._memo import Memo as Memo
    from mayfly.library._memo import Question as Question
    from mayfly.library._memo import Remembered as Remembered
    from mayfly.library._memo import Tampered as Tampered
    from mayfly.library._packages import Installed as Installed
    from mayfly.library._packages import Packages as Packages
    from mayfly.library._packages import Unavailable as Unavailable
    from mayfly.library._packages import package_name as package_name
    from mayfly.library._registry import Committed as Committed
    from mayfly.library._registry import LookUp as LookUp
    from mayfly.library._registry import Registry as Registry
    from mayfly.library._signature import LONGEST_DESCRIPTION as LONGEST_DESCRIPTION
    from mayfly.library._signature import ToolSignature as ToolSignature
    from mayfly.library._signature import callable_source as callable_source
    from mayfly.library._signature import check_name as check_name
    from mayfly.library._signature import read_signature as read_signature
    from mayfly.library._tool_caller import ToolCaller as ToolCaller
    from mayfly.library._tool_caller import ToolFailed as ToolFailed
    from mayfly.library._tool_grants import default_grants as default_grants
    from mayfly.library._tool_grants import opened_grants as opened_grants
    from mayfly.library._tool_grants import reaches_outside as reaches_outside
    from mayfly.library._tool_supply import LibrarySupply as LibrarySupply
    from mayfly.library._tool_supply import ToolMissing as ToolMissing
    from mayfly.library._tool_tests import each_once as each_once
    from mayfly.library._tool_tests import suite_text as suite_text
    from mayfly.library._tool_tests import tool_name_of as tool_name_of
    from mayfly.library._tool_tests import unspread as unspread
    from mayfly.library._tool_values import FILE as FILE
    from mayfly.library._tool_values import Earlier as Earlier
    from mayfly.library._tool_values import ProvenTool as ProvenTool
    from mayfly.library._tool_values import ToolChange as ToolChange
    from mayfly.library._tool_values import ToolListed as ToolListed
    from mayfly.library._tool_values import ToolMade as ToolMade
    from mayfly.library._tool_values import ToolOrder as ToolOrder
    from mayfly.library._tool_values import ToolOutcome as ToolOutcome
    from mayfly.library._tools import Tools as Tools
    from mayfly.library._workshop import Workshop as Workshop

__all__ = public_names(__name__)
__getattr__ = lazily(__name__)
