"""Tercet's settings, read from the environment.

SECRET_KEY       signs sessions and join cookies (default: the one in DATA_DIR/secret-key)
DEBUG            1 for development: error pages with tracebacks, plain static files (default 0)
DATABASE_URL     sqlite:///FILE (default: var/tercet.sqlite3) or postgresql://USER:PASSWORD@HOST/NAME
ALLOWED_HOSTS    host names of the site, comma separated (default: localhost,127.0.0.1)
HTTPS            1 where the site is reached over https: secure cookies and redirects (default 0)
TRUSTED_ORIGINS  origins of forms where a proxy changes the host, comma separated, with https://
DATA_DIR         uploads, images and report folders (default: var in the checkout, or in the
                 current folder where the wheel is installed)
LEASE_SECONDS    how long a lease keeps a question for its annotator (default 600)
FIRST_LEASE_SECONDS  the same, until an annotator's first vote (default 120)
READING_SPEED    characters per second that nobody reads faster; limits votes (default 200)
PROXIES          proxies that add to X-Forwarded-For (default: 1 with HTTPS, else 0)
EMAIL_URL        mail server, smtp://USER:PASSWORD@HOST:PORT, smtps:// for TLS from the start, or
                 smtp+tls:// for STARTTLS (default: no mail; administrators create reset links)
EMAIL_FROM       sender of mails (default tercet@localhost)
HSTS_SECONDS     how long browsers insist on HTTPS after a visit, with HTTPS=1 (default 3600)
HSTS_SUBDOMAINS  1 if all subdomains are reached over HTTPS only, too (default 0)
OIDC_ISSUER      address of an OpenID Connect provider to log in with (default: none)
OIDC_CLIENT_ID   id of this site at the provider
OIDC_CLIENT_SECRET  its secret there
OIDC_NAME        name of the provider on the login page (default: its host)
OIDC_ALGORITHM   how it signs, RS256 or ES256 (default RS256)
OIDC_CREATE_ACCOUNTS  1 if all who log in get an account (default 0: administrators invite)
SECOND_FACTOR    1 if staff must use a second factor (default: the same as HTTPS)
LOG_FORMAT       text, or json for lines of JSON with an entry for each request (default text)
METRICS_TOKEN    secret with which Prometheus reads /metrics (default: there is no /metrics)
TERCET_METRICS   file of the metrics from outside that people may choose (default: none)
SENTRY_DSN       address of a Sentry project that receives errors (default: none does)
UPLOAD_LIMIT_MB  maximum size of an uploaded dataset, packed or unpacked (default 1024)
SUBMISSION_LIMIT_MB  maximum size of a file that is submitted to a challenge (default 64)
UPLOAD_DAYS      how long uploads that nobody imports are kept (default 2)
REPORT_DAYS      how long reports are kept, besides the last three of each study (default 30)
ACCESS_DAYS      how long logins and downloads are recorded for administrators (default 90)
TASK_DAYS        how long records of finished background tasks are kept (default 14)
"""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from tercet.config import error_reports
from tercet.config.openid import ADAPTER, ALGORITHMS, openid

PACKAGE_DIR = Path(__file__).resolve().parents[1]
IN_CHECKOUT = (PACKAGE_DIR.parent / "manage.py").exists()
BASE_DIR = PACKAGE_DIR.parent if IN_CHECKOUT else PACKAGE_DIR
"""In an installed wheel, templates, static files and translations are inside the app."""
LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "testserver"}


def flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, str(int(default))).strip().lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off", ""}:
        return False

    raise ImproperlyConfigured(f"{name} is {value!r}: set it to 1 or 0.")


def names(name: str, default: str = "") -> list[str]:
    parts = os.environ.get(name, default).split(",")
    return [part.strip() for part in parts if part.strip()]


def whole(name: str, default: int, least: int = 1) -> int:
    value = os.environ.get(name, str(default))
    if not value.isdecimal() or int(value) < least:
        above = " above 0" if least else ""
        raise ImproperlyConfigured(
            f"{name} is {value!r}: set it to a whole number{above}."
        )

    return int(value)


def choice(name: str, choices: list[str]) -> str:
    """Return the value of a variable that has one of some values, by default the first."""
    value = os.environ.get(name) or choices[0]
    if value not in choices:
        raise ImproperlyConfigured(
            f"{name} is {value!r}: set it to {' or '.join(choices)}."
        )

    return value


