import csv
import json
import zipfile
from dataclasses import replace
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path
from shutil import rmtree
from typing import Any

import pandas as pd
import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from tercet.analysis.dataset.folder import load
from tercet.analysis.figures.formats import unbroken
from tercet.analysis.findings import definitions
from tercet.analysis.report.files import files_of
from tercet.analysis.report.tables import cut
from tercet.analysis.report.view import FindingView, PlotView
from tercet.analysis.scoring.options import Options
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.formats import whole_names
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import vote
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import (
    Dataset,
    Evaluation,
    Image,
    Pair,
    Question,
    Role,
    Study,
    Worker,
)
from tercet.annotation.models.answer import Side
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.study import Rank, State
from tercet.annotation.results import tasks, views
from tercet.annotation.results.report_page import report_in
from tercet.annotation.results.tasks import PAUSE, Asked, compute, request_evaluation
from tercet.annotation.results.views import FILES
from tercet.annotation.studies.creation import create_study
from tercet.lab.tuples.finding import NO_PARSER
from tests.annotation.full import full_folder
from tests.support.folders import contents, dataset_folder
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


def page(office: Client, study: Study, name: str = "study") -> str:
    return squeeze(office.get(reverse(name, args=[study.name])).text)


def file(office: Client, study: Study, name: str) -> bytes:
    response = office.get(reverse("study_file", args=[study.name, name]))
    assert response.status_code == 200

    return response.getvalue()


def fields(dataset: Dataset, /, **changes: object) -> dict[str, object]:
    usual = {
        "title": "New",
        "protocol": "triplet",
        "votes": 3,
        "references": "",
        "seed": 0,
    }
    return {"dataset": dataset.pk} | usual | changes


# Making a study


def test_a_study_is_made_from_the_form(office: Client, dataset: Dataset) -> None:
    answer = office.post(
        reverse("study_new"), fields(dataset, votes=5, references=2), follow=True
    )
    row = Study.objects.get()

    assert answer.redirect_chain == [(row.get_absolute_url(), 302)]
    assert "Created 8 questions." in answer.getvalue().decode()
    assert (row.votes, row.references, row.created_by) == (5, 2, answer.context["user"])


def test_the_form_begins_with_the_dataset_one_came_from(
    office: Client, dataset: Dataset
) -> None:
    shown = (
        office.get(reverse("study_new"), {"dataset": dataset.pk}).getvalue().decode()
    )

    assert f'<option value="{dataset.pk}" selected>' in shown


@pytest.mark.parametrize("nonsense", ["x", "-1", "99999999999999999999", "1'"])
def test_a_nonsense_dataset_in_the_address_is_ignored(
    office: Client, dataset: Dataset, nonsense: str
) -> None:
    assert office.get(reverse("study_new"), {"dataset": nonsense}).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"votes": 0},
        {"votes": 2**31},
        {"votes": "three"},
        {"references": 0},
        {"references": -1},
        {"seed": -1},
        {"seed": 2**31},
        {"protocol": "duel"},
        {"title": "x" * 2001},
        {"dataset": ""},
        {"dataset": 99},
        {"protocol": "pairwise"},
    ],
)
def test_a_study_that_cannot_be_is_not_made(
    office: Client, dataset: Dataset, changes: dict[str, object]
) -> None:
    response = office.post(reverse("study_new"), fields(dataset, **changes))
    assert response.status_code == 422
    assert 'class="errorlist' in response.getvalue().decode()
    assert not Study.objects.exists()


def test_a_dataset_without_pairs_is_told_in_the_form(
    office: Client, dataset: Dataset
) -> None:
    dataset.pairs.all().delete()
    response = office.post(reverse("study_new"), fields(dataset))

    assert response.status_code == 422
    assert "small has no pairs yet" in response.getvalue().decode()


def test_a_pairwise_study_is_made_where_there_are_pictures(
    office: Client, dataset: Dataset
) -> None:
    Image.objects.update(url="https://example.org/picture.png")
    form = fields(dataset, protocol="pairwise")
    shown = office.post(reverse("study_new"), form, follow=True).getvalue().decode()

    assert "Created 4 questions." in shown
    assert Study.objects.get().questions.count() == 4


