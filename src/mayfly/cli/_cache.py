"""`mayfly cache`: what is remembered, and forgetting it."""

from mayfly.cli._output import AsJson, answer, answer_json, group, note, table
from mayfly.core import Settings, one_line

app = group("What is remembered: proven agents, by what was asked.")


@app.command()
def show(*, as_json: AsJson = False) -> None:
    """List the remembered agents, the most recently used first."""
    from mayfly.runtime import Runtime

    with Runtime(Settings.load()) as runtime:
        entries = runtime.parts.memo.entries()
    if as_json:
        answer_json(
            [
                {
                    "key": key,
                    "intent": agent.intent,
                    "source_hash": agent.artifact.hash,
                    "author": agent.artifact.author,
                }
                for key, agent in entries
            ]
        )
    elif not entries:
        note("nothing is remembered")
    else:
        rows = [("key", "source", "author", "intent")]
        rows += [
            (key[:12], agent.artifact.hash[:12], agent.artifact.author, one_line(agent.intent, limit=80))
            for key, agent in entries
        ]
        for line in table(rows):
            answer(line)


@app.command()
def clear(*, as_json: AsJson = False) -> None:
    """Forget every remembered agent; the ledger keeps its record."""
    from mayfly.runtime import Runtime

    with Runtime(Settings.load()) as runtime:
        number = runtime.parts.memo.clear()
    if as_json:
        answer_json({"forgotten": number})
    else:
        answer(f"forgot {number} agent{'s' if number != 1 else ''}")
