"""The site's settings for the tests: a folder and a key of their own, quick passwords."""

import os
import tempfile

os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="tercet-tests-")
os.environ["SECRET_KEY"] = "a-key-for-tests-that-signs-nothing-of-value"
os.environ["PROMETHEUS_MULTIPROC_DIR"] = os.environ["DATA_DIR"]

from tercet.config.settings import *  # noqa: F403

# Nothing is to outlive a loss of power: commits need not wait for the disk.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA synchronous=OFF;"  # noqa: F405

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
READING_SPEED = 10**9  # tests answer at once
