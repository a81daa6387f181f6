"""Log entries as lines of JSON, which know the request that they belong to."""

import json
from contextvars import ContextVar
from datetime import UTC, datetime
from logging import Formatter, LogRecord

request_id = ContextVar("request_id", default="")


class JsonFormatter(Formatter):
    """Write an entry as one line; `extra={"fields": {…}}` adds fields to it."""

    def format(self, record: LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if number := request_id.get():
            entry["request_id"] = number
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)

        entry |= getattr(record, "fields", {})
        return json.dumps(entry, ensure_ascii=False, default=str)
