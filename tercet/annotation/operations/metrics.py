"""Metrics of a site for Prometheus: of its requests, and of what waits."""

import shutil
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from tercet.annotation.models import Evaluation, Worker
from tercet.annotation.models.computation import JobState
from tercet.annotation.operations.health import problems
from tercet.annotation.quality.networks import largest_network

_CROWDED = "The most people of one network who joined a study within a day."


class Site(Collector):
    """What is the same in all processes of a site: read from its database when it is asked for."""

    def collect(self) -> Iterator[Metric]:
        checks = GaugeMetricFamily(
            "tercet_check", "1 if a check passes.", labels=["check"]
        )
        for name, problem in problems().items():
            checks.add_metric([name], float(not problem))
        yield checks

        if checks.samples[0].value:
            yield from _gauges()


def metrics() -> bytes:
    """Return the metrics of all processes together, in Prometheus' text format."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(Site())
    return generate_latest(registry)


def _gauges() -> Iterator[Metric]:
    waiting = DBTaskResult.objects.ready().order_by("enqueued_at")
    oldest = waiting.first()
    waited = timezone.now() - oldest.enqueued_at if oldest else timedelta()
    unfinished = Evaluation.objects.filter(state__in=JobState.unfinished())
    alive = Worker.objects.alive().count()
    free = shutil.disk_usage(settings.DATA_DIR).free

    for name, meaning, value in (
        ("workers", "Workers that run.", alive),
        ("tasks_waiting", "Tasks that wait.", waiting.count()),
        ("oldest_task_seconds", "Its waiting time.", waited.total_seconds()),
        ("evaluations_unfinished", "Under way.", unfinished.count()),
        ("people_of_one_network", _CROWDED, largest_network()),
        ("disk_free_bytes", "Space for votes and files.", free),
    ):
        yield GaugeMetricFamily(f"tercet_{name}", meaning, value)
