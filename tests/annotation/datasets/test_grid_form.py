"""Files of other tools: what is read as what, what is asked, and what is remembered."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tercet.annotation.datasets.grid_form import GridForm
from tercet.annotation.models import (
    Answer,
    Candidate,
    Dataset,
    Event,
    Pair,
    Reference,
    Upload,
)
from tests.annotation.datasets.test_upload_views import (
    ask_for_import,
    check,
    figures,
    sent,
)

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]

HEADER = "Bild;Human 1;Human 2;Camel;Heron;Besser;Notizen"
LINES = (
    "d1;ein Hund läuft;der Hund läuft schnell;a dog runs;one hound runs off;2;",
    "d2;eine Katze schläft;die Katze schläft;a cat sleeps;one cat lies down;1;",
    "d3;ein Vogel fliegt;der Vogel fliegt weg;a bird flies;one crow is flying;=;",
)
PEOPLE = ("Ann", "Bob")
VOTES = "image,reference,caption_a,caption_b,person,verdict\n"


def voted(*verdicts: str, header: str = VOTES) -> bytes:
    lines = [
        f"d{number},dog {number} runs,a dog {number} is,hound {number} is,{person},{verdict}"
        for number in (1, 2)
        for person, verdict in zip(PEOPLE, verdicts, strict=True)
    ]
    return (header + "\n".join(lines) + "\n").encode()


def fields(page: str) -> dict[str, str]:
    """The fields of the grids with their values."""
    found = dict(re.findall(r'<input[^>]*name="([^"]+)" value="([^"]*)"', page))
    for name, options in re.findall(
        r'<select name="([^"]+)"[^>]*>(.*?)</select>', page, re.DOTALL
    ):
        selected = re.search(r'<option value="([^"]*)" selected', options)
        found[name] = selected[1] if selected else ""
    return {name: value for name, value in found.items() if name.startswith("file")}


def look_again(office: Client, row: Upload, **changed: Any) -> str:
    """Press "Check again" with changes."""
    data = fields(check(office, row)) | changed
    office.post(reverse("upload_check", args=[row.key]), data)
    return check(office, row)


def field_of(page: str, label: str) -> str:
    """The name of the field with a label."""
    [identifier] = re.findall(rf'for="id_([^"]+)"[^>]*>{re.escape(label)}<', page)
    return str(identifier)


@pytest.fixture
def table(office: Client) -> Upload:
    """An uploaded table as Excel saves it: Windows-1252, semicolons, winners 1 and 2."""
    text = "\r\n".join([HEADER, *LINES])
    return sent(office, text.encode("windows-1252"), "captions.csv")


def test_a_wide_table_goes_in_without_a_question(office: Client, table: Upload) -> None:
    page = check(office, table)
    assert figures(page) == {"images": "3", "references": "6", "pairs": "3"}
    assert "is read as Windows-1252" in page

    ask_for_import(office, table, "mine")
    check(office, table)
    pairs = Pair.objects.filter(dataset__name="mine").order_by("pk")
    assert [pair.winner for pair in pairs] == ["C", "B", "tie"]
    assert {each.source for each in Candidate.objects.all()} == {"Camel", "Heron"}


def test_roles_and_systems_may_be_changed(office: Client, table: Upload) -> None:
    page = check(office, table)
    role = field_of(page, "Role of Human 2")
    system = field_of(page, "System of Camel")
    origin = field_of(page, "Origin of Human 1")
    said = {role: "not used", system: "Dromedary", origin: "post-edited"}
    again = look_again(office, table, **said)
    assert figures(again)["references"] == "3"

    ask_for_import(office, table, "mine")
    check(office, table)
    assert Candidate.objects.filter(source="Dromedary").count() == 3
    assert Reference.objects.filter(origin="post-edited").count() == 3


def test_the_log_says_which_columns_were_read_as_what(
    office: Client, table: Upload
) -> None:
    check(office, table)
    ask_for_import(office, table, "mine")
    check(office, table)
    [reading] = Event.objects.get(what="imported dataset").details["reading"]

    assert "captions.csv: Bild → image" in reading
    assert "Camel → caption; Heron → caption" in reading


def test_votes_without_a_known_meaning_are_asked_for_before_they_are_lost(
    office: Client,
) -> None:
    row = sent(office, voted("ja", "nein"), "votes_ja.csv")
    page = check(office, row)
    assert "4 answers in column verdict are not used: what do" in page
    assert "<button disabled" in page

    ja, nein = (field_of_value(page, value) for value in ("ja", "nein"))
    again = look_again(office, row, **{ja: "B", nein: "C"})
    assert figures(again)["votes"] == "4"
    assert "<button disabled" not in again

    ask_for_import(office, row, "mine", collection="finished")
    check(office, row)
    assert sorted(Answer.objects.values_list("choice", flat=True)) == [
        "B",
        "B",
        "C",
        "C",
    ]


def field_of_value(page: str, value: str) -> str:
    """The name of the field of what a value means."""
    pattern = rf'for="id_(file\d+-value[^"]+)"><span translate="no">{value}</span>'
    [name] = re.findall(pattern, page)
    return str(name)


def test_an_import_with_an_open_question_is_refused(office: Client) -> None:
    row = sent(office, voted("ja", "nein"), "votes_ja.csv")
    check(office, row)
    ask_for_import(office, row, "mine")
    check(office, row)
    assert not Dataset.objects.exists()


def test_meanings_are_remembered_for_the_same_account_alone_and_may_be_forgotten(
    office: Client, administrator: User, client: Client
) -> None:
    row = sent(office, voted("ja", "nein"), "votes_ja.csv")
    page = check(office, row)
    ja, nein = (field_of_value(page, value) for value in ("ja", "nein"))
    look_again(office, row, **{ja: "B", nein: "C"})
    ask_for_import(office, row, "mine", collection="finished")
    check(office, row)

    again = sent(office, voted("nein", "ja"), "more.csv")
    page = check(office, again)
    assert "Read like your last imported file" in page
    assert figures(page)["votes"] == "4"

    forgotten = look_again(office, again, forget="more.csv")
    assert "are not used: what do" in forgotten

    other = User.objects.create_superuser("other", password="a long passphrase")
    client.force_login(other)
    file = SimpleUploadedFile("third.csv", voted("ja", "nein"))
    client.post(reverse("upload"), {"file": file})
    third = Upload.objects.latest("created_at")
    assert "are not used: what do" in check(client, third)


def test_rejected_assignments_are_counted_and_left_out(office: Client) -> None:
    header = (
        "HITId,WorkerId,AssignmentStatus,Input.image,Input.reference,Input.caption_a,"
    )
    lines = [
        f"H{number},{person},{status},d{number},dog {number} runs,dog {number},hound {number} is,A"
        for number in (1, 2)
        for person, status in (("W1", "Approved"), ("W2", "Rejected"))
    ]
    text = header + "Input.caption_b,Answer.choice\n" + "\n".join(lines) + "\n"
    page = check(office, sent(office, text.encode(), "batch.csv"))

    assert "2 rows are left out, where AssignmentStatus is Rejected" in page
    assert figures(page)["votes"] == "2"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("ratings.xls", b"\xd0\xcf", "save it as .xlsx"),
        ("ratings.ods", b"PK", "save it as .xlsx"),
        ("model.mat", b"no", "Only the files of the releases"),
        ("a.xlsx", b"PK nothing", "is not an Excel file (xlsx) that can be read"),
        ("a.csv.gz", b"no gzip", "cannot be read"),
        ("a.jsonl", b"PK nothing {", "is not valid JSON"),
    ],
)
def test_a_file_that_is_not_read_is_named_with_what_to_do(
    office: Client, name: str, content: bytes, said: str
) -> None:
    page = check(office, sent(office, content, name))
    assert name in page
    assert said in page


def test_a_title_above_the_header_and_a_row_below_it_are_no_data(
    office: Client,
) -> None:
    text = (
        "My study\n\nimage;reference;score\nname;text;1 to 5\nd1;a dog runs there;3\n"
    )
    text += "d2;a cat sleeps here;4\nd3;a bird flies away;5\n"
    row = sent(office, text.encode(), "study.csv")
    page = check(office, row)
    assert "the names of the columns are in row 3" in page
    assert "Does row 4 explain the columns?" in page

    question = "Does row 4 explain the columns? It is: name | text | 1 to 5"
    again = look_again(office, row, **{field_of(page, question): "out"})
    assert "Does row 4" not in again


def test_label_studio_comes_in_without_a_question(office: Client) -> None:
    tasks = [
        {
            "id": number,
            "data": {
                "image": f"d{number}",
                "reference": f"dog {number} runs here",
                "text1": f"a dog is there {number}",
                "text2": f"one hound runs off {number}",
            },
            "annotations": [
                {
                    "completed_by": {"email": f"{person}@example.org"},
                    "was_cancelled": person == "c",
                    "result": [
                        {
                            "from_name": "comparison",
                            "type": "pairwise",
                            "value": {"selected": "left"},
                        }
                    ],
                }
                for person in "abc"
            ],
        }
        for number in (1, 2)
    ]
    page = check(office, sent(office, json.dumps(tasks).encode(), "project.json"))

    assert "Label Studio" in page
    assert "2 rows are left out, where annotations.was_cancelled is true" in page
    assert figures(page)["votes"] == "4"


def test_an_answer_leaves_what_is_remembered_as_it_is() -> None:
    values = [{"value": "ja", "meaning": "B", "is_choice": True}]
    column = {
        "place": 0,
        "name": "Urteil",
        "role": "choice",
        "label": "",
        "asked": False,
    }
    question = {"kind": "second header", "text": "Does row 2 explain?", "column": ""}
    card = {
        "questions": [question],
        "columns": [{**column, "values": values}],
        "is_own": False,
        "has_lines": True,
        "header": 1,
        "above": [{"line": 2, "text": "A besser?"}],
        "use": "",
        "encoding": "",
        "remembered": True,
    }
    sent_again = {"explains": "out", "role0": "choice", "value0-0": "B", "header": "1"}
    form = GridForm(card, sent_again)
    assert form.is_valid()
    said = form.said({})
    assert said["values"] == {"Urteil": {"ja": "B"}}
    assert said["roles"] == {"Urteil": ["choice", ""]}
    assert said["first"] == 3
