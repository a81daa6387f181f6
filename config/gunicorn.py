"""gunicorn's settings: `gunicorn --config python:config.gunicorn config.wsgi`.

WEB_CONCURRENCY is the number of processes, by default one for each processor.
"""

import os
import socket
import struct
from typing import Any

from gunicorn.workers import gthread

from config.settings import LOG_FORMAT, LOGGING

workers = int(os.environ.get("WEB_CONCURRENCY") or os.cpu_count() or 1)
threads = 4
keepalive = 5
graceful_timeout = 60
"""Seconds that a process which is to end has for the requests in flight, such as downloads."""
control_socket_disable = True

if LOG_FORMAT == "json":
    logconfig_dict = LOGGING | {
        "loggers": {
            "gunicorn.error": {"level": "INFO", "handlers": ["console"]}
        },
    }

READ_SECONDS = 10
"""How long a thread waits for the next bytes of a request; then it closes the connection."""
IDLE_SECONDS = 0.1
"""How long it waits for the first ones; then the process watches the connection by itself."""


def when_ready(server: Any) -> None:
    """Limit how long clients that send nothing hold a thread: connections inherit the limit."""
    limit = struct.pack("ll", READ_SECONDS, 0)
    for listener in server.LISTENERS:
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)


gthread.DEFAULT_WORKER_DATA_TIMEOUT = IDLE_SECONDS  # there is no setting
