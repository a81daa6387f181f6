"""The door for a web server: `gunicorn config.wsgi`."""

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
import_module("config.urls")  # and with it all views: the first visitor need not wait for them
