import csv
import json
import zipfile
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path
from shutil import copytree

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analysis.evaluation import evaluate
from analysis.folder import load
from analysis.options import Options
from analysis.report import write_report
from annotation.assignment import claim, vote
from annotation.importing import import_dataset
from annotation.models import Dataset, Evaluation, Image, Study
from annotation.models.evaluation import State
from annotation.models.vote import Side
from annotation.people import new_annotator
from annotation.tasks import compute, request_evaluation
from annotation.triplets import create_study
from annotation.views.studies import FILES
from tests.annotation.full import SVG, contents, full_folder
from tests.folders import dataset_folder, three_votes

pytestmark = pytest.mark.django_db


@pytest.fixture
def voted(tmp_path: Path) -> Study:
    """Four pairs, twelve triplets, all 36 votes, two of three for B; no evaluation yet."""
    folder = dataset_folder(tmp_path / "voted", votes=three_votes())
    return import_dataset(load(folder), "voted", folder).studies.get()


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the votes in `voted`, computed once."""
    folder = dataset_folder(tmp_path_factory.mktemp("results") / "voted", votes=three_votes())
    result = evaluate(load(folder), Options(resamples=100))
    write_report(result, folder.parent / "report")
    (folder.parent / "report" / "accuracy-dark.svg").write_text(SVG)
    return folder.parent / "report"


@pytest.fixture
def evaluated(voted: Study, results: Path) -> Study:
    done = Evaluation.objects.create(
        study=voted, state=State.DONE, progress=1, votes=36, finished_at=timezone.now()
    )
    copytree(results, done.folder)
    return voted


def page(office: Client, study: Study, name: str = "study") -> str:
    return office.get(reverse(name, args=[study.name])).getvalue().decode()


def file(office: Client, study: Study, name: str) -> bytes:
    response = office.get(reverse("study_file", args=[study.name, name]))
    assert response.status_code == 200
    return response.getvalue()


def fields(dataset: Dataset, /, **changes: object) -> dict[str, object]:
    usual = {"title": "New", "protocol": "triplet", "votes": 3, "references": "", "seed": 0}
    return {"dataset": dataset.pk} | usual | changes


# Making a study


def test_a_study_is_made_from_the_form(office: Client, dataset: Dataset) -> None:
    answer = office.post(reverse("study_new"), fields(dataset, votes=5, references=2), follow=True)
    row = Study.objects.get()
    assert answer.redirect_chain == [(row.get_absolute_url(), 302)]
    assert "Made 8 triplets." in answer.getvalue().decode()
    assert (row.votes, row.references, row.created_by) == (5, 2, answer.context["user"])


def test_the_form_begins_with_the_dataset_one_came_from(office: Client, dataset: Dataset) -> None:
    shown = office.get(reverse("study_new"), {"dataset": dataset.pk}).getvalue().decode()
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


def test_a_dataset_without_pairs_is_told_in_the_form(office: Client, dataset: Dataset) -> None:
    dataset.pairs.all().delete()
    response = office.post(reverse("study_new"), fields(dataset))
    assert response.status_code == 422
    assert "small has no pairs yet" in response.getvalue().decode()


def test_a_pairwise_study_is_made_where_there_are_pictures(
    office: Client, dataset: Dataset
) -> None:
    Image.objects.update(url="https://example.org/picture.png")
    office.post(reverse("study_new"), fields(dataset, protocol="pairwise"))
    assert Study.objects.get().triplets.count() == 4


# The list


def test_the_list_shows_how_far_each_study_is(office: Client, study: Study, voted: Study) -> None:
    shown = office.get(reverse("studies")).getvalue().decode()
    assert "0 of 36 votes, 0 %" in shown
    assert "36 of 36 votes, 100 %" in shown


def test_an_empty_list_shows_the_way(office: Client) -> None:
    assert reverse("upload") in office.get(reverse("studies")).getvalue().decode()


# The results page and its states


def test_a_study_without_votes_asks_for_annotators(office: Client, study: Study) -> None:
    shown = page(office, study)
    assert "No votes yet: send the join link" in shown
    assert f"http://testserver{reverse('join', args=[study.join_code])}" in shown
    assert "Winners by category" not in shown


def test_votes_without_an_evaluation_are_not_computed_yet(office: Client, voted: Study) -> None:
    shown = page(office, voted)
    assert "Not computed yet." in shown
    assert "Compute the results" in shown


def test_the_button_asks_the_worker(office: Client, voted: Study) -> None:
    answer = office.post(reverse("study_evaluate", args=[voted.name]))
    assert answer["Location"] == f"{voted.get_absolute_url()}#results"
    shown = page(office, voted)
    assert "Waiting for the background worker" in shown
    office.post(reverse("study_evaluate", args=[voted.name]))
    assert Evaluation.objects.count() == 1


@pytest.mark.parametrize("name", ["study", "evaluation"])
def test_a_running_evaluation_shows_how_far_it_is(office: Client, voted: Study, name: str) -> None:
    evaluation = request_evaluation(voted)
    Evaluation.objects.filter(pk=evaluation.pk).update(
        state=State.RUNNING, progress=0.375, message="Order 3 of <20>"
    )
    shown = page(office, voted, name)
    assert "Computing: Order 3 of &lt;20&gt;" in shown
    assert 'value="0.375"' in shown


@pytest.mark.parametrize("name", ["study", "evaluation"])
def test_an_evaluation_whose_worker_is_silent_has_failed(
    office: Client, voted: Study, name: str
) -> None:
    evaluation = request_evaluation(voted)
    Evaluation.objects.filter(pk=evaluation.pk).update(
        state=State.RUNNING, reported_at=timezone.now() - timedelta(seconds=90)
    )
    assert "The worker stopped before it was done." in page(office, voted, name)


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
    assert "From 36 votes" in shown
    for text in ("Winners by category", "accuracy.svg", "accuracy-dark.svg", "CIDEr-D", "BLEU-4"):
        assert text in shown, text
    for category in ("HC", "HI", "HM", "MM"):
        assert f'<th scope="row">{category}</th><td class="number">1</td>' in shown
    assert "at 3 references" in shown
    assert "came since" not in shown
    assert "nan" not in shown


def test_votes_that_came_since_are_told(office: Client, evaluated: Study) -> None:
    one = evaluated.triplets.first()
    assert one is not None
    evaluated.triplets.filter(pk=one.pk).update(needed=4)
    lease = claim(new_annotator(evaluated))
    assert lease is not None
    vote(lease.key, Side.LEFT)
    assert "1 vote came since" in page(office, evaluated)


def test_the_last_results_stay_while_new_ones_are_computed_or_fail(
    office: Client, evaluated: Study
) -> None:
    again = request_evaluation(evaluated)
    shown = page(office, evaluated)
    assert "Waiting for the background worker" in shown
    assert "Winners by category" in shown
    Evaluation.objects.filter(pk=again.pk).update(state=State.FAILED, message="No more disk")
    shown = page(office, evaluated)
    assert "No more disk" in shown
    assert "Winners by category" in shown


def test_results_whose_report_was_removed_are_no_crash(office: Client, evaluated: Study) -> None:
    for path in evaluated.evaluations.get().folder.iterdir():
        path.unlink()
    shown = page(office, evaluated)
    assert "Winners by category" not in shown
    response = office.get(reverse("study_file", args=[evaluated.name, "accuracy.csv"]))
    assert response.status_code == 404


def test_results_of_one_category_and_one_image_are_shown(office: Client, tmp_path: Path) -> None:
    folder = dataset_folder(
        tmp_path / "one",
        references=[("dog", "a dog runs")],
        pairs=[("p1", "dog", "a dog", "a cat", "HM")],
        votes=[("p1", 1, "kim", "B")],
    )
    one = import_dataset(load(folder), "one", folder).studies.get()
    compute.call(request_evaluation(one).pk)
    shown = page(office, one)
    assert '<th scope="row">HM</th>' in shown
    assert "at 1 reference," in shown
    assert "nan" not in shown


def test_results_of_a_pairwise_study_are_shown(office: Client, dataset: Dataset) -> None:
    Image.objects.update(url="https://example.org/picture.png")
    row = create_study(Study(dataset=dataset, title="Which?", protocol="pairwise", votes=1))
    person = new_annotator(row)
    while lease := claim(person):
        vote(lease.key, lease.b_side)
    compute.call(request_evaluation(row).pk)
    shown = page(office, row)
    assert "From 4 votes" in shown
    assert "Winners by category" in shown


def test_what_a_study_is_called_is_never_markup(office: Client, study: Study) -> None:
    Study.objects.update(title="<script>alert(1)</script>")
    shown = page(office, study) + office.get(reverse("studies")).getvalue().decode()
    assert "<script>alert" not in shown


# Files


def test_every_file_of_the_report_can_be_downloaded(
    office: Client, evaluated: Study, results: Path
) -> None:
    for name in FILES:
        assert file(office, evaluated, name) == (results / name).read_bytes(), name


def test_the_numbers_on_disk_are_those_of_the_votes(office: Client, evaluated: Study) -> None:
    winners = list(csv.DictReader(StringIO(file(office, evaluated, "winners.csv").decode())))
    assert [row["winner"] for row in winners] == ["B"] * 4
    report = json.loads(file(office, evaluated, "report.json"))
    assert report["votes"] == 36


def test_a_plot_is_shown_in_the_page_and_attached_to_a_download(
    office: Client, evaluated: Study
) -> None:
    address = reverse("study_file", args=[evaluated.name, "accuracy.svg"])
    shown, attached = office.get(address), office.get(address, {"download": ""})
    assert shown.getvalue() == attached.getvalue()
    assert shown["Content-Disposition"].startswith("inline")
    assert attached["Content-Disposition"].startswith("attachment")
    assert shown["Content-Type"] == "image/svg+xml"


def test_before_an_evaluation_there_are_votes_and_the_dataset(office: Client, voted: Study) -> None:
    rows = list(csv.DictReader(StringIO(file(office, voted, "votes.csv").decode())))
    assert len(rows) == 36
    with zipfile.ZipFile(BytesIO(file(office, voted, "dataset.zip"))) as archive:
        assert f"{voted.name}/votes.csv" in archive.namelist()
    for name in FILES:
        response = office.get(reverse("study_file", args=[voted.name, name]))
        assert response.status_code == 404


@pytest.mark.parametrize("name", ["secret-key", "..", "accuracy", "ACCURACY.CSV", "report.json%00"])
def test_no_other_file_is_served(office: Client, evaluated: Study, name: str) -> None:
    (evaluated.evaluations.get().folder / "secret-key").write_text("secret")
    assert office.get(f"/studies/{evaluated.name}/files/{name}").status_code == 404


def test_the_dataset_folder_of_a_study_is_what_was_imported(office: Client, tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    row = import_dataset(load(folder), "full", folder).studies.get()
    with zipfile.ZipFile(BytesIO(file(office, row, "dataset.zip"))) as archive:
        archive.extractall(tmp_path / "out")
    assert contents(tmp_path / "out" / row.name) == contents(folder)