# The list


def test_the_list_shows_how_far_each_study_is(
    office: Client, study: Study, voted: Study
) -> None:
    shown = office.get(reverse("studies")).getvalue().decode()
    assert "0 of 36 votes, 0\N{NO-BREAK SPACE}%" in shown
    assert "36 of 36 votes, 100\N{NO-BREAK SPACE}%" in shown


def test_an_empty_list_shows_the_way(office: Client) -> None:
    assert reverse("upload") in office.get(reverse("studies")).getvalue().decode()


# The results page and its states


def test_a_study_without_votes_asks_for_annotators(
    office: Client, study: Study
) -> None:
    shown = page(office, study)
    assert "No votes yet. Send the shared link" in shown
    assert reverse("study_people", args=[study.name]) in shown
    assert "Winners by category" not in shown


def test_votes_without_an_evaluation_are_not_computed_yet(
    office: Client, voted: Study
) -> None:
    shown = page(office, voted)
    assert "Not computed yet." in shown
    assert "Compute results" in shown


def test_a_study_with_all_votes_offers_to_close_it(
    office: Client, voted: Study
) -> None:
    Study.objects.update(state="open")
    shown = page(office, voted)

    assert "All votes are in" in shown
    assert "Close the study</button>" in shown
    assert "Invite annotators" not in shown

    Study.objects.update(state="closed")
    assert "Close the study</button>" not in page(office, voted)


@pytest.mark.parametrize(
    ("state", "title"),
    [("closed", "The study has ended."), ("paused", "The study is paused")],
)
def test_nobody_is_invited_to_a_study_in_which_nobody_can_judge(
    office: Client, study: Study, state: str, title: str
) -> None:
    assert "Invite annotators" in page(office, study)

    Study.objects.update(state=state)
    shown = page(office, study)

    assert title in shown
    assert "Invite annotators" not in shown
    assert "Send the shared link" not in shown


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (
            "closed",
            "The study is closed and incomplete: 11 of 12 questions have all their votes.",
        ),
        (
            "open",
            "The study is not complete: 11 of 12 questions have all their votes so far.",
        ),
    ],
)
def test_a_study_that_lacks_votes_says_so_before_the_answer(
    office: Client, evaluated: Study, state: str, told: str
) -> None:
    Study.objects.update(state=state)
    shown = page(office, evaluated)

    assert "questions have all their votes" not in shown

    question = evaluated.questions.first()
    assert question
    Question.objects.filter(pk=question.pk).update(answers=F("needed") - 1)

    shown = page(office, evaluated)
    assert shown.index(told) < shown.index('id="answer"')
    assert told in page(office, evaluated, "study_status")


def test_a_closed_study_that_has_all_votes_says_that_it_is_closed(
    office: Client, evaluated: Study
) -> None:
    Study.objects.update(state="closed")
    shown = page(office, evaluated)
    told = "The study is closed, with all votes that it needs."

    assert shown.index(told) < shown.index('id="answer"')


def test_the_list_tells_which_closed_studies_lack_votes(
    office: Client, study: Study
) -> None:
    address = reverse("studies")
    told = "Closed before all votes were in."

    assert told not in office.get(address).getvalue().decode()

    Study.objects.update(state="closed")
    assert told in office.get(address).getvalue().decode()


def test_the_button_asks_the_worker(office: Client, voted: Study) -> None:
    answer = office.post(reverse("study_evaluate", args=[voted.name]))
    assert answer["Location"] == f"{voted.get_absolute_url()}#results"

    shown = page(office, voted)
    assert "Waiting for the background worker" in shown

    office.post(reverse("study_evaluate", args=[voted.name]))
    assert Evaluation.objects.count() == 1


