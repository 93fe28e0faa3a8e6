"""A model whose answers are written down beforehand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path


def write_script(path: Path, *lines: Mapping[str, object] | tuple[str, str]) -> str:
    """Write the script of a model into *path* and return the name under which `--model` or `open_model` takes it.

    A line is a purpose with its answer, or a mapping with everything that a line may hold (`for`, `answer`, `error`,
    `delay`, `input_tokens`, ...). Answers for a purpose are given in order, and the last one repeats.
    """
    entries = [{"for": line[0], "answer": line[1]} if isinstance(line, tuple) else dict(line) for line in lines]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return f"scripted:{path}"
