"""Numbers for Prometheus: how long requests take, what people do, and how well the work keeps up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

MEDIA: Final = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """One server's numbers, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route")
        self._seconds = Histogram(
            "setmargin_request_seconds",
            "How long requests took, by route.",
            labels,
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._requests = Counter(
            "setmargin_requests", "Requests, by route and status.", (*labels, "status"), registry=self.registry
        )
        self._questions = Counter(
            "setmargin_questions", "Questions that people were given.", ("catalogue",), registry=self.registry
        )
        self._events = Counter("setmargin_events", "What people did.", ("catalogue", "kind"), registry=self.registry)
        self._fits = Counter(
            "setmargin_learning", "What came of learning from people.", ("catalogue", "outcome"), registry=self.registry
        )
        self._learning = Counter(
            "setmargin_learning_seconds", "Time that learning took.", ("catalogue",), registry=self.registry
        )
        self._webhooks = Counter(
            "setmargin_webhooks", "What came of telling others.", ("outcome",), registry=self.registry
        )
        ProcessCollector(registry=self.registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._seconds.labels(method, route).observe(seconds)
        self._requests.labels(method, route, str(status)).inc()

    def event(self, catalogue: str, kind: str, asked: bool) -> None:
        """Somebody did something, and got a question, or not."""
        self._events.labels(catalogue, kind).inc()
        if asked:
            self._questions.labels(catalogue).inc()

    def fit(self, catalogue: str, outcome: str, seconds: float) -> None:
        """Something was learnt from people, or not."""
        self._fits.labels(catalogue, outcome).inc()
        self._learning.labels(catalogue).inc(seconds)

    def webhook(self, outcome: str) -> None:
        """Somebody was told of a finished interview, or not."""
        self._webhooks.labels(outcome).inc()

    def follow(self, stats: Callable[[], Mapping[str, float]]) -> None:
        """Report the counters of the work too, as they are whenever somebody looks."""
        self.registry.register(_Work(stats))

    def text(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self.registry)


class _Work(Collector):
    def __init__(self, stats: Callable[[], Mapping[str, float]]) -> None:
        self._stats = stats

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        for name, value in self._stats().items():
            kind = GaugeMetricFamily if name in GAUGES else CounterMetricFamily
            yield kind(f"setmargin_work_{name}", MEANING.get(name, name.replace("_", " ")), value=value)


GAUGES: Final = frozenset({"processes", "queue", "longest_wait", "ahead_queue"})
MEANING: Final[Mapping[str, str]] = {
    "ready_hits": "Answers whose next question was ready before.",
    "ready_misses": "Answers whose next question was worked out when they came.",
    "ahead_dropped": "Calls ahead of time that nobody needed any more.",
    "calls": "Calls that the processes answered.",
    "seconds": "Time that the processes spent on them.",
    "restarts": "Processes that had to be replaced.",
    "timeouts": "Calls that took too long.",
    "moved": "Calls that took so long that they were moved to the slow lane.",
    "crowded": "Calls that were refused, as one client or interview had too many under way.",
    "processes": "Processes that are there.",
    "queue": "Calls that somebody waits for.",
    "longest_wait": "Seconds that somebody has been waiting for a process.",
    "ahead_queue": "Calls ahead of time that wait.",
}
