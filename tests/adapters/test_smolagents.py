"""The sandbox as the executor of a real smolagents agent. It is heavy, so it is in the group bench."""

from typing import Any

import pytest

from mayfly.runtime import Runtime

from .conftest import documented

smolagents: Any = pytest.importorskip("smolagents", reason="smolagents is in the group bench")


def agent(runtime: Runtime, *steps: str, tools: list[Any] | None = None) -> Any:
    """Return an agent whose model writes these steps one after the other."""
    from mayfly.adapters.smolagents import SandboxExecutor

    left = list(steps)

    class Scripted(smolagents.Model):  # type: ignore[misc]
        def generate(self, messages: Any, **_: Any) -> Any:
            code = left.pop(0)
            return smolagents.ChatMessage(role="assistant", content=f"Thought: x\n<code>\n{code}\n</code>")

    executor = SandboxExecutor(runtime.parts.sandbox)
    return smolagents.CodeAgent(tools=tools or [], model=Scripted(), executor=executor, max_steps=4, verbosity_level=0)


def test_an_agent_works_in_steps_behind_the_wall(runtime: Runtime) -> None:
    made = agent(runtime, "def f(x):\n    return x * 2\nn = f(20)", "final_answer(n + 2)")
    assert made.run("the answer") == 42


def test_the_example_of_the_documents_runs() -> None:
    exec(compile(documented("smolagents"), "docs/adapters.md", "exec"), {})


def test_its_tools_run_outside(runtime: Runtime) -> None:
    tool = smolagents.tool

    @tool  # type: ignore[untyped-decorator]
    def price(name: str) -> int:
        """Say what something costs.

        Args:
            name: What is bought.
        """
        return {"tea": 3}[name]

    assert agent(runtime, "final_answer(price('tea') * 2)", tools=[price]).run("two teas") == 6


def test_an_error_is_told_to_the_agent_which_goes_on(runtime: Runtime) -> None:
    made = agent(runtime, "open('/etc/passwd').read()", "final_answer('none')")
    assert made.run("read it") == "none"
    assert "FileNotFoundError" in str(made.memory.steps[1].error)
