"""An authenticator app (RFC 6238), and setting one up."""

import hmac
import re
import struct
import time
from base64 import b32decode

from django.test import Client
from django.urls import reverse


def code_of(secret: str) -> str:
    """What the app shows now."""
    step = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.digest(b32decode(secret), step, "sha1")
    start = digest[-1] & 15
    (number,) = struct.unpack(">I", digest[start : start + 4])
    return f"{(number & 0x7FFFFFFF) % 1_000_000:06}"


def set_up(browser: Client) -> tuple[str, list[str]]:
    """Set up an app; return its secret and the recovery codes."""
    page = browser.get(reverse("second_factor")).text
    assert "<svg" in page

    (secret,) = set(re.findall(r"secret=([A-Z2-7]+)", page))
    done = browser.post(reverse("second_factor"), {"token": code_of(secret)}).text
    assert "The second factor is on" in done

    return secret, re.findall(r"<code>(\w+)</code>", done)
