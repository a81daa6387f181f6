"""Django, started: for a process that forks others, each of which needs it."""

import django

django.setup()
