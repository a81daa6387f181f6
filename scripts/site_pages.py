"""`python -m scripts.site_pages FOLDER`: write every page of a site with the demo to a folder.

Links are followed from the start page, by a visitor and by an administrator; of pages of one kind
the first few. Clock and random numbers are fixed, so that the same code writes the same bytes.
Called by `scripts/digests.py`; DATA_DIR is an empty folder.
"""

import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
PER_KIND = 6
LINK = re.compile(rb'(?:href|src)="(/[^"]*)"')
LEFT_OUT = re.compile("/(static|admin|logout|metrics|readyz|healthz|system)")
"""Not made by our pages, or different from run to run (the state of machine and processes)."""
CHANGING = re.compile(
    rb'(?<=csrfmiddlewaretoken" value=")\w+|(?<=nonce=")[\w-]+'
    rb"|(?<=\.)[0-9a-f]{12}(?=\.\w+)"
)
KEY = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
KEYS: dict[str, int] = {}
STUDY = "demo-triplet"
API = [
    "/api/openapi.json",
    *(f"/api/studies/{STUDY}/{name}" for name in ("progress", "votes", "results")),
]


def main(folder: Path) -> None:
    fix_randomness()
    prepare()

    for name, client in clients().items():
        addresses = API if name == "program" else followed(client)
        (folder / name).mkdir(parents=True)

        for address in addresses:
            file = re.sub(r"\W+", "-", numbered(address)).strip("-") or "start"
            content = CHANGING.sub(b"", page(client, address))
            text = numbered(content.decode("latin-1"))
            (folder / name / file).write_text(text, encoding="latin-1")


def numbered(text: str) -> str:
    """Return a text with a number in the place of each key, by order of appearance."""
    return KEY.sub(lambda found: f"key-{KEYS.setdefault(found[0], len(KEYS))}", text)


def fix_randomness() -> None:
    """Fix what codes, keys and dates are made from, before Django is loaded."""
    generator = random.Random(1)
    random.seed(1)
    os.urandom = generator.randbytes
    random._urandom = generator.randbytes  # type: ignore[attr-defined]

    from django.utils import timezone

    timezone.now = lambda: NOW


def prepare() -> None:
    """Load the demo and compute its results."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tercet.config.settings"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("load_demo", stdout=sys.stderr)
    call_command("db_worker", "--batch", "--no-startup-delay", verbosity=0)


def clients() -> dict[str, Any]:
    """Return the browsers of a visitor and of an administrator, and a program with a token."""
    from django.contrib.auth.models import User
    from django.test import Client

    administrator = Client(SERVER_NAME="localhost")
    administrator.force_login(User.objects.get(is_superuser=True))
    made = administrator.post(f"/studies/{STUDY}/api/").content.decode()
    token = re.search(r"tercet_[\w-]+", made)
    assert token, "The page of a new token does not show it."

    program = Client(
        SERVER_NAME="localhost", headers={"authorization": f"Bearer {token[0]}"}
    )
    return {
        "visitor": Client(SERVER_NAME="localhost"),
        "administrator": administrator,
        "program": program,
    }


def followed(client: Any) -> Iterator[str]:
    """Yield the address of every page that links lead to, from the start page on."""
    waiting, seen = ["/"], set()
    kinds: Counter[str] = Counter()

    while waiting:
        address = waiting.pop(0)
        kind = kind_of(address)
        if address in seen or LEFT_OUT.match(address):
            continue
        if kinds[kind] == PER_KIND:
            continue

        seen.add(address)
        kinds[kind] += 1
        yield address

        for link in LINK.findall(page(client, address)):
            joined = urljoin(address, link.decode().replace("&amp;", "&"))
            waiting.append(urldefrag(joined).url)


def kind_of(address: str) -> str:
    """Return the name of an address's route."""
    from django.urls import Resolver404, resolve

    try:
        return str(resolve(urlsplit(address).path).url_name)
    except Resolver404:
        return "missing"


def page(client: Any, address: str) -> bytes:
    """Return the status and the content of a page."""
    response = client.get(address)
    content = b"".join(response) if response.streaming else response.content
    if location := response.headers.get("Location"):
        content += f'<a href="{location}"></a>'.encode()

    return b"%d %s\n" % (response.status_code, content)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
