"""Metrics from outside in the results of a study, and which of their versions were tried."""

import json

import pandas as pd
import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tercet.annotation.enabled_metrics import enabled_metrics
from tercet.annotation.models import Evaluation, MetricVariant, Study
from tercet.annotation.models.computation import JobState
from tercet.annotation.results.tasks import Asked, compute, request_evaluation
from tests.annotation.conftest import Enable
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


def page(browser: Client, study: Study) -> str:
    return squeeze(browser.get(study.get_absolute_url()).text)


def report_of(study: Study, *metrics: str) -> dict[str, object]:
    """The provenance of a new evaluation with metrics from outside."""
    evaluation = request_evaluation(study, Asked(metrics=metrics))
    compute.call(evaluation.pk)
    text = (evaluation.folder / "report.json").read_text(encoding="utf-8")
    written: dict[str, object] = json.loads(text)
    return written


def test_without_a_file_no_page_speaks_of_metrics_from_outside(
    office: Client, voted: Study
) -> None:
    assert enabled_metrics() == {}
    assert "Metrics from outside" not in page(office, voted)


@pytest.mark.usefixtures("few_metrics")
def test_a_metric_that_was_chosen_stands_in_the_results(
    enable: Enable, office: Client, voted: Study
) -> None:
    enable()
    assert "Metrics from outside" in page(office, voted)

    address = reverse("study_evaluate", args=[voted.name])
    office.post(address, {"counts": "1", "metrics": ["words"]})
    evaluation = Evaluation.objects.get()
    assert evaluation.metrics == ["words"]

    compute.call(evaluation.pk)
    answer = pd.read_csv(evaluation.folder / "accuracy.csv")
    assert {"CIDEr", "words"} <= set(answer["metric"])

    shown = page(office, voted)
    assert "words?" in shown
    assert "training data undeclared" in shown


def test_metrics_that_are_not_enabled_cannot_be_chosen(
    enable: Enable, office: Client, voted: Study
) -> None:
    enable()
    address = reverse("study_evaluate", args=[voted.name])
    shown = office.post(address, {"counts": "", "metrics": ["letters"]}, follow=True)

    assert "letters is not one of the available choices" in shown.text
    assert not Evaluation.objects.exists()


@pytest.mark.usefixtures("few_metrics")
def test_versions_that_were_tried_on_a_study_are_counted(
    enable: Enable, voted: Study
) -> None:
    counted = []
    for version in ("1", "2", "2"):
        enable(version=version)
        counted.append(report_of(voted, "words")["variants_tried"])

    assert counted == [{"words": 1}, {"words": 2}, {"words": 2}]
    assert MetricVariant.objects.filter(study=voted).count() == 2


def test_a_metric_that_is_enabled_no_longer_is_not_asked_for_again(
    enable: Enable, settings: Settings, voted: Study
) -> None:
    enable()
    request_evaluation(voted, Asked(metrics=("words",)))
    Evaluation.objects.update(state=JobState.DONE)

    assert request_evaluation(voted).metrics == ["words"]

    Evaluation.objects.update(state=JobState.DONE)
    settings.METRICS_FILE = ""
    assert request_evaluation(voted).metrics == []


@pytest.mark.usefixtures("few_metrics")
def test_an_evaluation_says_which_metric_failed(enable: Enable, voted: Study) -> None:
    enable(bounds=[0, 1])
    evaluation = request_evaluation(voted, Asked(metrics=("words",)))
    with pytest.raises(Exception, match="metric words"):
        compute.call(evaluation.pk)

    evaluation.refresh_from_db()
    assert evaluation.state == JobState.FAILED
    assert "metric words" in evaluation.message
