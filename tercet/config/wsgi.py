"""The WSGI application: `gunicorn tercet.config.wsgi`."""

import gc
import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tercet.config.settings")
application = get_wsgi_application()
import_module("tercet.config.urls")  # load all views before the first request

# What is loaded now stays until the process ends. Without this, each full collection goes through
# all of it and holds up every request for a fifth of a second.
gc.collect()
gc.freeze()