def test_the_reference_counts_of_a_result_can_be_chosen(
    office: Client, voted: Study
) -> None:
    address = reverse("study_evaluate", args=[voted.name])
    office.post(address, {"counts": " 1-2 "})

    assert Evaluation.objects.get().counts == "1-2"
    assert 'value="1-2"' in page(office, voted)

    office.post(address)  # an open page, which does not choose
    assert Evaluation.objects.get().counts == "1-2"

    office.post(address, {"counts": ""})
    assert Evaluation.objects.get().counts == ""


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ("two", "“two” is no list of reference counts."),
        ("0", "“0” is no list of reference counts."),
        (
            "1,99",
            "This study has too few references for 99. Give reference counts up to 3.",
        ),
    ],
)
def test_reference_counts_that_do_not_exist_are_refused(
    office: Client, voted: Study, counts: str, told: str
) -> None:
    address = reverse("study_evaluate", args=[voted.name])
    shown = office.post(address, {"counts": counts}, follow=True).getvalue().decode()

    assert escape(told) in shown
    assert not Evaluation.objects.exists()


def test_a_count_that_some_images_have_can_be_chosen(
    office: Client, voted: Study
) -> None:
    image = voted.dataset.images.first()
    assert image is not None
    image.references.create(number=4, caption="a fourth caption")
    Pair.objects.update(category="HC")

    shown = page(office, voted)
    assert "This study has 1 to 4." in shown
    assert "1 of 2 images has fewer than 4: its pairs are left out" in shown

    office.post(reverse("study_evaluate", args=[voted.name]), {"counts": "4"})
    assert Evaluation.objects.get().counts == "4"


def test_no_count_is_offered_that_one_category_lacks(
    office: Client, voted: Study
) -> None:
    pair = Pair.objects.order_by("pk")[0]
    pair.image.references.create(number=4, caption="a fourth caption")
    pair.image.pairs.update(category="HC")

    Pair.objects.exclude(image=pair.image).update(category="MM")

    assert "This study has 1 to 3." in page(office, voted)

    address = reverse("study_evaluate", args=[voted.name])
    shown = office.post(address, {"counts": "4"}, follow=True).getvalue().decode()

    assert "Give reference counts up to 3." in shown


def test_a_running_evaluation_keeps_its_reference_counts(
    office: Client, voted: Study
) -> None:
    request_evaluation(voted)
    Evaluation.objects.update(state=JobState.RUNNING)
    address = reverse("study_evaluate", args=[voted.name])

    shown = office.post(address, {"counts": "1"}, follow=True).getvalue().decode()
    assert "Try again when they are done." in shown


def test_closing_a_study_starts_its_result_once(office: Client, study: Study) -> None:
    study.questions.update(answers=3)
    address = reverse("study_state", args=[study.name])
    said = []

    for state in ("open", "closed", "open", "closed"):
        shown = office.post(address, {"state": state}, follow=True).getvalue().decode()
        said.append("Its results are being computed." in shown)

    assert said == [False, True, False, False]
    assert Evaluation.objects.count() == 1
    assert "Started automatically when the study ended." in page(office, study)


@pytest.mark.usefixtures("few_metrics")
def test_a_result_with_other_options_than_usual_says_so(
    office: Client, voted: Study
) -> None:
    evaluation = request_evaluation(voted, Asked("1"))
    compute.call(evaluation.pk)
    shown = page(office, voted)

    assert "Computed with non-default options: " in shown
    assert "metrics, reference counts 1, " in shown
    assert "Compute again for the usual result." in shown

    change(evaluation.folder, options=vars(Options(counts=(1,))))
    shown = page(office, voted)

    assert "Computed with non-default options: reference counts 1." in shown
    assert "Compute again for the usual result." not in shown


@pytest.mark.parametrize("name", ["study", "study_status"])
def test_a_running_evaluation_shows_how_far_it_is(
    office: Client, voted: Study, name: str
) -> None:
    evaluation = request_evaluation(voted)
    Worker.objects.create(name="worker", heard_at=timezone.now())
    Evaluation.objects.filter(pk=evaluation.pk).update(
        state=JobState.RUNNING, progress=0.375, message="Order 3 of <20>"
    )

    shown = page(office, voted, name)
    assert "Computing results. Order 3 of &lt;20&gt;" in shown
    assert 'value="0.375"' in shown


