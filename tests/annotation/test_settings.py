"""The settings read from the environment, and what they refuse."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from pytest_django.fixtures import Settings

from tercet.annotation.enabled_metrics import enabled_metrics
from tests.support.folders import ROOT

KEY = "k" * 32
NAMES = (
    "SECRET_KEY",
    "DEBUG",
    "DATABASE_URL",
    "ALLOWED_HOSTS",
    "HTTPS",
    "TRUSTED_ORIGINS",
    "LEASE_SECONDS",
    "UPLOAD_LIMIT_MB",
    "SUBMISSION_LIMIT_MB",
    "EMAIL_URL",
    "SECOND_FACTOR",
    "HSTS_SECONDS",
    "HSTS_SUBDOMAINS",
    "PROXIES",
    "LOG_FORMAT",
    "METRICS_TOKEN",
    "TERCET_METRICS",
    "SENTRY_DSN",
    *("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_NAME"),
    *("OIDC_ALGORITHM", "OIDC_CREATE_ACCOUNTS"),
)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing set but the folder and a key."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)

    monkeypatch.setenv("DATA_DIR", str(tmp_path / "var"))
    monkeypatch.setenv("SECRET_KEY", KEY)


def loaded(monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, Any]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    return runpy.run_path(str(ROOT / "tercet" / "config" / "settings.py"))


def test_what_is_not_set_is_safe(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = loaded(monkeypatch)
    assert settings["DEBUG"] is False
    assert set(settings["ALLOWED_HOSTS"]) == {"localhost", "127.0.0.1", "[::1]"}

    assert settings["DATABASES"]["default"]["NAME"] == str(
        tmp_path / "var" / "tercet.sqlite3"
    )
    assert settings["LEASE_SECONDS"] == 600
    assert settings["UPLOAD_LIMIT"] == 2**30


@pytest.mark.parametrize("path", ["/tercet", "/tercet/"])
def test_a_site_below_a_path_has_its_static_files_there(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    assert loaded(monkeypatch)["STATIC_URL"] == "/static/"

    below = loaded(monkeypatch, SCRIPT_NAME=path)
    assert below["FORCE_SCRIPT_NAME"] == "/tercet"
    assert below["STATIC_URL"] == "/tercet/static/"


@pytest.mark.parametrize("key", ["", "short", "k" * 31])
def test_a_missing_or_short_key_is_refused(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY is missing or shorter"):
        loaded(monkeypatch, SECRET_KEY=key)


def test_the_key_of_the_documentation_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    documentation = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    (key,) = re.findall(r"^export SECRET_KEY=(.+)$", documentation, re.MULTILINE)

    with pytest.raises(
        ImproperlyConfigured, match="is the example of the documentation"
    ):
        loaded(monkeypatch, SECRET_KEY=key)


def test_the_key_may_stand_in_the_data_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SECRET_KEY")
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret-key").write_text("f" * 40 + "\n")

    assert loaded(monkeypatch)["SECRET_KEY"] == "f" * 40


@pytest.mark.parametrize(
    "hosts", ["tercet.example.org", "*", "localhost,.example.org", "0.0.0.0"]
)
def test_debug_is_refused_where_others_can_reach_the_site(
    monkeypatch: pytest.MonkeyPatch, hosts: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match="unset DEBUG"):
        loaded(monkeypatch, DEBUG="1", ALLOWED_HOSTS=hosts)
    assert loaded(monkeypatch, DEBUG="0")["ALLOWED_HOSTS"] == hosts.split(",")


def test_debug_is_refused_over_https(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured, match="unset DEBUG"):
        loaded(monkeypatch, DEBUG="1", HTTPS="1")


def test_debug_is_for_ones_own_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(monkeypatch, DEBUG="yes")["DEBUG"] is True


@pytest.mark.parametrize("name", ["DEBUG", "HTTPS"])
@pytest.mark.parametrize("value", ["2", "perhaps", "-"])
def test_a_switch_is_on_or_off(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    with pytest.raises(
        ImproperlyConfigured, match=f"{name} is '{value}': set it to 1 or 0"
    ):
        loaded(monkeypatch, **{name: value})


def test_a_format_of_logs_is_one_that_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ImproperlyConfigured, match="LOG_FORMAT is 'xml': set it to text or json"
    ):
        loaded(monkeypatch, LOG_FORMAT="xml")


@pytest.mark.parametrize("name", ["LOG_FORMAT", "METRICS_TOKEN"])
def test_requests_are_watched_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert "tercet.config.monitoring.monitor" not in loaded(monkeypatch)["MIDDLEWARE"]

    settings = loaded(monkeypatch, **{name: "json"})
    assert settings["MIDDLEWARE"][0] == "tercet.config.monitoring.monitor"


@pytest.mark.parametrize("name", ["LEASE_SECONDS", "UPLOAD_LIMIT_MB"])
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "ten", ""])
def test_a_number_is_whole_and_above_zero(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"{name} is '{value}'"):
        loaded(monkeypatch, **{name: value})


def test_numbers_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(monkeypatch, LEASE_SECONDS="60", UPLOAD_LIMIT_MB="5")
    assert (settings["LEASE_SECONDS"], settings["UPLOAD_LIMIT"]) == (60, 5 * 2**20)


def test_https_makes_cookies_and_redirects_safe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    safe = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT")
    assert all(loaded(monkeypatch, HTTPS="1")[name] for name in safe)
    assert not any(loaded(monkeypatch, HTTPS="0")[name] for name in safe)


def test_sqlite_waits_for_its_turn_and_keeps_what_it_confirmed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = loaded(monkeypatch, DATABASE_URL=f"sqlite:///{tmp_path}/a.sqlite3")[
        "DATABASES"
    ]["default"]["OPTIONS"]

    assert options["transaction_mode"] == "IMMEDIATE"
    assert options["timeout"] >= 60
    assert "journal_mode=WAL" in options["init_command"]

    assert "synchronous=FULL" in options["init_command"]
    assert "secure_delete=ON" in options["init_command"]


@pytest.mark.parametrize("folder", ["C#", "100%", "two words", "a?b", "%41"])
def test_the_site_may_stand_in_a_folder_of_any_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str
) -> None:
    settings = loaded(monkeypatch, DATA_DIR=str(tmp_path / folder))
    assert settings["DATABASES"]["default"]["NAME"] == str(
        tmp_path / folder / "tercet.sqlite3"
    )


def test_postgresql_comes_by_its_url(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "postgresql://ada:p%40ss@db.example.org/tercet"
    database = loaded(monkeypatch, DATABASE_URL=url)["DATABASES"]["default"]

    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert (database["USER"], database["PASSWORD"]) == ("ada", "p@ss")
    assert (database["HOST"], database["NAME"]) == ("db.example.org", "tercet")


@pytest.mark.parametrize(
    "url", ["tercet.sqlite3", "oracle://db/tercet", "mysql://db/tercet"]
)
def test_another_database_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        loaded(monkeypatch, DATABASE_URL=url)


def test_every_name_is_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    documented = loaded(monkeypatch)["__doc__"]
    assert all(f"\n{name} " in documented for name in (*NAMES, "DATA_DIR"))


def test_a_mail_server_is_read_from_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert loaded(monkeypatch)["EMAIL_HOST"] == ""

    settings = loaded(monkeypatch, EMAIL_URL="smtp+tls://ada:p%40ss@mail.example.org")
    assert settings["EMAIL_HOST"] == "mail.example.org"
    assert (settings["EMAIL_HOST_USER"], settings["EMAIL_HOST_PASSWORD"]) == (
        "ada",
        "p@ss",
    )
    assert (settings["EMAIL_PORT"], settings["EMAIL_USE_TLS"]) == (587, True)


@pytest.mark.parametrize(
    "url", ["mail.example.org", "http://mail.example.org", "smtp://"]
)
def test_an_address_without_a_mail_server_is_refused(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL names no mail server"):
        loaded(monkeypatch, EMAIL_URL=url)


def test_a_public_site_asks_staff_for_a_second_factor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not loaded(monkeypatch)["SECOND_FACTOR"]
    assert loaded(monkeypatch, HTTPS="1")["SECOND_FACTOR"]


def test_a_public_site_passes_the_checks_for_deployment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = loaded(
        monkeypatch, HTTPS="1", HSTS_SECONDS="31536000", HSTS_SUBDOMAINS="1"
    )

    assert settings["SECURE_HSTS_SECONDS"] == 31_536_000
    assert settings["SECURE_HSTS_PRELOAD"]

    monkeypatch.setenv("SECRET_KEY", "".join(map(chr, range(60, 120))))
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "tercet.config.settings")
    command = [
        sys.executable,
        "manage.py",
        "check",
        "--deploy",
        "--fail-level",
        "WARNING",
    ]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


ISSUER = "https://id.example.org/realm"
OIDC = {
    "OIDC_ISSUER": ISSUER,
    "OIDC_CLIENT_ID": "tercet",
    "OIDC_CLIENT_SECRET": "secret",
}


def test_there_is_no_openid_provider_unless_one_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = loaded(monkeypatch)
    assert settings["OPENID"] == {}


def test_an_openid_provider_is_set_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = loaded(
        monkeypatch, **OIDC, OIDC_ALGORITHM="ES256", OIDC_CREATE_ACCOUNTS="1"
    )
    provider = settings["OPENID"]

    assert (provider["ISSUER"], provider["NAME"]) == (ISSUER, "id.example.org")
    assert (provider["ALGORITHM"], provider["CREATE_ACCOUNTS"]) == ("ES256", True)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"OIDC_ISSUER": "http://id.example.org"}, "https address of the provider"),
        ({"OIDC_ISSUER": "id.example.org"}, "https address of the provider"),
        ({"OIDC_CLIENT_ID": ""}, "OIDC_CLIENT_ID is missing"),
        ({"OIDC_CLIENT_SECRET": ""}, "OIDC_CLIENT_SECRET is missing"),
        ({"OIDC_ALGORITHM": "HS256"}, "RS256 or ES256"),
    ],
)
def test_a_provider_that_is_not_set_wholly_is_refused(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, str], message: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=message):
        loaded(monkeypatch, **OIDC | changed)


def test_the_missing_library_of_the_login_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "tercet.config.openid")

    with pytest.raises(ImproperlyConfigured, match=r"tercet\[oidc\]"):
        loaded(monkeypatch, **OIDC)


# Metrics from outside


def test_a_file_that_cannot_be_read_stops_the_site(settings: Settings) -> None:
    settings.METRICS_FILE = "none.toml"
    with pytest.raises(ImproperlyConfigured, match=r"TERCET_METRICS: none\.toml"):
        enabled_metrics()


def test_a_check_of_the_site_names_what_is_not_installed(
    tmp_path: Path, settings: Settings
) -> None:
    file = tmp_path / "metrics.toml"
    package = f'[nowhere]\nversion = "1"\nsha256 = "{"0" * 64}"\n'
    file.write_text(f'{package}[mine]\ncommand = ["mine"]\n')
    settings.METRICS_FILE = str(file)

    (found,) = [each for each in run_checks() if each.id == "tercet.W001"]
    assert "[nowhere]: no installed package has it" in found.msg
