"""What the keys of a payload are called in the tools that models were trained on, as actions.toml lists them."""

from typing import Final

from mayfly.policy.kernel._actions import names_of

COMMANDS: Final = names_of("command")
ARGUMENTS: Final = names_of("argv")
RUN: Final = names_of("command", "argv", "script") - {
    *("name", "tool", "params", "parameters", "options", "flags", "input"),
}
"""Where one of these is, the other texts of the object are not what is run."""
MANY: Final = frozenset({"commands", "cmds", "scripts", "runs", "run", "script", "code"})
"""A list under one of these is one of commands, not the words of one."""
WORDS: Final = names_of("words")
"""Texts for people, and marks."""
DIRECTORIES: Final = names_of("cwd")
SETTINGS: Final = names_of("env")
PATHS: Final = (names_of("path") | {"dir", "directory", "cwd", "workdir", "working_directory"}) - {
    *("to", "from", "source"),
}
CONTENT: Final = frozenset(
    {"content", "contents", "text", "body", "message", "description", "code", "data", "old", "new", "old_string"}
    | {"new_string", "prompt", "query", "patch", "diff", "comment", "title", "note", "summary", "docstring"}
)
"""What is written is not where it is written to."""
HOSTS: Final = names_of("host") - {"registry", "webhook"}
DOLLARS: Final = names_of("amount") | {"value"}
CENTS: Final = names_of("cents")
ATOMIC: Final = names_of("atomic")
TIMES: Final = names_of("quantity")
CURRENCY: Final = names_of("currency")