@pytest.mark.parametrize("name", ["study", "study_status"])
def test_an_evaluation_whose_worker_is_gone_waits_for_another(
    office: Client, voted: Study, name: str
) -> None:
    evaluation = request_evaluation(voted)
    Evaluation.objects.filter(pk=evaluation.pk).update(
        state=JobState.RUNNING, created_at=timezone.now() - timedelta(seconds=90)
    )
    shown = page(office, voted, name)

    assert "Waiting for the background worker" in shown
    assert "python manage.py db_worker" in shown


def test_a_failed_evaluation_tells_why_and_can_be_asked_for_again(
    office: Client, study: Study
) -> None:
    compute.call(request_evaluation(study).pk)
    shown = page(office, study)

    assert "No pair has a winner yet" in shown
    assert reverse("study_evaluate", args=[study.name]) in shown


def test_the_results_are_shown_with_winners_plot_and_accuracies(
    office: Client, evaluated: Study
) -> None:
    shown = page(office, evaluated)
    assert "Based on 36 votes" in shown
    for text in (
        "Winners by category",
        "files/accuracy.svg",
        "files/accuracy.pdf",
        '<svg viewBox="0 0 400 300"></svg>',
    ):
        assert text in shown, text

    for category in ("HC", "HI", "HM", "MM"):
        assert (
            f'?category={category}">{category}</a></th><td class="number">1</td>'
            in shown
        )
    assert "with 3 references" in shown
    assert "since." not in shown
    assert ">nan<" not in shown


