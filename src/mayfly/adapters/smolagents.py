"""The sandbox as the executor of smolagents: `CodeAgent(…, executor=SandboxExecutor(sandbox))`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from smolagents.local_python_executor import CodeOutput, PythonExecutor
from smolagents.utils import AgentError

from mayfly.adapters._cells import Cells

if TYPE_CHECKING:
    from mayfly.sandbox import Sandbox

__all__ = ["SandboxExecutor"]


class CodeFailed(AgentError):  # type: ignore[misc]
    """What an agent wrote failed; it is told and may try again."""

    def __init__(self, message: str) -> None:
        # Its own constructor wants a logger and writes to it.
        Exception.__init__(self, message)
        self.message = message


class SandboxExecutor(PythonExecutor):  # type: ignore[misc]
    """Run what an agent writes behind the wall; its tools are called here, by this process, with plain data.

    State between steps is plain data, functions, classes and imports. What else a step leaves (an open file, a lock) is
    named in its logs.
    """

    def __init__(self, sandbox: Sandbox, *, grants: Collection[str] = (), timeout: float = 30.0) -> None:
        self._cells = Cells(sandbox, grants=grants, timeout=timeout)

    def send_tools(self, tools: Mapping[str, Callable[..., Any]]) -> None:
        """Let what an agent writes call these tools."""
        self._cells.tools = {name: tool for name, tool in tools.items() if name != "final_answer"}

    def send_variables(self, variables: Mapping[str, Any]) -> None:
        """Let what an agent writes have these variables; each has to be plain data."""
        self._cells.put(variables)

    def __call__(self, code_action: str) -> CodeOutput:
        """Run one step; an error of it is raised, as smolagents expects."""
        outcome = self._cells.run(code_action)
        if outcome.error:
            raise CodeFailed(f"{outcome.output}{outcome.error}")
        return CodeOutput(output=outcome.value, logs=outcome.output, is_final_answer=outcome.final)

    def cleanup(self) -> None:
        """Forget the state; the sandbox belongs to whoever made it."""
        self._cells.forget()
