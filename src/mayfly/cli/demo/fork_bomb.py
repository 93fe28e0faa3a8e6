"""Multiply: every process starts another, up to a number that would still be harmless."""

import os


def multiply(limit: int) -> dict[str, object]:
    """Fork *limit* times; return how many children there were and what stopped the rest."""
    children: list[int] = []
    stopped = ""
    for _ in range(limit):
        try:
            child = os.fork()
        except OSError as error:
            stopped = error.strerror or str(error)
            break
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        children.append(child)
    return {"found": children, "stopped": stopped.lower()}
