"""Wide tables from a spreadsheet: a role above each column, then the import."""

from pathlib import Path

import pytest
from django.test import Client

from tercet.analysis.formats.wide_tables import WIDE
from tercet.annotation.models import Candidate, Dataset, Event, Pair, Upload
from tests.annotation.web.datasets.test_uploads import (
    ask_for_import,
    bring_in,
    check,
    figures,
    look_again,
    offered,
    packed,
    sent,
)

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]

HEADER = "Bild;Human 1;Human 2;Camel;Heron;Besser;Notizen"
LINES = (
    "d1;ein Hund läuft;der Hund läuft schnell;a dog runs;one hound runs off;2;",
    "d2;eine Katze schläft;die Katze schläft;a cat sleeps;one cat lies down;1;",
    "d3;ein Vogel fliegt;der Vogel fliegt weg;a bird flies;one crow is flying;=;",
)


@pytest.fixture
def table(office: Client) -> Upload:
    """An uploaded table as Excel saves it: Windows-1252, semicolons, winners 1 and 2."""
    text = "\r\n".join([HEADER, *LINES])
    return sent(office, text.encode("windows-1252"), "captions.csv")


def test_a_wide_table_comes_in_as_it_is_guessed(office: Client, table: Upload) -> None:
    assert figures(check(office, table)) == {
        "images": "3",
        "references": "6",
        "pairs": "3",
    }
    bring_in(office, table, "mine")

    dataset = Dataset.objects.get()
    pairs = Pair.objects.filter(dataset=dataset).order_by("pk")
    assert [pair.winner for pair in pairs] == ["C", "B", ""]
    assert {each.source for each in Candidate.objects.all()} == {"Camel", "Heron"}


def test_numbers_of_lines_and_names_of_pairs_are_no_images(office: Client) -> None:
    lines = [f"{number};P{number};{line}" for number, line in enumerate(LINES)]
    text = "\r\n".join([f"Nr.;Paar;{HEADER}", *lines])
    row = sent(office, text.encode("windows-1252"), "captions.csv")

    roles = offered(check(office, row))
    chosen = [roles[f"file0-role{number}"] for number in range(3)]
    assert chosen == ["", "pair", "image"]


def test_the_grid_has_the_roles_systems_and_winners(
    office: Client, table: Upload
) -> None:
    shown = check(office, table)
    data = offered(shown)

    roles = [data[f"file0-role{number}"] for number in range(7)]
    assert roles == [
        "image",
        "reference",
        "reference",
        "caption",
        "caption",
        "winner",
        "",
    ]
    winners = [data[f"file0-winner{number}"] for number in range(3)]
    assert winners == ["B", "C", ""]
    assert 'name="file0-label3" value="Camel"' in shown
    assert "läuft schnell" in shown


def test_roles_systems_and_winners_may_be_changed(
    office: Client, table: Upload
) -> None:
    data = offered(check(office, table))
    changed = data | {
        "file0-role2": "",
        "file0-label3": "Dromedary",
        "file0-label4": "Heron",
        "file0-winner0": "C",
        "file0-winner1": "B",
    }
    again = look_again(office, table, changed)
    assert figures(again)["references"] == "3"

    bring_in(office, table, "mine")
    winners = [pair.winner for pair in Pair.objects.order_by("pk")]
    assert winners == ["B", "C", ""]
    assert Candidate.objects.filter(source="Dromedary").count() == 3


def test_import_with_other_roles_than_were_checked_checks_them_first(
    office: Client, table: Upload
) -> None:
    data = offered(check(office, table))
    labels = {"file0-label3": "Camel", "file0-label4": "Heron"}
    ordered = ask_for_import(
        office, table, "mine", **data | labels | {"file0-role2": ""}
    )
    assert ordered.status_code == 302
    assert not Dataset.objects.exists()

    again = check(office, table)
    assert "Nothing has been imported yet" in again
    assert figures(again)["references"] == "3"
    assert 'name="name" value="mine"' in again

    ask_for_import(office, table, "mine", **offered(again) | labels)
    check(office, table)
    assert Dataset.objects.get().images.count() == 3


def test_import_with_roles_that_do_not_fit_is_refused(
    office: Client, table: Upload
) -> None:
    data = offered(check(office, table)) | {
        "file0-label3": "Camel",
        "file0-label4": "Camel",
    }
    refused = ask_for_import(office, table, "mine", **data)

    assert refused.status_code == 422
    assert "the name of another system" in refused.getvalue().decode()
    check(office, table)
    assert not Dataset.objects.exists()


def test_without_winners_the_captions_are_candidates(
    office: Client, table: Upload
) -> None:
    data = offered(check(office, table))
    labels = {"file0-label3": "Camel", "file0-label4": "Heron"}
    again = look_again(office, table, data | labels | {"file0-role5": ""})

    assert figures(again) == {"images": "3", "references": "6", "candidates": "6"}


def test_roles_that_do_not_fit_are_refused_and_nothing_is_lost(
    office: Client, table: Upload
) -> None:
    data = offered(check(office, table))
    labels = {"file0-label3": "Camel", "file0-label4": "Camel"}
    refused = look_again(office, table, data | labels)

    assert "Give each column of captions the name of another system." in refused
    assert 'name="file0-label4" value="Camel"' in refused
    assert not Dataset.objects.exists()


def test_another_table_may_be_called_wide_and_is_shown_to_be_corrected(
    office: Client,
) -> None:
    row = sent(office, b"a;b\n1;2\n3;4\n", "numbers.csv")
    data = offered(check(office, row))
    shown = look_again(office, row, data | {"file0-table": "wide table"})

    roles = offered(shown)
    assert (roles["file0-role0"], roles["file0-role1"]) == ("image", "")


