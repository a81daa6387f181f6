"""The metrics from outside that people may choose on this site (the setting TERCET_METRICS)."""

from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from tercet.analysis.scoring.enabled import EnabledMetric, read_enabled


def enabled_metrics() -> dict[str, EnabledMetric]:
    """Return the metrics by name; their file is read once. Raises ImproperlyConfigured."""
    file: str = settings.METRICS_FILE
    return _read(Path(file)) if file else {}


def see_hidden_references() -> dict[str, EnabledMetric]:
    """Return those that may score the hidden references of challenges, by name."""
    enabled = enabled_metrics()
    return {name: each for name, each in enabled.items() if each.hidden_references}


@cache
def _read(file: Path) -> dict[str, EnabledMetric]:
    try:
        return read_enabled(file)
    except ValueError as error:
        raise ImproperlyConfigured(f"TERCET_METRICS: {error}") from error
