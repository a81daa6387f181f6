"""The addresses of the app, for tests that go through all of them."""

from collections.abc import Sequence

from django.urls import URLPattern, URLResolver

from tercet.annotation import urls


def addresses(
    patterns: Sequence[URLPattern | URLResolver] = urls.urlpatterns, prefix: str = ""
) -> dict[str, str]:
    """The name and the pattern of each address of the app."""
    found: dict[str, str] = {}
    for each in patterns:
        address = prefix + str(each.pattern)
        if isinstance(each, URLResolver):
            found |= addresses(each.url_patterns, address)
        else:
            assert each.name
            found[each.name] = address

    return found