def test_the_next_table_with_this_header_is_read_in_the_same_way(
    office: Client, table: Upload
) -> None:
    data = offered(check(office, table))
    labels = {"file0-label3": "Dromedary", "file0-label4": "Heron"}
    look_again(office, table, data | labels)
    bring_in(office, table, "mine")

    text = "\r\n".join([HEADER, LINES[0]])
    again = sent(office, text.encode("windows-1252"), "more.csv")
    assert 'value="Dromedary"' in check(office, again)


def test_votes_of_several_people_are_a_study_collected_elsewhere(
    office: Client,
) -> None:
    header = "image,human 1,human 2,Camel,Heron,Rater 1,Rater 2,Rater 3"
    lines = [
        "d1,a dog runs,the dog runs,a dog is there,one hound runs off,2,2,1",
        "d2,a cat sleeps,the cat sleeps,a cat is there,one cat lies down,1,=,1",
    ]
    row = sent(office, "\n".join([header, *lines]).encode(), "voted.csv")
    shown = check(office, row)

    assert figures(shown)["votes"] == "6"
    data = offered(shown)
    meanings = [data[f"file0-winner{number}"] for number in range(3)]
    assert meanings == ["B", "C", "tie"]

    ask_for_import(office, row, "voted", collection="finished")
    imported = check(office, row)
    study = Dataset.objects.get().studies.get()
    assert (study.protocol, study.votes) == ("pairwise", 3)

    assert imported.index("Study: ") < imported.index("Dataset: ")
    page = office.get(study.get_absolute_url()).content.decode()
    assert "Collection" in page
    assert "checklist" not in page


@pytest.mark.parametrize("name", ["judged.csv", "votes.csv", "pairs.csv"])
def test_columns_of_votes_beside_pairs_are_not_lost(office: Client, name: str) -> None:
    """Whatever people and the file are called."""
    lines = [
        "pair,image,caption B,caption C,ref 1,ref 2,Anna,Ben",
        "q1,d1,a dog is there,one hound runs off,a dog runs,the dog runs,2,2",
        "q2,d2,a cat is there,one cat lies down,a cat sleeps,the cat sleeps,1,",
    ]
    row = sent(office, "\n".join(lines).encode(), name)
    shown = check(office, row)

    assert figures(shown)["votes"] == "3"
    data = offered(shown)
    roles = [data[f"file0-role{number}"] for number in (0, 6, 7)]
    assert roles == ["pair", "vote", "vote"]
    assert data["file0-table"] == WIDE
    assert "left out" not in shown

    ask_for_import(office, row, "voted", collection="finished")
    check(office, row)
    names = [pair.name for pair in Pair.objects.order_by("pk")]
    assert names == ["q1", "q2"]


OWN = (
    "pair,image,candidate_b,candidate_c,category,source_b,source_c,winner,Anna,Ben,ref,"
    "note"
)
OWN_LINES = (
    "q1,d1,a dog is there,one hound runs off,MM,Camel,Heron,C,C,C,a dog runs,seen in the park",
    "q2,d2,a cat is there,one cat lies down,HM,Camel,human,,B,C,a cat sleeps,seen on a roof",
)


def test_our_own_pairs_with_votes_lose_neither_votes_nor_systems(
    office: Client, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "pairs.csv").write_text("\n".join([OWN, *OWN_LINES]))
    (folder / "references.csv").write_text("image,caption\nd1,a dog\nd2,a cat\n")
    row = sent(office, packed(folder), "mine.zip")
    shown = check(office, row)
    assert (figures(shown)["references"], figures(shown)["votes"]) == ("2", "4")

    ask_for_import(office, row, "mine", collection="finished")
    check(office, row)
    first, second = Pair.objects.order_by("pk")
    assert (first.name, first.category, first.b.source) == ("q1", "MM", "Camel")
    assert (second.name, second.category, second.c.source) == ("q2", "HM", "human")


def test_pairs_with_votes_may_be_read_as_pairs_and_again_as_votes(
    office: Client,
) -> None:
    row = sent(office, "\n".join([OWN, *OWN_LINES]).encode(), "pairs.csv")
    data = offered(check(office, row))
    again = offered(look_again(office, row, data | {"file0-table": ""}))
    assert again["file0-table"] == ""

    shown = look_again(office, row, again | {"file0-table": WIDE})
    assert figures(shown)["votes"] == "4"


def test_the_log_says_which_columns_were_read_as_what(
    office: Client, table: Upload
) -> None:
    check(office, table)
    bring_in(office, table, "mine")
    event = Event.objects.get(what="imported dataset")
    [reading] = event.details["reading"]

    assert event.by == table.created_by
    assert (event.details["name"], event.details["pairs"]) == ("mine", 3)
    assert "captions.csv: Bild → image" in reading
    assert "Camel → caption; Heron → caption" in reading
    assert "1 → B; 2 → C" in reading


def test_winners_that_are_called_like_systems_hide_no_column_in_the_log(
    office: Client,
) -> None:
    lines = [
        "image,human 1,human 2,Camel,Heron,better",
        "d1,a dog runs,the dog runs,a dog is there,one hound runs off,Heron",
        "d2,a cat sleeps,the cat sleeps,a cat is there,one cat lies down,Camel",
    ]
    row = sent(office, "\n".join(lines).encode(), "named.csv")
    check(office, row)
    bring_in(office, row, "named")
    [reading] = Event.objects.get(what="imported dataset").details["reading"]

    assert "Camel → caption; Heron → caption" in reading
    assert "Camel → B; Heron → C" in reading
