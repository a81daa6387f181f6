"""The site of `benchmarks.chaos`, whose clock is stepped: it adds the seconds in a file.

Only the time that Django tells is stepped (leases, votes, pace), not that of the process.
"""

import os
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

CLOCK = Path(os.environ["CHAOS_CLOCK"])
true_now = timezone.now


def stepped_now() -> datetime:
    """Return the time with the step that is in the file now."""
    return true_now() + timedelta(seconds=float(CLOCK.read_text()))


timezone.now = stepped_now

from tercet.config.wsgi import application  # noqa: E402, F401
