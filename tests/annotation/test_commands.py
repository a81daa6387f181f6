"""The commands of manage.py: what they do, and what they say when they cannot."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from tercet.analysis.dataset.folder import load
from tercet.annotation.challenges.leaderboard import board_of
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.kinds.rating_texts import PRESETS
from tercet.annotation.judging.leases import claim
from tercet.annotation.models import (
    Annotator,
    Answer,
    Challenge,
    Dataset,
    Evaluation,
    Event,
    Image,
    Reference,
    Study,
    Submission,
)
from tercet.annotation.models.computation import JobState
from tercet.annotation.studies.creation import create_study
from tests.analysis.tables.test_unpacking import zipped
from tests.annotation.challenges.conftest import results
from tests.annotation.full import full_folder
from tests.annotation.quality.test_payment import person
from tests.support.folders import contents, dataset_folder, three_votes, write_csv

pytestmark = pytest.mark.django_db


def say(*command: object) -> str:
    """What a command says on standard output."""
    out = StringIO()
    call_command(*map(str, command), stdout=out, stderr=StringIO())
    return out.getvalue()


def refuse(*command: object) -> str:
    """What a command says when it fails, which changes nothing."""
    before = [
        model._default_manager.count() for model in (Dataset, Study, Answer, Annotator)
    ]

    with pytest.raises(CommandError) as error:
        say(*command)

    after = [
        model._default_manager.count() for model in (Dataset, Study, Answer, Annotator)
    ]

    assert after == before

    return str(error.value)


@pytest.fixture
def bare(tmp_path: Path) -> Dataset:
    candidates = [
        (image, f"{source} sees a {image}", source)
        for image in ("dog", "cat")
        for source in ("human", "system")
    ]
    folder = dataset_folder(tmp_path / "bare", pairs=None, candidates=candidates)

    return import_dataset(load(folder), "bare", folder)


# import_dataset


def test_a_folder_is_imported(tmp_path: Path) -> None:
    told = say("import_dataset", full_folder(tmp_path / "full"))
    assert "Imported full: 3 images, 6 references, 4 candidates, 4 pairs, " in told
    assert "4 pairs, 13 votes." in told

    assert "Created study full-triplet from its votes." in told
    assert Answer.objects.count() == 13


def test_a_zip_is_imported(tmp_path: Path) -> None:
    files = contents(full_folder(tmp_path / "full"))
    path = zipped(
        tmp_path / "packed.zip", {f"inner/{name}": files[name] for name in files}
    )

    assert "Imported packed" in say("import_dataset", path)
    assert Answer.objects.count() == 13
    assert len(contents(Dataset.objects.get().folder)) == 1


def test_a_dataset_is_imported_under_a_name_of_choice(tmp_path: Path) -> None:
    say("import_dataset", dataset_folder(tmp_path / "a"), "--name", "My dogs")
    assert Dataset.objects.get().name == "my-dogs"


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path, data_dir: Path) -> None:
    told = say("import_dataset", full_folder(tmp_path / "full"), "--dry-run")
    assert "full is valid: 3 images" in told
    assert "13 votes, 1 image without a pair" in told

    assert "Nothing was written" in told
    assert not Dataset.objects.exists()
    assert contents(data_dir) == {}


@pytest.mark.parametrize("option", [(), ("--dry-run",)])
def test_every_problem_is_listed_by_line(
    tmp_path: Path, option: tuple[str, ...]
) -> None:
    pairs = [("p1", "dog", "a", "", "HC"), ("p2", "fox", "a", "b", "x" * 61)]
    told = refuse(
        "import_dataset", dataset_folder(tmp_path / "a", pairs=pairs), *option
    )

    assert "nothing was written" in told
    assert "pairs.csv, line 2, column candidate_c" in told
    assert "pairs.csv, line 3, column image" in told
    assert "pairs.csv, line 3, column category" in told


def test_what_is_left_out_is_noted(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a")
    write_csv(
        folder / "candidates.csv",
        ("image", "caption", "source", "mood"),
        [("dog", "x", "human", "y")],
    )
    err = StringIO()

    call_command("import_dataset", str(folder), stdout=StringIO(), stderr=err)
    assert "column 'mood' is not used" in err.getvalue()


def test_a_taken_name_can_be_changed(dataset: Dataset, tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "other" / "small")
    assert "a dataset named small" in refuse("import_dataset", folder)
    assert "--name NAME" in refuse("import_dataset", folder)
    assert "Imported large" in say("import_dataset", folder, "--name", "large")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert "does not exist" in refuse("import_dataset", tmp_path / "nowhere")


def test_files_that_are_not_utf_8_are_read_in_the_encoding_that_is_named(
    tmp_path: Path,
) -> None:
    folder = dataset_folder(tmp_path / "a")
    cafes = "image,caption\ndog,a café dog\ncat,une naïve chatte\n"
    (folder / "references.csv").write_bytes(cafes.encode("windows-1252"))

    (folder / "dataset.json").write_text('{"title": "Café"}', encoding="utf-8")
    say("import_dataset", folder, "--encoding", "Windows-1252")
    dataset = Dataset.objects.get()

    assert dataset.title == "Café"
    assert {image.references.get().caption for image in dataset.images.all()} == {
        "a café dog",
        "une naïve chatte",
    }


def test_an_unknown_encoding_is_met_with_the_known_ones(tmp_path: Path) -> None:
    told = refuse(
        "import_dataset", dataset_folder(tmp_path / "a"), "--encoding", "latin"
    )

    assert "windows-1252" in told


def test_a_missing_column_is_told_with_those_that_are_not_known(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a")
    write_csv(folder / "gold.csv", ("pair", "reference", "choice"), [("p1", 1, "B")])
    told = refuse("import_dataset", folder)

    assert "gold.csv, line 1, column answer: is missing" in told
    assert "not known are choice" in told


# create_study


def test_a_study_is_made(dataset: Dataset) -> None:
    told = say("create_study", "small", "--votes", 5, "--references", 2, "--seed", 7)
    assert told.splitlines()[0] == "Created small-triplet: 8 triplets, 5 votes each."

    study = Study.objects.get()
    assert (study.votes, study.references, study.seed) == (5, 2, 7)
    assert study.title == "small, triplet"


def test_a_study_is_titled_as_wanted(dataset: Dataset) -> None:
    say("create_study", "small", "--title", "Dogs & cats")
    assert Study.objects.get().title == "Dogs & cats"


def test_ratings_are_asked_on_the_published_scale_that_is_named(
    dataset: Dataset,
) -> None:
    dataset.images.earliest("pk").candidates.create(caption="a cat", listed=True)
    rating = ("create_study", "small", "--protocol", "rating")
    for preset in PRESETS:
        say(*rating, "--preset", preset)
    say(*rating)
    aspects = Study.objects.order_by("pk").values_list("aspects", flat=True)
    assert list(aspects) == [*PRESETS.values(), PRESETS["flickr8k-expert"]]

    assert "use it with --protocol rating" in refuse(
        "create_study", "small", "--preset", "thumb"
    )


def test_a_study_has_the_language_that_is_given(dataset: Dataset) -> None:
    say("create_study", "small")
    say("create_study", "small", "--language", "de")
    languages = Study.objects.order_by("pk").values_list("language", flat=True)

    assert list(languages) == ["en", "de"]
    assert "Write a code such as en" in refuse(
        "create_study", "small", "--language", "German"
    )


def test_a_study_takes_all_references_and_three_votes_by_itself(
    dataset: Dataset,
) -> None:
    told = say("create_study", "small", "--open")
    assert told == "Created small-triplet: 12 triplets, 3 votes each.\n"
    assert Study.objects.get().link_is_open
    assert Study.objects.get().link_users == "place"

    say("create_study", "small", "--open", "anywhere")
    assert Study.objects.latest("pk").link_users == "anywhere"


def test_a_study_is_a_draft_until_it_is_opened(dataset: Dataset) -> None:
    assert "It is a draft: open it" in say("create_study", "small")

    say("create_study", "small", "--open")
    states = Study.objects.order_by("pk").values_list("state", flat=True)

    assert list(states) == ["draft", "open"]

    events = Event.objects.order_by("pk").values_list("study__name", "what")
    assert list(events) == [
        ("small-triplet", "made"),
        ("small-triplet-2", "made"),
        ("small-triplet-2", "made it open"),
    ]
    assert not Event.objects.filter(by__isnull=False).exists()


def test_more_references_than_there_are_are_refused_with_their_number(
    dataset: Dataset,
) -> None:
    told = refuse("create_study", "small", "--references", 4)
    assert told.startswith("No image of small has more than 3 references.")

    Reference.objects.filter(number__gt=1).delete()
    assert "more than one reference" in refuse(
        "create_study", "small", "--references", 2
    )


def test_a_pairwise_study_is_made(dataset: Dataset) -> None:
    Image.objects.update(url="https://example.org/picture.png")
    told = say(
        "create_study", "small", "--protocol", "pairwise", "--references", 9, "--open"
    )

    assert told == "Created small-pairwise: 4 questions, 3 votes each.\n"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--votes", "0"),
        ("--votes", "-1"),
        ("--votes", str(2**31)),
        ("--votes", "three"),
        ("--references", "0"),
        ("--references", str(2**31)),
        ("--seed", "-1"),
        ("--seed", str(2**31)),
        ("--protocol", "duel"),
        ("--title", "x" * 2001),
    ],
)
def test_a_wrong_option_of_a_study_is_named(
    dataset: Dataset, option: str, value: str
) -> None:
    assert option in refuse("create_study", "small", f"{option}={value}")


def test_an_unknown_dataset_names_the_known_ones(dataset: Dataset) -> None:
    told = refuse("create_study", "large")
    assert told == "There is no dataset named large. Existing: small."


def test_no_dataset_at_all_is_said(db: None) -> None:
    assert "Existing: none yet." in refuse("create_study", "small")


def test_a_study_needs_pairs(bare: Dataset) -> None:
    assert "has no pairs yet" in refuse("create_study", "bare")


def test_a_pairwise_study_needs_pictures(dataset: Dataset) -> None:
    assert "images of small have no file" in refuse(
        "create_study", "small", "--protocol", "pairwise"
    )


# make_pairs


def test_pairs_are_made(bare: Dataset) -> None:
    assert (
        say("make_pairs", "bare", "--hi", 2, "--hm", 1) == "Created 3 pairs in bare.\n"
    )
    assert bare.pairs.count() == 3


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "Enter a number of pairs"),
        (("--mm", 1), "MM: 1 wanted, 0 possible"),
        (("--hi", 1, "--hm", -1), "--hm is -1"),
        (("--hi", 1, "--seed", -1), "--seed is -1"),
        (("--hi", "many"), "--hi"),
    ],
)
def test_pairs_that_cannot_be_made_are_told(
    bare: Dataset, options: tuple[object, ...], told: str
) -> None:
    assert told in refuse("make_pairs", "bare", *options)
    assert not bare.pairs.exists()


def test_pairs_without_candidates_are_refused(dataset: Dataset) -> None:
    told = refuse("make_pairs", "small", "--hc", 1)
    assert "Too few candidates (HC: 1 wanted, 0 possible)." in told


def test_pairs_of_an_unknown_dataset_are_told(bare: Dataset) -> None:
    assert "Existing: bare." in refuse("make_pairs", "nowhere", "--hc", 1)


# export_study


def test_a_study_is_exported(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    say("import_dataset", folder)
    told = say("export_study", "full-triplet", "--out", tmp_path / "out")

    assert told == f"Wrote {tmp_path / 'out'}: 13 votes.\n"
    assert contents(tmp_path / "out") == contents(folder)


@pytest.mark.parametrize(
    ("name", "file"), [("jsonl", "pairs.jsonl"), ("huggingface", "README.md")]
)
def test_tables_are_exported_in_other_formats(
    study: Study, tmp_path: Path, name: str, file: str
) -> None:
    told = say("export_study", study.name, "--format", name, "--out", tmp_path / "out")
    assert told.startswith(f"Wrote {tmp_path / 'out'}: ")
    assert (tmp_path / "out" / file).is_file()


def test_an_export_never_mixes_with_what_is_there(study: Study, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert "is not empty" in refuse("export_study", study.name, "--out", tmp_path)
    assert "mine.txt" in refuse(
        "export_study", study.name, "--out", tmp_path / "mine.txt"
    )
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_an_export_without_its_image_files_is_told(tmp_path: Path) -> None:
    say("import_dataset", full_folder(tmp_path / "full"))
    (Dataset.objects.get().folder / "pictures" / "hill.svg").unlink()

    assert "hill.svg" in refuse(
        "export_study", "full-triplet", "--out", tmp_path / "out"
    )


@pytest.mark.parametrize("command", ["export_study", "evaluate"])
def test_an_unknown_study_names_the_known_ones(
    study: Study, tmp_path: Path, command: str
) -> None:
    told = refuse(command, "nothing", "--out", tmp_path / "out")
    assert told == "There is no study named nothing. Existing: small-triplet."


# simulate


def test_simulated_annotators_vote(study: Study) -> None:
    told = say("simulate", study.name, "--annotators", 4)
    assert told == "4 simulated annotators gave 36 votes to small-triplet.\n"
    assert Answer.objects.count() == 36


@pytest.mark.parametrize("votes", [1, 7, 36, 100])
def test_simulated_annotators_stop_after_so_many_votes(
    study: Study, votes: int
) -> None:
    say("simulate", study.name, "--annotators", 4, "--votes", votes)
    assert Answer.objects.count() == min(votes, 36)


def test_each_simulation_has_new_annotators(study: Study) -> None:
    say("simulate", study.name, "--annotators", 3)
    told = say("simulate", study.name, "--annotators", 2)

    assert told.splitlines() == [
        "2 simulated annotators gave 0 votes to small-triplet.",
        "0 votes by simulated-04, simulated-05: no question needs more votes.",
    ]


def test_who_comes_too_late_is_named_with_the_reason(study: Study) -> None:
    told = say("simulate", study.name, "--annotators", 3, "--votes", 2)
    assert "0 votes by simulated-03: --votes 2 was reached before their turn." in told


def test_who_finds_only_questions_that_others_hold_is_named_with_the_reason(
    study: Study,
) -> None:
    study.questions.exclude(pk=study.questions.earliest("pk").pk).update(stopped=True)
    study.questions.update(needed=1)
    claim(new_annotator(study))

    told = say("simulate", study.name, "--annotators", 1)
    assert "0 votes by simulated-01: other annotators hold the last questions." in told


@pytest.mark.parametrize("state", ["draft", "paused", "closed"])
def test_nobody_is_simulated_where_nobody_can_judge(study: Study, state: str) -> None:
    Study.objects.update(state=state)
    assert f"because it is {state}" in refuse("simulate", study.name)


def test_simulated_annotators_believe_what_they_are_told(
    study: Study, tmp_path: Path
) -> None:
    beliefs = [(f"p{number}", "C") for number in (1, 2, 3, 4)]
    write_csv(tmp_path / "beliefs.csv", ("pair", "winner"), beliefs)
    path = tmp_path / "beliefs.csv"

    say(
        "simulate", study.name, "--annotators", 1, "--reliability", 1, "--beliefs", path
    )

    assert set(Answer.objects.values_list("choice", flat=True)) == {"C"}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--annotators", "0"),
        ("--annotators", "many"),
        ("--votes", "0"),
        ("--votes", "-5"),
        ("--reliability", "1.5"),
        ("--reliability", "-0.1"),
        ("--reliability", "nan"),
        ("--beliefs", "/nowhere/beliefs.csv"),
        ("--beliefs", "/"),
    ],
)
def test_a_wrong_option_of_a_simulation_is_told(
    study: Study, option: str, value: str
) -> None:
    told = refuse("simulate", study.name, f"{option}={value}")
    assert option in told or value in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"pair,winner\np1,B\np2,tie\n", "line 3"),
        (b"pair,choice\np1,B\n", "line 2"),
        (b"pair,winner\n,B\n", "line 2"),
        (b'pair,winner\n"' + b"p" * 1_000_001, "cannot be read"),
        (b"pair,winner\np\xff,B\n", "cannot be read"),
    ],
)
def test_beliefs_that_cannot_be_read_are_told(
    study: Study, tmp_path: Path, text: bytes, told: str
) -> None:
    (tmp_path / "beliefs.csv").write_bytes(text)
    assert told in refuse("simulate", study.name, "--beliefs", tmp_path / "beliefs.csv")


def test_a_simulation_of_an_unknown_study_is_told(study: Study) -> None:
    assert "Existing: small-triplet." in refuse("simulate", "nothing")


# evaluate


@pytest.mark.usefixtures("no_drawings")
def test_a_study_is_evaluated(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "voted", votes=three_votes())
    import_dataset(load(folder), "voted", folder)
    out = tmp_path / "report"
    few = ("--metrics", "CIDEr", "--resamples", 50, "--only", "accuracy,table")

    told = say("evaluate", "voted-triplet", "--out", out, *few)
    assert f"The report is in {out}: open index.html." in told

    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert report["options"]["metrics"] == ["CIDEr"]
    assert report["study"] == "voted-triplet"
    assert (out / "accuracy.csv").is_file()


@pytest.mark.usefixtures("no_drawings")
def test_a_preset_and_some_findings_are_evaluated_against_the_other_protocol(
    tmp_path: Path,
) -> None:
    folder = dataset_folder(tmp_path / "voted", votes=three_votes())
    dataset = import_dataset(load(folder), "voted", folder)
    Image.objects.update(url="https://example.org/picture.png")
    other = create_study(Study(dataset=dataset, title="Which?", protocol="pairwise"))
    say("simulate", other.name, "--annotators", 3)
    out = tmp_path / "report"
    given = (
        "--only",
        "protocols",
        "--preset",
        "cider2015",
        "--metrics",
        "CIDEr,length",
    )
    say("evaluate", "voted-triplet", "--out", out, *given, "--resamples", 50)

    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert [each["name"] for each in report["findings"]] == ["protocols"]
    assert (report["options"]["order"], report["other_study"]) == ("file", other.name)
    assert (out / "protocols.csv").is_file()


def test_a_study_without_votes_is_not_evaluated(study: Study, tmp_path: Path) -> None:
    told = refuse("evaluate", study.name, "--out", tmp_path / "report")
    assert "No pair has a winner yet" in told
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(
    "option",
    [
        "--metrics=Nonsense",
        "--counts=0",
        "--counts=x",
        "--draws=0",
        "--seed=-1",
        "--order=none",
    ],
)
def test_a_wrong_option_of_an_evaluation_is_told(tmp_path: Path, option: str) -> None:
    folder = dataset_folder(tmp_path / "voted", votes=three_votes())
    import_dataset(load(folder), "voted", folder)
    told = refuse("evaluate", "voted-triplet", "--out", tmp_path / "report", option)

    name, _, value = option.removeprefix("--").partition("=")
    assert name in told or value in told
    assert not (tmp_path / "report").exists()


def test_a_report_never_mixes_with_what_is_there(study: Study, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert str(tmp_path) in refuse("evaluate", study.name, "--out", tmp_path)
    assert "mine.txt" in refuse("evaluate", study.name, "--out", tmp_path / "mine.txt")


# load_demo


def test_a_public_site_gets_no_demo(settings: Settings) -> None:
    settings.HTTPS = True
    assert "everybody knows the password of the demo" in refuse("load_demo")
    assert not User.objects.exists()


def asks_each_kind_and_has_all_ratings(demo: Dataset) -> None:
    kinds = demo.studies.values_list("protocol", "state")
    states = {"rating": "closed", "sentence": "open", "triplet": "open"}
    assert dict(kinds) == states

    rated = demo.studies.get(protocol="rating")
    assert not rated.questions.lacking().exists()
    assert not rated.annotators.filter(finished_at=None).exists()


def test_the_demo_is_loaded_once_with_its_logins_and_a_first_result(
    db: None, few_metrics: None
) -> None:
    said = say("load_demo")
    models = (User, Dataset, Study, Answer, Evaluation, Challenge, Submission)
    first = [model._default_manager.count() for model in models]

    assert "first result" in said
    assert "first result" not in say("load_demo")
    assert [model._default_manager.count() for model in models] == first

    states = Evaluation.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == [JobState.DONE, JobState.WAITING, JobState.WAITING]

    asks_each_kind_and_has_all_ratings(Dataset.objects.get(name="demo"))
    names = Annotator.objects.values_list("name", flat=True)
    assert all("simulated" in name for name in names)
    assert "simulated" in Dataset.objects.get(name="demo").description

    challenge = Challenge.objects.get()
    assert "simulated" in challenge.description
    assert challenge.submissions.scored().count() == 4

    board = board_of(challenge, "hidden")
    assert board is not None

    assert sum(row.people is not None for row in board.rows) == 5

    password = said.split()[-1]
    for name, is_staff in (("researcher", True), ("annotator", False)):
        assert name in said

        sent = {"username": name, "password": password}
        assert Client().post(reverse("login"), sent).status_code == 302
        assert User.objects.get(username=name).is_staff is is_staff


# pay_list


def test_pay_lists_are_written_once(study: Study, tmp_path: Path) -> None:
    person(study, "p1", 4, 4)
    command = ("pay_list", study.name, "--out", tmp_path / "pay")
    told = say(*command)

    assert told == f"Wrote pay.csv, approve.csv to {tmp_path / 'pay'}.\n"
    assert (tmp_path / "pay" / "approve.csv").read_text() == "p1\n"

    assert Event.objects.get().what == "exported pay list"
    assert "pay.csv" in refuse(*command)


# create_challenge and submit


@pytest.fixture
def hidden(db: None, tmp_path: Path) -> str:
    """The name of a dataset of references alone."""
    folder = dataset_folder(tmp_path / "hidden", pairs=None)
    assert "6 references" in say("import_dataset", folder)

    return "hidden"


@pytest.fixture
def challenge(hidden: str, administrator: User) -> Challenge:
    say(
        "create_challenge",
        hidden,
        "--title",
        "Two animals",
        "--counts",
        "2",
        "--owner",
        "ada",
    )
    return Challenge.objects.get()


def test_a_challenge_is_made_and_takes_a_submission(
    hidden: str, tmp_path: Path, administrator: User
) -> None:
    options = ("--counts", "2,all", "--metrics", "BLEU-1,CIDEr-D", "--per-day", "5")
    said = say(
        "create_challenge", hidden, "--title", "Two animals", "--owner", "ada", *options
    )

    assert said == "Created two-animals: /challenges/two-animals/\n"

    challenge = Challenge.objects.get()
    assert (challenge.counts, challenge.per_day) == ([2, None], 5)

    file = tmp_path / "results.json"
    file.write_bytes(results())
    command = ("submit", "two-animals", file, "--system", "mine")

    assert "2 captions. Nothing was submitted." in say(*command, "--dry-run")
    assert not Submission.objects.exists()
    assert say(*command).startswith(
        "Submitted mine (1): /challenges/two-animals/submissions/"
    )
    assert Submission.objects.get().user == administrator

    file.write_bytes(results({"dog": "a dog", "bus": "a bus"}))
    refused = refuse(*command)

    assert "results.json was not submitted; nothing was written" in refused
    assert "bus" in refused
    assert "cat" in refused
    assert Submission.objects.count() == 1


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (
            ["--system", "=cmd()"],
            "--system: A spreadsheet would run this name as a formula",
        ),
        (
            ["--system", "x" * 81],
            "--system: Ensure this value has at most 80 characters",
        ),
        (
            ["--system", "mine", "--link", "javascript:alert(1)"],
            "--link: Enter a valid URL",
        ),
    ],
)
def test_a_command_refuses_what_the_form_refuses(
    challenge: Challenge, tmp_path: Path, options: list[str], fault: str
) -> None:
    file = tmp_path / "results.json"
    file.write_bytes(results())

    assert fault in refuse("submit", challenge.name, file, *options)
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--counts", "5"), "hidden: Images with at least 5 references: 0"),
        (("--counts", "none"), "no reference count"),
        (("--metrics", "SPICE"), "unknown: SPICE"),
        (
            ("--opens", "2026-11-22T10:00", "--closes", "2026-11-21T10:00"),
            "closes after it opens",
        ),
        (("--closes", "tomorrow"), "write a time such as"),
        (("--owner", "nobody"), "There is no account named nobody"),
    ],
)
def test_a_challenge_that_cannot_be_is_refused(
    hidden: str, options: tuple[str, ...], reason: str
) -> None:
    assert reason in refuse("create_challenge", hidden, *options)
    assert not Challenge.objects.exists()


def test_a_challenge_of_a_dataset_with_studies_is_refused(study: Study) -> None:
    assert "small has studies" in refuse("create_challenge", "small")
