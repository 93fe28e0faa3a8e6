"""Send requests made from the OpenAPI description to a real server: none may end in an error of the server itself.

`make fuzz` runs it with many requests for each operation; a test runs it with a few. The seed is fixed: what it finds
it finds again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, cast

import httpx
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

HERE = Path(__file__).resolve()
UPPER = [{"input": text, "output": text.upper()} for text in ("x", "yo", "hello world")]
# Those that would fill the machine with work, or that never end by themselves, are asked with what ends.
_ENDLESS = "/api/events"
# Seconds for one request; a run of a synthesizer that finds nothing takes a few.
_SECONDS = 120.0


def fuzz(url: str, *, examples: int) -> Counter[str]:
    """Send *examples* requests for every operation; return how often each status came, or raise what was wrong."""
    schema = schemathesis.openapi.from_url(f"{url}/api/openapi.json")
    seen: Counter[str] = Counter()
    with httpx.Client(base_url=url, timeout=_SECONDS) as client:
        known = _known(client)
        for found in schema.get_all_operations():
            operation: Any = cast("Any", found).ok()
            if operation.path == _ENDLESS:
                continue
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                _try(url, operation, mode, known, examples, seen)
    return seen


def _known(client: httpx.Client) -> dict[str, str]:
    """Make a run, a tool, a chat and a question, and return what each is called in paths."""
    run = client.post("/api/runs", json={"intent": "upper case", "input": "a", "examples": UPPER}).json()["id"]
    example = [{"input": "Ada Lovelace", "output": "A.L."}]
    asked = client.post("/api/runs", json={"intent": "initials", "input": "Barbara Liskov", "examples": example}).json()
    source = 'def twice(x: int) -> int:\n    """Double a number."""\n    return 2 * x\n'
    order = {"source": source, "examples": [{"input": {"x": 2}, "output": 4}], "accept_weak": True}
    client.post("/api/tools", json=order)
    chat = client.post("/api/chats", json={}).json()["id"]
    return {"run": run, "name": "twice", "chat": chat, "id": f"h-{asked['id'].removeprefix('r-')}", "node": "0"}


def _try(
    url: str, operation: Any, mode: GenerationMode, known: dict[str, str], examples: int, seen: Counter[str]
) -> None:
    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(case=operation.as_strategy(generation_mode=mode), real=st.booleans())
    def send(case: Any, real: bool) -> None:
        if real:
            # Names that are there lead further than names that are made up.
            case.path_parameters = {name: known.get(name, value) for name, value in case.path_parameters.items()}
        answer = case.call(base_url=url, timeout=_SECONDS)
        seen[str(answer.status_code)] += 1
        said = f"{operation.method.upper()} {operation.path}: {answer.status_code}: {answer.content[:500]!r}"
        # Busy, or too slow for its time, is an answer; a bug is not.
        assert answer.status_code < 500 or answer.status_code in (503, 504), said
        assert b"Traceback" not in answer.content, said
        if answer.status_code >= 400:
            assert set(answer.json()["error"]) >= {"code", "message", "fix"}, said

    try:
        send()
    except Unsatisfiable:
        pass  # an operation that takes nothing cannot be asked wrongly


def main() -> None:
    """Start a server with a library and fuzz it."""
    sys.path[:0] = [str(HERE.parents[2]), str(HERE.parents[3])]
    from serve.web.conftest import web_server

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=50, help="requests for each operation")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        state = Path(place) / "state"
        state.mkdir(mode=0o700)
        with web_server(state, MAYFLY_WEB_RATE="100000") as site:
            seen = fuzz(site.url, examples=chosen.examples)
    told = ", ".join(f"{count} × {status}" for status, count in sorted(seen.items()))
    print(f"{sum(seen.values())} requests, none failed in the server: {told}")


if __name__ == "__main__":
    main()
