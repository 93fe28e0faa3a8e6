"""What is asked for over the API: the bodies of requests, each field with its meaning for OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

# Longer than any request: a page of text that was pasted in by mistake is not read word by word.
LONGEST_INTENT = 20_000
# Longer than any name of a person, a tool or a model.
LONGEST_NAME = 200
# Characters of a program, of its tests, or of rules.
LONGEST_SOURCE = 1_000_000

Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
Text = Annotated[str, StringConstraints(max_length=LONGEST_INTENT)]
Source = Annotated[str, StringConstraints(max_length=LONGEST_SOURCE)]


class Order(BaseModel):
    """A body in which every field is known: a word that is misspelled is an error and no silence."""

    model_config = ConfigDict(extra="forbid")


class ExampleGiven(Order):
    """One example: what goes in, and what comes out."""

    input: Any = Field(description="What goes in.")
    output: Any = Field(description="What has to come out.")


class RunOrder(Order):
    """A task: what to do, with what, and what to give where nothing is proven."""

    intent: Text = Field(min_length=1, description="What to do, in words.", examples=["count requests by status"])
    input: Any = Field(None, description="What to work on, as a value; leave it out where there is none.")
    lines: str | None = Field(None, description="What to work on, as lines of text; instead of input.")
    examples: list[ExampleGiven] = Field(default_factory=list, max_length=1000, description="Inputs and outputs.")
    ground: Any = Field(None, description="The value to give where nothing is proven.")
    model: Name | None = Field(None, description="The model to ask, such as openai:NAME; that of the settings if none.")
    reading: Text = Field("", description="How to read the request, in the words of an earlier answer.")
    bad_lines: Literal["ask", "skip", "stop"] = Field("ask", description="What lines not understood lead to.")
    tier: Literal["ephemeral", "memo"] = Field("memo", description="ephemeral keeps hashes only.")
    accept_weak: bool = Field(False, description="Run on a weak proof too.")
    demand_strong: bool = Field(False, description="Refuse a proof that leaves something open.")
    wait: bool = Field(
        True,
        description="Answer when it has ended, and end it when the client leaves; or answer 202 with its id at once, "
        "and go on.",
    )


class AnswerOrder(Order):
    """What a person says to a question or a call for help."""

    text: Text = Field(min_length=1, description="The answer: text, an offered number, yes, JSON, or 'cannot occur'.")
    model: Name | None = Field(None, description="The model to ask from now on.")
    again: bool = Field(False, description="Answer once more what somebody has answered already.")
    wait: bool = Field(True, description="Answer when the task has ended, or at once.")


class SettleOrder(Order):
    """What became of an effect that nobody could tell about."""

    verdict: Literal["done", "again", "failed"] = Field(description="done, to be sent again, or given up.")
    value: Any = Field(None, description="What an effect that is done gave.")
    by: Name | None = Field(None, description="Who says so; whoever the server runs as if none.")


class WordOrder(Order):
    """A person's word: who says so, and why."""

    by: Name | None = Field(None, description="Who says so; whoever the server runs as if none.")
    reason: Text = Field("", description="Why.")


class ResumeOrder(Order):
    """Go on with a run that was stopped."""

    hints: list[Text] = Field(default_factory=list, max_length=20, description="What the writers should know.")
    model: Name | None = Field(None, description="The model to ask from now on.")
    wait: bool = Field(True, description="Answer when it has ended, or at once.")


class ChatOrder(Order):
    """A new conversation in the directory that the server works in."""

    model: Name | None = Field(None, description="The model to talk to; that of the settings if none.")


class SayOrder(Order):
    """What a person says in a conversation."""

    text: Text = Field(min_length=1, description="What is wanted.")
    wait: bool = Field(False, description="Answer when the turn has ended, or at once.")


class UndoOrder(Order):
    """Which change to take back."""

    id: Name | None = Field(None, description="The change; the last one if none is named.")


class CallOrder(Order):
    """A call of a tool."""

    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments by name, as its schema says.")
    version: int = Field(0, ge=0, le=2**31, description="A version; the one that serves if 0.")
    seconds: float | None = Field(None, gt=0, le=3600, description="How long it may take.")


class ToolOrderGiven(Order):
    """A tool to be made, or made anew: in words, by examples, or with its source."""

    intent: Text = Field("", description="What it does, in words.")
    name: Name = Field("", description="What it is called; after its function or the intent if empty.")
    summary: Text = Field("", description="What is listed; its docstring if empty.")
    source: Source | None = Field(None, description="Python to take instead of having it written.")
    examples: list[ExampleGiven] = Field(default_factory=list, max_length=1000, description="Inputs and outputs.")
    tests: Source | None = Field(None, description="Python with test functions, or JSON cases.")
    grants: list[Name] | None = Field(None, max_length=50, description="What it may reach, such as net:HOST; or none.")
    model: Name | None = Field(None, description="The model to ask.")
    accept_weak: bool = Field(False, description="Keep what only its own examples speak for.")
    seconds: float | None = Field(None, gt=0, le=3600, description="How long a call may take.")
    by: Name | None = Field(None, description="Who hands it in; whoever the server runs as if none.")


class ToolUpdate(ToolOrderGiven):
    """The next version of a tool."""

    replace_tests: bool = Field(False, description="The tests of the old version hold no more.")


class RollbackOrder(Order):
    """Let an earlier version serve."""

    to: int | None = Field(None, ge=1, le=2**31, description="Which one; the one before if none.")
    by: Name | None = Field(None, description="Who says so; whoever the server runs as if none.")


class PermitOrder(Order):
    """A question to the rules: may this be done?"""

    action: Name = Field(min_length=1, description="What would be done, such as file_write.")
    target: Text = Field(description="What it would be done to: a path, an address, a command.")
    payload: Source = Field("", description="What would be written or sent.")
    persona: Name | None = Field(None, description="Who acts; its tools and policies apply.")
    tier: Literal["ephemeral", "memo", "authored", "promoted", "builtin"] | None = Field(None, description="Its tier.")
    why: bool = Field(True, description="Say by which rules, as trees.")


class RulesGiven(Order):
    """A changed rule file."""

    name: str = Field(pattern=r"^[A-Za-z0-9_]{1,60}\.mg$", description="A shipped file's name takes its place.")
    text: Source = Field(description="The rules.")


class SimulateOrder(Order):
    """Rules to be tried on what was decided before; nothing is put into force."""

    files: list[RulesGiven] = Field(min_length=1, max_length=20, description="The changed files.")
    last: int = Field(200, ge=1, le=5000, description="How many recorded decisions and intents to try.")
