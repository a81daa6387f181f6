"""gunicorn's settings: `gunicorn --config python:tercet.config.gunicorn tercet.config.wsgi`.

WEB_CONCURRENCY is the number of processes, by default one for each processor.
"""

import os

from tercet.config.buffering import BufferingWorker
from tercet.config.settings import LOG_FORMAT, LOGGING

workers = int(os.environ.get("WEB_CONCURRENCY") or os.cpu_count() or 1)
worker_class = BufferingWorker
threads = 4
keepalive = 5
graceful_timeout = 60
"""Seconds that a process which is to end has for the requests in flight, such as downloads."""
control_socket_disable = True

if LOG_FORMAT == "json":
    logconfig_dict = LOGGING | {
        "loggers": {"gunicorn.error": {"level": "INFO", "handlers": ["console"]}}
    }
