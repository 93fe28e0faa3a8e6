"""Spans to whoever collects them. Nothing of this is loaded unless the settings ask for it.

What a span says is made from the ledger by `SpanMaker`; this module only gives it to OpenTelemetry.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING

from mayfly.core import MachineError
from mayfly.store._spans import SpanData, SpanMaker

try:
    from opentelemetry import trace
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
    from opentelemetry.sdk.trace.id_generator import IdGenerator
    from opentelemetry.sdk.trace.sampling import Decision
except ImportError:
    raise MachineError(
        "telemetry needs OpenTelemetry, which is not installed", fix="pip install 'mayfly-agents[otel]'"
    ) from None

if TYPE_CHECKING:
    from datetime import datetime

    from mayfly.core import Settings
    from mayfly.store._events import Event

SAMPLED = trace.TraceFlags(trace.TraceFlags.SAMPLED)


class Telemetry:
    """Take what the ledger recorded and hand the spans that end with it to an exporter, in the background."""

    def __init__(self, settings: Settings, exporter: SpanExporter | None = None) -> None:
        wanted = settings.telemetry
        self._maker = SpanMaker(content=wanted.content == "on")
        self._ids = NamedIds()
        # The standard variables name the service and choose the sampler, unless this does.
        resource = {"service.name": wanted.service} if "OTEL_SERVICE_NAME" not in os.environ else {}
        self._provider = TracerProvider(
            resource=Resource.create(resource), id_generator=self._ids, shutdown_on_exit=False
        )
        self._provider.add_span_processor(BatchSpanProcessor(exporter or _exporter(settings)))
        self._tracer = self._provider.get_tracer("mayfly", version("mayfly-agents"))
        self._timeout = wanted.timeout
        self._lock = threading.Lock()

    def __call__(self, events: Sequence[Event]) -> None:
        """Hand over the spans that ended with these events."""
        # Any thread may append; the maker remembers what is open, and the SDK is told the ids of one span at a time.
        with self._lock:
            for span in self._maker.take(events):
                self._send(span)

    def _send(self, span: SpanData) -> None:
        number = _number(span.trace, 16)
        sampler = self._provider.sampler
        if sampler.should_sample(None, number, span.name).decision is Decision.DROP:
            return
        self._ids.next = (number, _number(span.trace, 8, span.key))
        context = trace.set_span_in_context(trace.INVALID_SPAN)
        if span.parent:
            above = trace.SpanContext(number, _number(span.trace, 8, span.parent), is_remote=False, trace_flags=SAMPLED)
            context = trace.set_span_in_context(trace.NonRecordingSpan(above))
        made = self._tracer.start_span(
            span.name,
            context=context,
            kind=trace.SpanKind.CLIENT if span.calls_out else trace.SpanKind.INTERNAL,
            attributes={**span.attributes, **({"error.type": span.error} if span.error else {})},
            start_time=_nanoseconds(span.begin),
        )
        if span.error:
            made.set_status(trace.StatusCode.ERROR, span.error)
        made.end(_nanoseconds(span.end))

    def close(self) -> None:
        """Send what is left; a collector that does not answer holds nobody up for longer than the settings say."""
        self._provider.force_flush(int(self._timeout * 1000))
        self._provider.shutdown()


class NamedIds(IdGenerator):
    """Give a span the ids that follow from its names: the same in every process, so that their spans join."""

    def __init__(self) -> None:
        self.next = (0, 0)

    def generate_trace_id(self) -> int:
        """Return the id of the trace of the next span."""
        return self.next[0]

    def generate_span_id(self) -> int:
        """Return the id of the next span."""
        return self.next[1]


def _exporter(settings: Settings) -> SpanExporter:
    wanted = settings.telemetry
    if wanted.exporter == "console":
        import sys

        return ConsoleSpanExporter(out=sys.stderr)
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise MachineError("the exporter otlp is not installed", fix="pip install 'mayfly-agents[otel]'") from None
    # What is not said here the exporter takes from OTEL_EXPORTER_OTLP_*.
    return OTLPSpanExporter(endpoint=wanted.endpoint or None, timeout=wanted.timeout)


def _number(trace: str, bytes: int, key: str = "") -> int:
    return int.from_bytes(sha256(f"{trace}\0{key}".encode()).digest()[:bytes]) or 1


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1000
