"""The network that a request comes from."""

import pytest
from django.test import RequestFactory
from pytest_django.fixtures import Settings

from tercet.annotation.requests import UNKNOWN_NETWORK, network_of


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:DB8:0:0:1::7", "2001:db8::/48"),
        ("2001:db8:0:ffff::2", "2001:db8::/48"),
        ("2001:db8:1::7", "2001:db8:1::/48"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/48"),
        ("192.0.2.7, nonsense", UNKNOWN_NETWORK),
        ("192.0.2.7,", UNKNOWN_NETWORK),
        ("10.0.0.1, 192.0.2.7", "192.0.2.7"),
    ],
)
def test_the_network_is_the_one_that_the_trusted_proxy_saw(
    settings: Settings, address: str, network: str
) -> None:
    settings.PROXIES = 1

    request = RequestFactory().get("/", headers={"X-Forwarded-For": address})

    assert network_of(request) == network


def test_without_a_trusted_proxy_only_the_connection_counts(settings: Settings) -> None:
    settings.PROXIES = 0

    request = RequestFactory().get(
        "/", headers={"X-Forwarded-For": "192.0.2.7"}, REMOTE_ADDR="2001:db8::7"
    )

    assert network_of(request) == "2001:db8::/48"