MAIL_PORTS = {"smtp": 25, "smtps": 465, "smtp+tls": 587}
EXAMPLE_KEY = "change-this"
"""How the key begins that the documentation shows."""


def secret_key() -> str:
    file = DATA_DIR / "secret-key"
    key = os.environ.get("SECRET_KEY", "")
    if not key and file.exists():
        key = file.read_text().strip()
    if len(key) < 32:
        raise ImproperlyConfigured(
            "SECRET_KEY is missing or shorter than 32 characters: set it to a long random text "
            f"of your own, or write one to {file} (`make ready` does so in a checkout)."
        )
    if key.startswith(EXAMPLE_KEY):
        raise ImproperlyConfigured(
            "SECRET_KEY is the example of the documentation, which everybody knows: set it to a "
            "long random text of your own, such as the output of `openssl rand -base64 48`."
        )

    return key


PREPARED = {"server_side_binding": True, "prepare_threshold": 3}
"""PostgreSQL plans each statement once per connection: planning took most of a vote's time."""


def database(url: str) -> dict[str, Any]:
    if url.partition("://")[0] not in {"sqlite", "postgresql", "postgres"}:
        raise ImproperlyConfigured(
            "DATABASE_URL names an unsupported database: set it to sqlite:///FILE or "
            "postgresql://USER:PASSWORD@HOST/NAME."
        )

    config: dict[str, Any] = dict(dj_database_url.parse(url))
    if config["ENGINE"] == "django.db.backends.sqlite3":
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 300,  # seconds, as an import may write for minutes
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
            "PRAGMA secure_delete=ON;",
        }
        config["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
    else:
        config |= {
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": config.get("OPTIONS", {}) | PREPARED,
        }

    return config


DATA_DIR = Path(
    os.environ.get("DATA_DIR") or (BASE_DIR if IN_CHECKOUT else Path.cwd()) / "var"
).resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True)
SECRET_KEY = secret_key()
DEBUG = flag("DEBUG")
HTTPS = flag("HTTPS")
ALLOWED_HOSTS = names("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
if DEBUG and (HTTPS or set(ALLOWED_HOSTS) - LOOPBACK):
    raise ImproperlyConfigured(
        "DEBUG is on for a public site (see HTTPS and ALLOWED_HOSTS): unset DEBUG."
    )

own_database = f"sqlite:///{quote(str(DATA_DIR))}/tercet.sqlite3"
DATABASES = {"default": database(os.environ.get("DATABASE_URL") or own_database)}
DOCS_DIR = BASE_DIR / ("docs" if IN_CHECKOUT else "annotation/docs")
MEDIA_ROOT = DATA_DIR / "media"
ERASURES = DATA_DIR / "erasures.txt"
"""The list of who was erased; no backup contains it."""

CSRF_TRUSTED_ORIGINS = names("TRUSTED_ORIGINS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = whole("HSTS_SECONDS", 3600) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = flag("HSTS_SUBDOMAINS")
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # other sites may be on subdomains: HSTS_SUBDOMAINS decides
    "security.W021",  # as above: preloading concerns the whole domain
]
X_FRAME_OPTIONS = "DENY"

LEASE_SECONDS = whole("LEASE_SECONDS", 600)
READING_SPEED = whole("READING_SPEED", 200)
PROXIES = whole("PROXIES", int(HTTPS), least=0)
FIRST_LEASE_SECONDS = whole("FIRST_LEASE_SECONDS", 120)
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000  # annotators selected on one page
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000  # without uploaded files
UPLOAD_LIMIT = whole("UPLOAD_LIMIT_MB", 1024) * 2**20
SUBMISSION_LIMIT = whole("SUBMISSION_LIMIT_MB", 64) * 2**20

KEEP_UPLOADS = timedelta(days=whole("UPLOAD_DAYS", 2))
KEEP_REPORTS = timedelta(days=whole("REPORT_DAYS", 30))
KEEP_ACCESS = timedelta(days=whole("ACCESS_DAYS", 90))
KEEP_TASKS = timedelta(days=whole("TASK_DAYS", 14))

mail = urlsplit(os.environ.get("EMAIL_URL", ""))
if mail.geturl() and not (mail.scheme in MAIL_PORTS and mail.hostname):
    raise ImproperlyConfigured(
        "EMAIL_URL names no mail server: set it to smtp+tls://USER:PASSWORD@HOST:PORT."
    )

mailer = "smtp" if mail.hostname else "dummy"
EMAIL_BACKEND = f"django.core.mail.backends.{mailer}.EmailBackend"
EMAIL_HOST = mail.hostname or ""
EMAIL_PORT = mail.port or MAIL_PORTS.get(mail.scheme, 25)
EMAIL_HOST_USER = unquote(mail.username or "")
EMAIL_HOST_PASSWORD = unquote(mail.password or "")
EMAIL_USE_SSL = mail.scheme == "smtps"
EMAIL_USE_TLS = mail.scheme == "smtp+tls"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("EMAIL_FROM", "tercet@localhost")

LOG_FORMAT = choice("LOG_FORMAT", ["text", "json"])
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
if METRICS_TOKEN:
    METRICS_DIR = DATA_DIR / "metrics"
    METRICS_DIR.mkdir(exist_ok=True)
    os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(METRICS_DIR))