@pytest.mark.usefixtures("few_metrics")
@pytest.mark.parametrize("language", ["en-GB", "de-AT"])
def test_results_on_another_language_begin_with_the_metrics_that_are_english(
    office: Client, voted: Study, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    compared = replace(tasks.DEFAULTS, metrics=("BLEU-1", "ROUGE-L", "METEOR"))
    monkeypatch.setattr(tasks, "DEFAULTS", compared)
    Study.objects.update(language=language)
    compute.call(request_evaluation(voted).pk)
    shown = page(office, voted)

    before, _title, _after = shown.partition('id="answer-title"')
    told = (
        "METEOR uses English resources, and the captions are in the language “de”: do"
    )
    assert (told in before) == (language == "de-AT")


def test_what_a_reader_has_to_be_warned_of_is_said(
    office: Client, evaluated: Study
) -> None:
    folder = evaluated.evaluations.get().folder
    report = report_in(folder)
    assert report

    assert report.answer

    answer = replace(report.answer, reservations=["Said before the answer."])
    change(folder, remarks=["Pairs are unfinished."], answer=answer)
    shown = page(office, evaluated)

    assert shown.index("Said before the answer.") < shown.index("Pairs are unfinished.")


def test_headline_metrics_come_first_and_all_of_them_behind_a_disclosure(
    office: Client, evaluated: Study
) -> None:
    before, title, after = page(office, evaluated).partition("All 21 metrics</h3>")
    assert title

    assert 'data-metric="CIDEr-D"' in before
    assert 'data-metric="CIDEr-exp"' not in before
    assert '<th scope="row">CIDEr-exp</th>' in after


FOR_READERS = {NO_PARSER: "A package that this takes is not installed"}
"""What readers of a site see instead, who cannot install anything."""


SILENT = {"outside", "raters", "worth"}
"""Findings that say nothing without metrics from outside, ratings, or origins."""


def test_every_finding_is_linked_at_the_top_or_not_applicable(
    office: Client, evaluated: Study
) -> None:
    shown = page(office, evaluated)
    described = json.loads(file(office, evaluated, "report.json"))["findings"]

    expected = [name for name in definitions() if name not in SILENT]
    assert [each["name"] for each in described][: len(expected)] == expected

    for each in described[1:]:  # the first, the answer, has a section of its own
        if each["reason"]:
            reason = FOR_READERS.get(each["reason"], each["reason"])
            assert escape(each["title"]) in shown
            assert shown.count(escape(reason)) == 1

            continue

        assert f'<h3 id="{each["name"]}-title">{each["title"]}</h3>' in shown
        assert f'id="{each["name"]}"' in shown
        assert whole_names(unbroken(each["meaning"])) in shown
        assert all(escape(note) in shown for note in each["notes"])

        for name in each["tables"]:
            has_columns = file(office, evaluated, f"{name}.csv").strip() != b""
            assert (f"files/{name}.csv" in shown) is has_columns, name

        for name in each["plots"]:
            if name.startswith("group-"):  # on the first screen
                continue
            assert f"files/{name}.svg" in shown
            assert (f"files/{name}.pdf" in shown) is (name == "accuracy")


def test_a_report_without_a_list_of_findings_is_to_be_computed_again(
    office: Client, evaluated: Study
) -> None:
    report = evaluated.evaluations.get().folder / "report.json"
    old = json.loads(report.read_text())
    del old["findings"]
    report.write_text(json.dumps(old))

    shown = page(office, evaluated)
    assert "made by an earlier version. Compute the results again" in shown
    assert "Winners by category" not in shown


def change(folder: Path, **values: Any) -> None:
    """Change what a stored report shows."""
    report = report_in(folder)
    assert report
    changed = replace(report, **values)
    (folder / "view.json").write_text(changed.as_json())


@pytest.mark.parametrize("damaged", ["view.json", "report.json"])
@pytest.mark.parametrize(
    "content", [None, b"", b"\x00\xff", b"a,b\n1\n", b"[]", b'{"findings": 1}']
)
def test_a_damaged_report_is_to_be_computed_again(
    office: Client, evaluated: Study, damaged: str, content: bytes | None
) -> None:
    path = evaluated.evaluations.get().folder / damaged
    path.unlink() if content is None else path.write_bytes(content)
    assert "Compute the results again" in page(office, evaluated)


@pytest.mark.parametrize("content", [None, b"", b"\n", b"\x00\xff", b'a,b\n"1,2'])
@pytest.mark.parametrize("damaged", ["accuracy.csv", "agreement.csv", "agreement.svg"])
def test_what_is_lost_of_a_finding_leaves_the_rest_of_the_page(
    office: Client, evaluated: Study, damaged: str, content: bytes | None
) -> None:
    path = evaluated.evaluations.get().folder / damaged
    path.unlink() if content is None else path.write_bytes(content)
    shown = page(office, evaluated)

    assert "Winners by category" in shown
    assert 'id="planning"' in shown

    if content is None:
        told = f"Files of the report are missing: {damaged}. Compute the results again."
        assert told in shown


def test_what_a_report_says_is_never_markup(office: Client, evaluated: Study) -> None:
    folder = evaluated.evaluations.get().folder
    hostile = "<script>alert(1)</script>"
    frame = pd.DataFrame({hostile: [hostile], "value": [1]})
    kinds = ("title", "source", "meaning", "sentence", "headline")
    words = dict.fromkeys(kinds, hostile)
    finding = FindingView(
        **words,
        name="people",
        reservations=[hostile],
        notes=[hostile],
        error=hostile,
        tables=[cut("people", frame, 1, [], 1)],
        plots=[PlotView("margins", hostile, hostile, [])],
        texts=[],
    )

    change(folder, findings=[finding], answer=finding, title=hostile, remarks=[hostile])
    assert "<script>alert" not in page(office, evaluated)


def test_the_other_study_of_a_report_is_named(office: Client, evaluated: Study) -> None:
    other = create_study(Study(dataset=evaluated.dataset, title="The other one"))
    folder = evaluated.evaluations.get().folder
    report = report_in(folder)
    assert report
    protocols = replace(report.findings[0], name="protocols")
    change(folder, findings=[protocols], other_study=other.name)

    shown = page(office, evaluated)
    assert (
        f'Compared with <a href="{other.get_absolute_url()}">The other one</a>' in shown
    )

    Study.objects.filter(pk=other.pk).update(name="renamed")
    assert f"<code>{other.name}</code>, which no longer exists" in page(
        office, evaluated
    )


def test_votes_that_came_since_are_told(office: Client, evaluated: Study) -> None:
    add_vote(evaluated)
    for name in ("study", "study_status"):
        assert "These are not the votes that count now:" in page(
            office, evaluated, name
        )


def test_the_pieces_asked_for_again_count_votes(office: Client, voted: Study) -> None:
    shown = page(office, voted, "study_status")
    assert 'Votes</dt><dd>36 <span class="whole">of 36</span></dd>' in shown
    assert "Not computed yet." in shown


@pytest.mark.parametrize("name", ["study", "study_status"])
def test_a_new_evaluation_is_due_a_while_after_the_last_where_votes_came(
    office: Client, evaluated: Study, name: str
) -> None:
    def is_due() -> bool:
        return "data-due" in page(office, evaluated, name)

    Evaluation.objects.update(finished_at=timezone.now() - PAUSE)
    assert not is_due()

    add_vote(evaluated)
    assert is_due()

    Evaluation.objects.update(finished_at=timezone.now())
    assert not is_due()


def add_vote(study: Study) -> None:
    """One vote more than the questions needed; the study was closed, as its votes came in."""
    Study.objects.filter(pk=study.pk).update(state=State.OPEN)
    one = study.questions.first()
    assert one is not None
    study.questions.filter(pk=one.pk).update(needed=4)
    lease = claim(new_annotator(study))
    assert lease is not None
    vote(lease.key, Side.LEFT)


def test_the_last_results_stay_while_new_ones_are_computed_or_fail(
    office: Client, evaluated: Study
) -> None:
    again = request_evaluation(evaluated)
    shown = page(office, evaluated)

    assert "Waiting for the background worker" in shown
    assert "Winners by category" in shown

    Evaluation.objects.filter(pk=again.pk).update(
        state=JobState.FAILED, message="No more disk"
    )
    shown = page(office, evaluated)

    assert "No more disk" in shown
    assert "Winners by category" in shown


def test_results_whose_report_was_removed_are_no_crash(
    office: Client, evaluated: Study
) -> None:
    rmtree(evaluated.evaluations.get().folder)
    shown = page(office, evaluated)

    assert "Winners by category" not in shown

    response = office.get(reverse("study_file", args=[evaluated.name, "accuracy.csv"]))
    assert response.status_code == 404


@pytest.mark.usefixtures("few_metrics")
def test_results_of_one_category_and_one_image_are_shown(
    office: Client, tmp_path: Path
) -> None:
    folder = dataset_folder(
        tmp_path / "one",
        references=[("dog", "a dog runs")],
        pairs=[("p1", "dog", "a dog", "a cat", "HM")],
        votes=[("p1", 1, "kim", "B")],
    )
    one = import_dataset(load(folder), "one", folder).studies.get()
    compute.call(request_evaluation(one).pk)

    shown = page(office, one)
    assert '?category=HM">HM</a></th>' in shown
    assert "with 1 reference," in shown
    assert ">nan<" not in shown


@pytest.mark.usefixtures("few_metrics")
def test_results_of_a_pairwise_study_are_shown(
    office: Client, dataset: Dataset
) -> None:
    Image.objects.update(url="https://example.org/picture.png")
    row = create_study(
        Study(dataset=dataset, title="Which?", protocol="pairwise", votes=1)
    )
    person = new_annotator(row)
    while lease := claim(person):
        vote(lease.key, lease.b_side)

    compute.call(request_evaluation(row).pk)
    shown = page(office, row)

    assert "Based on 4 votes" in shown
    assert "Winners by category" in shown


def test_what_a_study_is_called_is_never_markup(office: Client, study: Study) -> None:
    Study.objects.update(title="<script>alert(1)</script>")
    shown = page(office, study) + office.get(reverse("studies")).getvalue().decode()
    assert "<script>alert" not in shown


# Files


def test_every_file_of_the_report_can_be_downloaded(
    office: Client, evaluated: Study, results: Path
) -> None:
    assert {"accuracy.csv", "table.tex", "index.html", "gains.svg"} <= files_of(results)
    for name in files_of(results):
        assert file(office, evaluated, name) == (results / name).read_bytes(), name


def test_the_table_for_latex_is_offered_below_the_main_plot(
    office: Client, evaluated: Study
) -> None:
    _before, _title, shown = page(office, evaluated).partition('id="accuracy"')
    finding, _title, _after = shown.partition('id="table-title"')
    assert reverse("study_file", args=[evaluated.name, "table.tex"]) in finding


def test_a_table_for_a_paper_has_the_chosen_metrics_and_counts(
    office: Client, evaluated: Study
) -> None:
    address = reverse("study_file", args=[evaluated.name, "paper.md"])
    chosen = office.get(address, {"row": ["CIDEr", "METEOR"], "column": "2"}).text
    assert chosen.startswith("| metric | 2 |\n")
    assert "CIDEr | " in chosen
    assert "BLEU-4" not in chosen

    whole = office.get(address, {"row": "nothing", "category": "HC"}).text
    assert whole.startswith("| metric | 1 | 2 | 3 |\n")
    assert "category HC" in whole

    for name, begin in (("tex", "% Packages: booktabs"), ("csv", "metric,category,")):
        assert file(office, evaluated, f"paper.{name}").decode().startswith(begin)


def test_a_table_that_is_wider_than_a_column_is_refused(
    office: Client, evaluated: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MAX_COUNTS", 1)
    address = reverse("study_file", args=[evaluated.name, "paper.tex"])
    shown = office.get(address, follow=True).text
    assert "At most 1 reference counts fit into a column of a paper." in shown


def test_without_results_there_is_no_table_for_a_paper(
    office: Client, study: Study
) -> None:
    address = reverse("study_file", args=[study.name, "paper.tex"])
    assert office.get(address).status_code == 404


def test_the_whole_report_is_a_zip(
    office: Client, evaluated: Study, results: Path
) -> None:
    with zipfile.ZipFile(BytesIO(file(office, evaluated, "report.zip"))) as archive:
        assert archive.testzip() is None

        folder = f"{evaluated.name}-report"
        assert set(archive.namelist()) == {
            f"{folder}/{name}" for name in (*files_of(results), "VOTES.txt")
        }
        assert (
            archive.read(f"{folder}/table.csv") == (results / "table.csv").read_bytes()
        )


def test_the_numbers_on_disk_are_those_of_the_votes(
    office: Client, evaluated: Study
) -> None:
    winners = list(
        csv.DictReader(StringIO(file(office, evaluated, "winners.csv").decode()))
    )

    assert [row["winner"] for row in winners] == ["B"] * 4

    report = json.loads(file(office, evaluated, "report.json"))
    assert report["votes"] == 36


@pytest.mark.parametrize(
    ("name", "kind", "shown"),
    [
        ("accuracy.svg", "image/svg+xml", False),
        ("accuracy-narrow.svg", "image/svg+xml", False),
        ("index.html", "text/html", True),
        ("accuracy.csv", "text/csv", False),
        ("accuracy.pdf", "application/pdf", False),
        ("accuracy.png", "image/png", False),
        ("table.md", "text/markdown", False),
        ("table.tex", "text/x-tex", False),
        ("report.zip", "application/zip", False),
    ],
)
def test_only_the_page_of_a_report_is_shown_and_nothing_of_it_can_run(
    office: Client, evaluated: Study, name: str, kind: str, shown: bool
) -> None:
    response = office.get(reverse("study_file", args=[evaluated.name, name]))
    response.getvalue()

    assert response["Content-Type"].partition(";")[0] == kind
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"].startswith(
        "inline" if shown else "attachment"
    )

    if name != "report.zip":
        assert response["Content-Security-Policy"].startswith(
            "sandbox; default-src 'none'"
        )


def test_before_an_evaluation_there_are_votes_and_the_dataset(
    office: Client, voted: Study
) -> None:
    rows = list(csv.DictReader(StringIO(file(office, voted, "votes.csv").decode())))
    assert len(rows) == 36

    with zipfile.ZipFile(BytesIO(file(office, voted, "dataset.zip"))) as archive:
        assert f"{voted.name}/votes.csv" in archive.namelist()
    for name in FILES:
        response = office.get(reverse("study_file", args=[voted.name, name]))
        assert response.status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        "secret-key",
        "..",
        "accuracy",
        "ACCURACY.CSV",
        "report.json%00",
        "page/",
        "page/../secret-key",
        "page/..%2Fsecret-key",
        "..%2F..%2Fsecret-key",
        "%2Fetc%2Fpasswd",
    ],
)
def test_no_other_file_is_served(office: Client, evaluated: Study, name: str) -> None:
    (evaluated.evaluations.get().folder / "secret-key").write_text("secret")
    assert office.get(f"/studies/{evaluated.name}/files/{name}").status_code == 404


