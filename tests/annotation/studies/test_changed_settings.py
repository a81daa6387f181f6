import pytest
from django.utils.translation import override

from tercet.annotation.models import Dataset, Study
from tercet.annotation.studies.changed_settings import changed_settings
from tercet.annotation.studies.creation import create_draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(dataset: Dataset) -> Study:
    return create_draft(Study(dataset=dataset, title="Mornings"), None)


def test_a_new_study_has_changed_nothing(draft: Study) -> None:
    assert changed_settings(draft) == {}


@pytest.mark.parametrize(
    ("name", "value", "card", "words"),
    [
        (
            "question_order",
            "same",
            "pace",
            "order of the questions: the same for everyone",
        ),
        ("skips", True, "pace", "people may skip a question, with a reason"),
        ("max_judgments", 40, "pace", "judgments per person, at most: 40"),
        ("gold_rate", 0.05, "checks", "share of gold questions: 0.05"),
        ("joins_per_hour", None, "access", "people per IP address and hour: empty"),
        ("accounts", "all", "access", "accounts that may judge: every account"),
        ("steps", ["consent"], "texts", "steps before judging: Consent"),
        ("steps", [], "texts", "steps before judging: none"),
        ("consent", "You will **compare**.", "texts", "consent"),
        ("pay", "x" * 99, "participation", f"pay: {'x' * 39}…"),
    ],
)
def test_what_was_changed_is_said_in_words(
    draft: Study, name: str, value: object, card: str, words: str
) -> None:
    setattr(draft, name, value)
    assert changed_settings(draft) == {card: [words]}


def test_a_number_is_written_in_english(draft: Study) -> None:
    draft.gold_rate = 0.05
    with override("de"):
        [[text]] = changed_settings(draft).values()

    assert text.endswith(": 0.05")
