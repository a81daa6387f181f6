"""What a metric from outside is, and what its author may declare."""

from typing import Any

import pytest

from tercet.metrics import metric
from tests.metrics.outside.own_metrics import covered, overlap


def test_a_function_becomes_a_metric_of_its_own_name() -> None:
    @metric()
    def first_word(candidate: str, reference: str) -> bool:
        return candidate.split()[0] == reference.split()[0]

    assert first_word.name == "first_word"
    assert first_word.combine == "mean"


def test_a_signature_states_all_that_is_declared() -> None:
    stated = dict(part.split(":") for part in covered.signature.split("|"))

    assert stated["combine"] == "set"
    assert stated["bounds"] == "0 1"
    assert stated["trained_on"] == "undeclared"
    assert stated["version"].startswith("sha256-")
    assert "trained_on:none" in overlap.signature
    assert "version:1|" in overlap.signature


def test_without_a_version_another_source_has_another_signature() -> None:
    one = metric(lambda candidate, reference: 1.0, name="same")
    other = metric(lambda candidate, reference: 2.0, name="same")

    assert one.stated_version != other.stated_version


@pytest.mark.parametrize(
    ("declared", "fault"),
    [
        ({"combine": "median"}, "combine must be one of mean, max, set, none"),
        ({"needs": ("sound",)}, "needs must be"),
        ({"needs": ("image",)}, 'takes combine="none"'),
        ({"bounds": (1, 0)}, "bounds must be two numbers, the lower first"),
        ({"resolution": -1}, "resolution must be a number from 0"),
        ({"variants_tried": 0}, "variants_tried must be a whole number from 1"),
        ({"batch": True}, "batch must be a whole number from 1"),
        ({"name": "a|b"}, "the name 'a|b' cannot be used"),
    ],
)
def test_what_cannot_be_followed_is_refused(
    declared: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ValueError, match=fault.replace("(", r"\(").replace("|", r"\|")):
        metric(overlap.compare, **{"name": "mine", **declared})


def test_an_unknown_declaration_is_refused_with_the_closest_that_there_is() -> None:
    fault = r"higher_is_beter cannot be declared: did you mean higher_is_better\?"
    with pytest.raises(TypeError, match=fault):
        metric(overlap.compare, higher_is_beter=True)  # type: ignore[call-overload]


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="compare must be a function, not 3"):
        metric(3)  # type: ignore[call-overload]
