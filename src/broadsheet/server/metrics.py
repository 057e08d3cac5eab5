"""Metrics of the service, in the format of Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from broadsheet.server.admission import Gate
from broadsheet.server.extractor import Extractor, TimedAnswer

_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60)


class Metrics:
    """Counters of one service, in a registry of their own."""

    def __init__(self, gate: Gate, extractor: Extractor, workers: int) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.requests = Counter(
            "broadsheet_requests", "Requests by path and HTTP status.", ["path", "code"], registry=registry
        )
        self.seconds = Histogram(
            "broadsheet_request_seconds", "Seconds from the request line to the end of the answer.", ["path"],
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._articles = Counter("broadsheet_articles", "Extracted pages by status.", ["status"], registry=registry)
        self._wait = Histogram(
            "broadsheet_wait_seconds", "Seconds a page waited for a worker.", buckets=_SECONDS, registry=registry
        )
        self._work = Histogram(
            "broadsheet_extract_seconds", "Seconds a worker took for a page.", buckets=_SECONDS, registry=registry
        )
        self._add_gauge("broadsheet_requests_inside", "Requests being read, waiting or processed.", lambda: gate.inside)
        self._add_gauge("broadsheet_requests_inside_max", "Requests beyond this are refused.", lambda: gate.max_inside)
        self._add_gauge("broadsheet_workers", "Worker processes.", lambda: workers)
        self._add_gauge("broadsheet_workers_lost", "Worker processes that were lost.", lambda: extractor.loss_count)

    def count_answer(self, timed: TimedAnswer) -> None:
        """Count an extracted page."""
        self._articles.labels(timed.answer.status).inc()
        self._wait.observe(timed.wait_seconds)
        self._work.observe(timed.work_seconds)

    def write(self) -> bytes:
        """Return all metrics as text."""
        return generate_latest(self._registry)

    def _add_gauge(self, name: str, text: str, read: object) -> None:
        Gauge(name, text, registry=self._registry).set_function(read)  # type: ignore[arg-type]
