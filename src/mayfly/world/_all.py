"""All capabilities of the world: those of a plan's steps, and those of an agent in its room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mayfly.core import Capability, Settings, ToolSettings
from mayfly.world._calculate import calculate
from mayfly.world._code import code_tools
from mayfly.world._convert import convert_data, parse_data, validate_data
from mayfly.world._data import format_json, get_value, parse_json, read_json, return_constant
from mayfly.world._documents import document_tools
from mayfly.world._files import file_tools
from mayfly.world._find import find_files, list_directory
from mayfly.world._git import git_log, git_status
from mayfly.world._http import http_get, http_send, http_send_once
from mayfly.world._knowledge import Knowledge, knowledge_tools
from mayfly.world._programs import run_tools
from mayfly.world._read import COUNTERS, count_items, count_lines, hash_file, join_files, read_file
from mayfly.world._search import search_lines
from mayfly.world._steps import ChangeFiles, refuse_changes
from mayfly.world._tests import find_failing_tests, run_tests
from mayfly.world._web import web_tools
from mayfly.world._write import write_capabilities

if TYPE_CHECKING:
    from mayfly.store import Ledger
    from mayfly.world._room import Room


def builtins(settings: Settings | None = None, change: ChangeFiles = refuse_changes) -> tuple[Capability, ...]:
    """Return what the host itself can do, each with its schema, its effect, what it asks the rules for and its test.

    *change* keeps what is changed in a workspace; without it nothing is.
    """
    settings = settings or Settings()
    largest = settings.sandbox.result
    return (
        *(one.bound(largest) for one in (read_file, join_files, hash_file, count_lines, *COUNTERS)),
        count_items.bound(),
        list_directory.bound(),
        find_files.bound(),
        search_lines.bound(settings.sandbox),
        read_json.bound(largest),
        *(one.bound() for one in (parse_json, get_value, format_json, return_constant)),
        *(one.bound(largest) for one in (convert_data, parse_data, validate_data)),
        calculate.bound(),
        *write_capabilities(change),
        *(one.bound() for one in (http_get, http_send, http_send_once)),
        run_tests.bound(settings),
        find_failing_tests.bound(settings),
        git_status.bound(),
        git_log.bound(),
    )


def room_tools(room: Room, ledger: Ledger, limits: ToolSettings | None = None) -> tuple[Capability, ...]:
    """Return the tools of an agent for *room*: files, programs, git, code, the web, documents and what was learned."""
    return (
        *file_tools(room),
        *run_tools(room),
        *code_tools(room, limits),
        *web_tools(room, limits),
        *document_tools(room),
        *knowledge_tools(room, Knowledge(ledger, str(room.workspace)), limits),
    )
