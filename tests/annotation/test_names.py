"""Names that nothing has yet."""

from itertools import islice

import pytest
from django.contrib.auth.models import User

from tercet.annotation.names import first_free, numbered


def test_a_name_is_followed_by_itself_with_numbers_from_2() -> None:
    assert list(islice(numbered("dogs"), 3)) == ["dogs", "dogs-2", "dogs-3"]


def test_a_title_is_cut_so_that_its_number_fits() -> None:
    assert list(islice(numbered("dogs", " ({})", 6), 2)) == ["dogs", "do (2)"]
    assert list(islice(numbered("a dog", " ({})", 5), 2)) == ["a dog", "a (2)"]


@pytest.mark.django_db
def test_the_first_name_that_nothing_has_is_free() -> None:
    for name in ("ann", "ann-2"):
        User.objects.create_user(name)
    assert first_free(numbered("Ann"), User.objects, "username__iexact") == "Ann-3"
    assert first_free(numbered("Ann"), User.objects, "username") == "Ann"