@pytest.mark.parametrize(
    "name", ["../secret-key", "/etc/passwd", "page/../secret-key", "..", ""]
)
def test_not_even_where_the_report_lists_it(
    office: Client, evaluated: Study, name: str
) -> None:
    folder = evaluated.evaluations.get().folder
    (folder.parent / "secret-key").write_text("secret")
    described = json.loads((folder / "report.json").read_text())
    described["findings"][0] |= {"texts": [name], "tables": [name], "plots": [name]}

    (folder / "report.json").write_text(json.dumps(described))
    assert office.get(f"/studies/{evaluated.name}/files/{name}").status_code == 404
    assert page(office, evaluated)


def test_the_dataset_folder_of_a_study_is_what_was_imported(
    office: Client, tmp_path: Path
) -> None:
    folder = full_folder(tmp_path / "full")
    row = import_dataset(load(folder), "full", folder).studies.get()
    with zipfile.ZipFile(BytesIO(file(office, row, "dataset.zip"))) as archive:
        archive.extractall(tmp_path / "out")

    assert contents(tmp_path / "out" / row.name) == contents(folder)


# The export


def test_the_page_offers_the_export_and_owners_the_one_with_names(
    office: Client, voted: Study, person: User, client: Client
) -> None:
    link = f"{reverse('study_file', args=[voted.name, 'export.zip'])}"
    assert f'href="{link}"' in page(office, voted)
    assert f'href="{link}?names=yes"' in page(office, voted)

    Role.objects.create(study=voted, user=person, rank=Rank.RESEARCHER)
    client.force_login(person)

    assert f'href="{link}"' in page(client, voted)
    assert "names=yes" not in page(client, voted)


