"""Roles are proposed from the names of columns; contents only raise doubts."""

import pytest

from tercet.analysis.roles.roles import Role, role_of_name


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Input.image_url", Role.IMAGE),
        ("Bild", Role.IMAGE),
        ("référence", Role.REFERENCE),
        ("ref1", Role.REFERENCE),
        ("Beschreibung A", Role.CAPTION),
        ("légende 2", Role.CAPTION),
        ("Urteil", Role.CHOICE),
        ("a_is_better", Role.CHOICE),
        ("preferred_caption", Role.CHOICE),
        ("WorkerId", Role.ANNOTATOR),
        ("Prolific ID", Role.ANNOTATOR),
        ("caption_score", Role.RATING),
        ("WorkTimeInSeconds", Role.SECONDS),
        ("Herkunft", Role.ORIGIN),
        ("AssignmentStatus", Role.LEAVE_OUT),
        ("Bemerkung", Role.UNUSED),
        ("Camel", None),
        ("chi", None),
    ],
)
def test_a_name_says_the_role(name: str, role: Role | None) -> None:
    assert role_of_name(name) == role
