#!/bin/sh
# The site and its background workers, together until Ctrl-C. Called by `make run`.
set -eu
BIN=${BIN:-.venv/bin}
PORT=${PORT:-8000}

DJANGO_SETTINGS_MODULE=tercet.config.settings "$BIN/python" - "$PORT" <<'PYTHON'
import socket, sys
with socket.socket() as probe:
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind(("127.0.0.1", int(sys.argv[1])))
    except OSError:
        sys.exit(f"Port {sys.argv[1]} is in use. Choose another: make run PORT=8001")

# In one process, which loads the libraries once.
from django.core.management import execute_from_command_line
for command in ("migrate -v 0", "collectstatic --noinput -v 0", "load_demo"):
    execute_from_command_line(["manage.py", *command.split()])
PYTHON

"$BIN/python" manage.py db_worker -v 0 &
workers=$!
# Uploads do not wait for the results of the demo, which the other worker computes for minutes.
"$BIN/python" manage.py db_worker -v 0 --queue-name default &
workers="$workers $!"
trap 'kill $workers 2>/dev/null || true; wait $workers 2>/dev/null || true' EXIT
trap 'exit 0' INT TERM

echo "Tercet runs at http://127.0.0.1:$PORT (Ctrl-C ends it)"
"$BIN/gunicorn" tercet.config.wsgi --bind "127.0.0.1:$PORT" --workers 2 --threads 8 --log-level warning &
site=$!
trap 'kill $site $workers 2>/dev/null || true; wait 2>/dev/null || true' EXIT
wait $site