def test_the_export_is_streamed_and_noted_nowhere(office: Client, voted: Study) -> None:
    response = office.get(reverse("study_file", args=[voted.name, "export.zip"]))
    assert isinstance(response, StreamingHttpResponse)

    assert response["Content-Type"] == "application/zip"
    assert f'filename="{voted.name}-export.zip"' in response["Content-Disposition"]

    with zipfile.ZipFile(BytesIO(response.getvalue())) as archive:
        assert f"{voted.name}/DICTIONARY.csv" in archive.namelist()

    assert voted.events.get().what == "imported"


def test_an_export_with_names_is_for_owners_and_noted_in_the_log(
    client: Client, person: User, voted: Study
) -> None:
    voted.annotators.filter(name="annotator 0").update(label="Kim Doe")
    role = Role.objects.create(study=voted, user=person, rank=Rank.RESEARCHER)
    client.force_login(person)

    address = reverse("study_file", args=[voted.name, "export.zip"])
    assert client.get(address, {"names": "yes"}).status_code == 403

    voted.events.all().delete()
    role.rank = Rank.OWNER
    role.save()

    response = client.get(address, {"names": "yes"})
    assert "-export-with-names.zip" in response["Content-Disposition"]

    with zipfile.ZipFile(BytesIO(response.getvalue())) as archive:
        assert b"Kim Doe" in archive.read(f"{voted.name}/annotators.csv")

    event = voted.events.get()
    assert (event.by, event.what) == (person, "exported names")


def test_votes_alone_run_in_no_spreadsheet(office: Client, tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a", votes=[("p1", 1, "=cmd", "B")])
    row = import_dataset(load(folder), "a", folder).studies.get()
    [line] = csv.DictReader(StringIO(file(office, row, "votes.csv").decode()))

    assert line["annotator"] == "'=cmd"
