"""`mayfly metrics`: what the ledger counts up to."""

from mayfly.cli._output import AsJson, answer, answer_json
from mayfly.core import Settings


def metrics(*, as_json: AsJson = False) -> None:
    """Count runs, compiled agents and fallbacks, and how much of the code was written on demand."""
    from mayfly.operations import metrics as count
    from mayfly.runtime import Runtime

    with Runtime(Settings.load()) as runtime:
        fields = count(runtime.parts.ledger).to_json()
    if as_json:
        answer_json(fields)
        return
    for name, value in fields.items():
        if isinstance(value, dict):
            for reason, number in value.items():
                answer(f"{name}{{{reason}}}  {number}")
        else:
            answer(f"{name}  {value}")
