"""What the keys of a payload are called in the tools that models were trained on, as actions.toml lists them."""

from typing import Final

from mayfly.policy.kernel._actions import names_of

PATHS: Final = (names_of("path") | {"dir", "directory", "cwd", "workdir", "working_directory"}) - {
    *("to", "from", "source"),
}
CONTENT: Final = frozenset(
    {"content", "contents", "text", "body", "message", "description", "code", "data", "old", "new", "old_string"}
    | {"new_string", "prompt", "query", "patch", "diff", "comment", "title", "note", "summary", "docstring"}
)
"""What is written is not where it is written to."""
HOSTS: Final = names_of("host") - {"registry", "webhook"}
METHODS: Final = names_of("method")
BODIES: Final = frozenset({"body", "data", "json", "form", "payload", "content"})
"""What a request sends."""
REMOTES: Final = frozenset({"remote"})
REFS: Final = frozenset({"ref", "refspec", "branch"})
DOLLARS: Final = names_of("amount") | {"value"}
CENTS: Final = names_of("cents")
ATOMIC: Final = names_of("atomic")
TIMES: Final = names_of("quantity")
CURRENCY: Final = names_of("currency")