METRICS_FILE = os.environ.get("TERCET_METRICS", "")
if SENTRY_DSN := os.environ.get("SENTRY_DSN", ""):
    error_reports.start(SENTRY_DSN)

INSTALLED_APPS = [
    "tercet.annotation",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_tasks",
    "django_tasks_db",
    "ninja",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "tercet.config.security.default_headers",
    "tercet.config.security.answer_probes",
    "tercet.annotation.participation.direct_views.direct_votes",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "tercet.config.security.limit_bodies",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "tercet.annotation.accounts.views.SecondFactorMiddleware",
    "tercet.annotation.operations.access_views.record_downloads",
    "tercet.config.languages.AnnotatorLanguages",
    "tercet.config.security.refuse_nul",
]
if METRICS_TOKEN or LOG_FORMAT == "json":
    MIDDLEWARE.insert(0, "tercet.config.monitoring.monitor")

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "tercet.config.languages.languages",
                "tercet.annotation.documentation.sections.documentation",
            ]
        },
    }
]

TASKS = {
    "default": {
        "BACKEND": "django_tasks_db.DatabaseBackend",
        "QUEUES": ["default", "results"],
    }
}

AUTHENTICATION_BACKENDS = [
    "tercet.annotation.accounts.logins.GuessLimits",
    "django.contrib.auth.backends.ModelBackend",
]
OPENID: dict[str, Any] = {}
"""The OpenID Connect provider; empty if there is none."""
if os.environ.get("OIDC_ISSUER"):
    OPENID = openid(os.environ, LOOPBACK) | {
        "ALGORITHM": choice("OIDC_ALGORITHM", ALGORITHMS),
        "CREATE_ACCOUNTS": flag("OIDC_CREATE_ACCOUNTS"),
    }
    SOCIALACCOUNT_ADAPTER = ADAPTER
ACCOUNT_ADAPTER = "tercet.annotation.accounts.adapter.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"

validation = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"{validation}.UserAttributeSimilarityValidator"},
    {"NAME": f"{validation}.CommonPasswordValidator"},
    {"NAME": f"{validation}.NumericPasswordValidator"},
    {"NAME": f"{validation}.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "tercet.annotation.accounts.passwords.DemoPasswordValidator"},
]
DEMO_PASSWORD = "tercet-demo"
"""The password of the demo's logins; where people come over HTTPS, nobody can log in with it."""
SECOND_FACTOR = flag("SECOND_FACTOR", default=HTTPS)
MFA_TOTP_ISSUER = "Tercet"
MFA_TOTP_TOLERANCE = 1  # times 30 s, by which clocks may differ
SESSION_ENGINE = "tercet.annotation.models.accounts"
PASSWORD_RESET_TIMEOUT = 24 * 3600
CSRF_FAILURE_VIEW = "tercet.annotation.error_views.form_refused"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

ROOT_URLCONF = "tercet.config.urls"
WSGI_APPLICATION = "tercet.config.wsgi.application"
FORCE_SCRIPT_NAME = os.environ.get("SCRIPT_NAME", "").rstrip("/")
"""The path below which the site is served; gunicorn takes it off the addresses."""
STATIC_URL = f"{FORCE_SCRIPT_NAME}/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [
    *([BASE_DIR / "static"] if IN_CHECKOUT else []),
    ("report", PACKAGE_DIR / "analysis" / "report" / "static"),
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "tercet.config.staticfiles.ModuleStorage"
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
"""The language of all pages but those of annotators, which are in any of `LANGUAGES`."""
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("zh-hans", "简体中文"),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"format": "%(message)s"},
        "json": {"()": "tercet.config.logs.JsonFormatter"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "tercet.requests": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"}
    },
}
