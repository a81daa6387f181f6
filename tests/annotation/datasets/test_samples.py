"""The sample files of the upload page are what it says of them."""

from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tercet.annotation.models import Upload
from tests.annotation.datasets.test_upload_views import check, figures
from tests.support.pages import squeeze

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]

SAMPLES = Path(settings.BASE_DIR) / "static" / "samples"


@pytest.mark.parametrize(
    ("names", "counts"),
    [
        ("wide-table", {"images": "3", "references": "9", "pairs": "3"}),
        ("references pairs", {"images": "2", "references": "6", "pairs": "2"}),
        (
            "references candidates",
            {"images": "2", "references": "6", "candidates": "6"},
        ),
        (
            "references pairs votes",
            {"images": "2", "references": "6", "pairs": "2", "votes": "6"},
        ),
        ("references ratings", {"images": "2", "references": "6"}),
    ],
)
def test_a_sample_is_valid(office: Client, names: str, counts: dict[str, str]) -> None:
    files = []
    for name in names.split():
        content = (SAMPLES / f"{name}.csv").read_bytes()
        files.append(SimpleUploadedFile(f"{name}.csv", content))
    office.post(reverse("upload"), {"file": files})

    assert figures(check(office, Upload.objects.get())) == counts


def test_the_page_links_every_sample(office: Client) -> None:
    page = office.get(reverse("upload")).text
    for path in SAMPLES.iterdir():
        assert f"samples/{path.name}" in page


def test_the_page_says_that_a_wide_table_may_have_votes(office: Client) -> None:
    shown = squeeze(office.get(reverse("upload")).text)
    assert "references, captions of systems and votes in columns" in shown
