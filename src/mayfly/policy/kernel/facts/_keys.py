"""What the keys of a payload are called in the tools that models were trained on."""

from typing import Final

COMMANDS: Final = frozenset(
    {"command", "cmd", "program", "executable", "exe", "bin", "binary", "name", "shell", "tool"}
)
ARGUMENTS: Final = frozenset({"args", "argv", "arguments", "params", "parameters", "options", "flags", "input"})
RUN: Final = frozenset(
    {"command", "cmd", "commands", "cmds", "command_line", "commandline", "cmdline", "script", "scripts", "shell"}
    | {"shell_command", "run", "runs", "exec", "execute", "code", "args", "argv", "arguments", "program"}
    | {"executable", "exe", "bin", "binary", "bash", "sh", "python", "stdin", "operation", "subcommand"}
)
"""Where one of these is, the other texts of the object are not what is run."""
MANY: Final = frozenset({"commands", "cmds", "scripts", "runs", "run", "script", "code"})
"""A list under one of these is one of commands, not the words of one."""
WORDS: Final = frozenset(
    {"description", "reason", "comment", "explanation", "title", "note", "notes", "summary", "purpose", "why"}
    | {"justification", "rationale", "thought", "thoughts", "thinking", "intent", "goal", "label", "message"}
    | {"id", "session", "session_id", "request_id", "call_id", "timeout", "user_message", "status", "background"}
)
"""Texts for people, and marks."""
DIRECTORIES: Final = frozenset(
    {"cwd", "workdir", "work_dir", "working_dir", "working_directory", "workingdirectory", "directory", "dir", "chdir"}
)
SETTINGS: Final = frozenset({"env", "environ", "environment", "env_vars", "envs", "variables"})
PATHS: Final = frozenset(
    {"path", "file", "filename", "filepath", "dir", "directory", "cwd", "destination", "dest", "dst", "src", "folder"}
    | {"target", "output", "input_file", "output_file", "source_path", "target_path", "file_path", "paths", "files"}
    | {"root", "workdir", "working_directory"}
)
CONTENT: Final = frozenset(
    {"content", "contents", "text", "body", "message", "description", "code", "data", "old", "new", "old_string"}
    | {"new_string", "prompt", "query", "patch", "diff", "comment", "title", "note", "summary", "docstring"}
)
"""What is written is not where it is written to."""
