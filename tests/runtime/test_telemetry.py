"""Spans: what the ledger records reaches a collector, with the names that others know, and nothing when it is off."""

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from mayfly.core import Capability, Settings
from mayfly.promise import Promise
from mayfly.runtime import Runtime
from mayfly.store._telemetry import Telemetry

SECRET = "ghp_" + "a1B2" * 9


@contextmanager
def watched(settings: Settings, **options: Any) -> Iterator[tuple[Runtime, InMemorySpanExporter]]:
    """Yield a runtime and what becomes of it, complete once the body has ended."""
    exporter = InMemorySpanExporter()
    telemetry = Telemetry(settings, exporter)
    with Runtime(settings, **options) as runtime:
        runtime.parts.ledger.tell(telemetry)
        yield runtime, exporter
    telemetry._provider.force_flush()


def load(state: Path, **variables: str) -> Settings:
    return Settings.load(environ={"MAYFLY_STATE_DIR": str(state), **variables})


def named(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def about(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def add_one(runtime: Runtime, intent: str = "add one") -> Any:
    examples = [{"input": number, "output": number + 1} for number in range(6)]
    return runtime.run(intent, input=41, examples=examples)


def test_a_run_has_spans_for_gates_and_sandbox_below_it(state: Path) -> None:
    with watched(load(state)) as (runtime, exporter):
        outcome = add_one(runtime, f"add one {SECRET}")
    assert outcome.resolved
    spans = named(exporter)
    run, gate, sandbox = spans["invoke_agent mayfly"], spans["gate types"], spans["sandbox"]
    assert {f"gate {name}" for name in ("syntax", "stability", "judge", "types", "proof")} <= spans.keys()
    told = about(run)
    assert (told["gen_ai.operation.name"], told["gen_ai.agent.id"]) == ("invoke_agent", outcome.id)
    assert told["mayfly.status"] == "resolved"
    assert run.parent is None
    for span in (gate, sandbox):
        assert run.context is not None
        assert span.parent is not None
        assert span.parent.span_id == run.context.span_id
        assert span.context is not None
        assert span.context.trace_id == run.context.trace_id
        assert span.start_time is not None
        assert span.end_time is not None
        assert (run.start_time or 0) <= span.start_time <= span.end_time <= (run.end_time or 0)
    assert about(gate)["mayfly.gate.decision"] == "accept"
    assert about(sandbox)["mayfly.sandbox.status"] == "ok"
    assert not [key for span in spans.values() for key in about(span) if "messages" in key], "prompts are not sent"
    assert SECRET not in str([about(span) for span in spans.values()])


def test_what_was_asked_is_sent_on_request_without_secrets(state: Path) -> None:
    with watched(load(state, MAYFLY_TELEMETRY_CONTENT="on")) as (runtime, exporter):
        add_one(runtime, f"add one {SECRET}")
    [message] = json.loads(about(named(exporter)["invoke_agent mayfly"])["gen_ai.input.messages"])
    assert message["role"] == "user"
    assert message["parts"][0]["content"].startswith("add one")
    assert SECRET not in str(message)


def test_a_fallback_is_an_error_with_its_code(state: Path) -> None:
    with watched(load(state)) as (runtime, exporter):
        outcome = runtime.run("say something", input=1)
    run = named(exporter)["invoke_agent mayfly"]
    assert about(run)["error.type"] == outcome.code
    assert not run.status.is_ok


def test_promises_are_spans_below_each_other(state: Path) -> None:
    quick = Capability(name="three", summary="three", call=lambda call: 3, quick=True)
    with watched(load(state), capabilities=[quick]) as (runtime, exporter):
        root: Promise[Any] = Promise("two of them", ground=None)
        root.add(Promise("one", ground=None, capability="three"))
        root.add(Promise("another", ground=None, capability="three"))
        runtime.resolve(root)
    spans = named(exporter)
    parent, child = spans["promise 0"], spans["promise 0.2"]
    assert parent.context is not None
    assert child.parent is not None
    assert child.parent.span_id == parent.context.span_id
    assert about(child)["mayfly.promise.served_by"] == "capability three"


def test_a_call_of_a_model_and_of_a_tool_have_the_names_of_the_conventions(state: Path, tmp_path: Path) -> None:
    source = 'def twice(number: int) -> int:\n    """Double a number."""\n    return number * 2\n'
    script = tmp_path / "model.jsonl"
    script.write_text(json.dumps({"for": "*", "answer": f"```python\n{source}```"}) + "\n")
    with watched(load(state, MAYFLY_TELEMETRY_CONTENT="on")) as (runtime, exporter):
        examples = [{"input": number, "output": number * 2} for number in (1, 2, 5, 9)]
        runtime.tools.write("double a number", name="twice", source=source, examples=examples)
        runtime.tools.call("twice", {"number": 21})
        runtime.run("do what nobody can read", input=3, model=f"scripted:{script}")
    spans = named(exporter)
    tool = spans["execute_tool twice"]
    assert about(tool) | {"gen_ai.tool.call.id": ""} == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "twice",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "",
        "gen_ai.tool.call.arguments": '{"number": 21}',
        "gen_ai.tool.call.result": "42",
        "mayfly.tool.version": 1,
        "mayfly.status": "ok",
    }
    chats = [span for span in exporter.get_finished_spans() if span.name.startswith("chat")]
    assert chats
    assert chats[0].kind is SpanKind.CLIENT
    assert about(chats[0])["gen_ai.operation.name"] == "chat"
    assert about(chats[0])["gen_ai.usage.input_tokens"] >= 0
    assert about(chats[0])["mayfly.model.purpose"]


def test_the_standard_sampler_is_respected(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    with watched(load(state)) as (runtime, exporter):
        add_one(runtime)
    assert exporter.get_finished_spans() == ()


def test_the_service_is_named_by_the_standard_variable_first(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "mine")
    with watched(load(state)) as (runtime, exporter):
        add_one(runtime)
    assert exporter.get_finished_spans()[0].resource.attributes["service.name"] == "mine"


def test_a_listener_that_fails_changes_nothing(state: Path) -> None:
    def broken(events: object) -> None:
        raise RuntimeError("no")

    with Runtime(load(state)) as runtime:
        runtime.parts.ledger.tell(broken)
        assert add_one(runtime).resolved


class Collector(BaseHTTPRequestHandler):
    """Keep what is posted."""

    got: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
        self.got.append((self.path, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def collector() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    got: list[tuple[str, bytes]] = []
    server = HTTPServer(("127.0.0.1", 0), type("Kept", (Collector,), {"got": got}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("by", ["setting", "standard"])
def test_a_real_collector_gets_the_spans(state: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    with collector() as (url, got):
        variables = {"MAYFLY_TELEMETRY_EXPORTER": "otlp"}
        if by == "setting":
            variables["MAYFLY_TELEMETRY_ENDPOINT"] = f"{url}/v1/traces"
        else:
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        with Runtime(load(state, **variables)) as runtime:
            outcome = add_one(runtime)
    assert outcome.resolved
    assert {path for path, _ in got} == {"/v1/traces"}
    names = set()
    for _, body in got:
        sent = ExportTraceServiceRequest.FromString(body)
        scopes = [scope for found in sent.resource_spans for scope in found.scope_spans]
        names |= {span.name for scope in scopes for span in scope.spans}
    assert {"invoke_agent mayfly", "gate proof", "sandbox"} <= names


def test_a_collector_that_is_not_there_changes_no_answer(state: Path) -> None:
    with collector() as (url, _):
        gone = f"{url}/v1/traces"
    variables = {"MAYFLY_TELEMETRY_EXPORTER": "otlp", "MAYFLY_TELEMETRY_ENDPOINT": gone}
    with Runtime(load(state, **variables, MAYFLY_TELEMETRY_TIMEOUT="0.2")) as runtime:
        assert add_one(runtime).resolved


@pytest.mark.later
def test_nothing_is_loaded_where_it_is_off(state: Path) -> None:
    script = (
        "import sys\nfrom mayfly import Runtime\n"
        "with Runtime() as runtime:\n    runtime.run('say something', input=1)\n"
        "print(*[name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    env = {"MAYFLY_STATE_DIR": str(state), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, "\n"), ran.stderr
