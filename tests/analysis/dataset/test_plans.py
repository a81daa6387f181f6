"""Tables as other tools write them: what is imported, and what is asked."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import Reading, read
from tests.support.folders import write_csv

IMAGES = ("harbour", "bakery", "tram", "kite")
REFERENCES = (
    "Two fishermen mend a green net on the quay.",
    "A baker slides loaves into a stone oven.",
    "A yellow tram climbs a steep street.",
    "A girl flies a red kite on a windy hill.",
)
FIRST = (
    "two men sitting next to a boat",
    "a woman putting bread in an oven",
    "a yellow train on a city street",
    "a young girl holding a kite",
)
SECOND = (
    "a man holding a surfboard on the water",
    "a person is making a pizza in a kitchen",
    "a bus driving down a road at night",
    "a person flying a plane in the sky",
)
PAIRS = [*zip(IMAGES, REFERENCES, FIRST, SECOND, strict=True)]
PAIR_COLUMNS = ("image", "reference", "caption_a", "caption_b")


def counts(reading: Reading) -> dict[str, int]:
    names = ("references", "candidates", "pairs", "votes", "ratings")
    found = {name: len(getattr(reading.dataset, name)) for name in names}
    return {name: count for name, count in found.items() if count}


def of_csv(
    folder: Path, header: Sequence[str], rows: Sequence[Sequence[object]]
) -> Reading:
    write_csv(folder / "table.csv", header, rows)
    return read(folder, references_alone=True)


def of_json(folder: Path, value: object, name: str = "table.json") -> Reading:
    (folder / name).write_text(json.dumps(value))
    return read(folder, references_alone=True)


def asked(reading: Reading) -> list[str]:
    return [each.column for each in reading.open_questions]


def test_ratings_of_several_people_side_by_side_are_ratings(tmp_path: Path) -> None:
    header = ("image", "reference", "caption", "rater 1", "rater 2", "rater 3")
    rows = [(*pair[:3], 4, 2, 5) for pair in PAIRS]
    assert counts(of_csv(tmp_path, header, rows)) == {"references": 4, "ratings": 12}


@pytest.mark.parametrize("values", ["ABA", "425"])
def test_columns_called_after_people_are_asked_about(
    tmp_path: Path, values: str
) -> None:
    header = (*PAIR_COLUMNS, "Anna", "Bert", "Chris")
    reading = of_csv(tmp_path, header, [(*pair, *values) for pair in PAIRS])
    assert asked(reading) == ["Anna", "Bert", "Chris"]


def test_an_unnamed_index_is_not_asked_about(tmp_path: Path) -> None:
    rows = [(number, *pair) for number, pair in enumerate(PAIRS)]
    assert asked(of_csv(tmp_path, ("", *PAIR_COLUMNS), rows)) == []


def test_answers_of_a_form_with_a_column_a_question_need_other_rows(
    tmp_path: Path,
) -> None:
    questions = [f"Which caption is better for {image}?" for image in IMAGES]
    rows: list[tuple[object, ...]] = [
        ("10:00", "p1", *"ABAB"),
        ("11:00", "p2", *"BBAA"),
    ]
    reading = of_csv(tmp_path, ("Timestamp", "Username", *questions), rows)

    [question] = reading.open_questions
    assert question.what.startswith("8 answers in column Which caption")
    assert "write a row for each answer" in question.what


def test_the_texts_of_questions_say_what_columns_of_short_names_hold(
    tmp_path: Path,
) -> None:
    header = ("ResponseId", "image", "ref", "capA", "capB", "Q7")
    texts = ("Response ID", "Image", "Reference", "Caption A", "Caption B", "Which?")
    ids = tuple(json.dumps({"ImportId": name}) for name in header)
    answers = [
        (f"R{k}{pair[0]}", *pair, "A" if k else "B") for pair in PAIRS for k in (0, 1)
    ]
    texts = (*texts[:-1], "Which is more similar?")
    assert counts(of_csv(tmp_path, header, [texts, ids, *answers])) == {
        "references": 4,
        "pairs": 4,
        "votes": 8,
    }


def test_results_in_a_json_list_are_of_a_system_and_repeated_images_are_not(
    tmp_path: Path,
) -> None:
    header = ("image_id", "image_url", "caption")
    rows = [(image, "x", text + end) for image, text, *_ in PAIRS for end in ("", "!")]
    (tmp_path / "csv").mkdir()
    (tmp_path / "json").mkdir()
    assert counts(of_csv(tmp_path / "csv", header, rows)) == {"references": 8}

    results = [{"image_id": n, "caption": text} for n, text in enumerate(FIRST)]
    reading = of_json(tmp_path / "json", results, "blip.json")
    assert [*reading.dataset.candidates["source"].unique()] == ["blip"]


def test_gts_and_res_are_references_and_captions(tmp_path: Path) -> None:
    reading = of_json(
        tmp_path,
        {
            "gts": {image: [{"caption": ref}] for image, ref, *_ in PAIRS},
            "res": {image: [{"caption": text}] for image, _, text, _ in PAIRS},
        },
    )
    assert counts(reading) == {"references": 4, "candidates": 4}


def test_captions_by_the_names_of_their_systems_in_nested_json(tmp_path: Path) -> None:
    entries = {
        image: {"references": [ref], "candidates": {"blip": one, "ofa": other}}
        for image, ref, one, other in PAIRS
    }
    reading = of_json(tmp_path, entries)
    assert counts(reading) == {"references": 4, "candidates": 8}


def test_an_answer_of_label_studio_that_is_an_object_is_not_lost(
    tmp_path: Path,
) -> None:
    ranker = {"ranker": {"best": ["one", "two"], "worst": []}}
    result = {"from_name": "order", "type": "ranker", "value": ranker}
    tasks = [
        {
            "id": number,
            "annotations": [{"completed_by": 1, "result": [result]}],
            "data": dict(zip(PAIR_COLUMNS, pair, strict=True)),
        }
        for number, pair in enumerate(PAIRS)
    ]
    reading = of_json(tmp_path, tasks)
    [plan] = reading.plans
    assert [*plan.table.frame["order"]] == ['["one", "two"]'] * 4
    assert any("order" in text for text in plan.lost)


def test_labels_of_doccano_that_are_sentences_are_references(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": n, "filename": f"{image}.jpg", "label": [ref]})
        for n, (image, ref, *_) in enumerate(PAIRS)
    ]
    (tmp_path / "all.jsonl").write_text("\n".join(lines))
    reading = read(tmp_path, references_alone=True)
    assert counts(reading) == {"references": 4}
    assert asked(reading) == []


def test_a_file_that_is_not_read_alone_is_the_problem(tmp_path: Path) -> None:
    (tmp_path / "table.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    [problem] = read(tmp_path).problems
    assert (problem.file, problem.what) == (
        "table.xls",
        "is an Excel file of before 2007",
    )


def karpathy(folder: Path) -> None:
    images = [
        {
            "filepath": "val2014",
            "filename": f"COCO_val2014_{10 + number:012}.jpg",
            "sentids": [number],
            "imgid": number,
            "cocoid": 10 + number,
            "split": "test",
            "sentences": [
                {"raw": text, "tokens": text.lower().split(), "sentid": number}
            ],
        }
        for number, (_image, text, *_others) in enumerate(PAIRS)
    ]
    (folder / "dataset_coco.json").write_text(
        json.dumps({"images": images, "dataset": "coco"})
    )


def test_tokens_and_numbers_of_karpathy_are_no_captions(tmp_path: Path) -> None:
    karpathy(tmp_path)
    reading = read(tmp_path, references_alone=True)
    assert (counts(reading), asked(reading)) == ({"references": 4}, [])
    assert reading.dataset.references["image"][0] == "COCO_val2014_000000000010.jpg"


def test_images_are_named_by_the_column_that_another_file_shares(
    tmp_path: Path,
) -> None:
    karpathy(tmp_path)
    results = [{"image_id": 10 + n, "caption": text} for n, text in enumerate(FIRST)]
    reading = of_json(tmp_path, results, "blip.json")
    assert reading.problems == []
    assert counts(reading) == {"references": 4, "candidates": 4}


def test_a_table_of_captions_alone_is_not_lost_beside_references(
    tmp_path: Path,
) -> None:
    write_csv(tmp_path / "refs.csv", ("image", "reference"), [p[:2] for p in PAIRS])
    rows = [(image, *texts) for image, _reference, *texts in PAIRS]
    reading = of_csv(tmp_path, ("image", "BLIP", "OFA"), rows)
    assert counts(reading) == {"references": 4, "candidates": 8}


def test_records_beside_notes_in_json_are_found_with_their_systems(
    tmp_path: Path,
) -> None:
    items = [{"image": i, "refs": [ref], "BLIP": one} for i, ref, one, _ in PAIRS]
    reading = of_json(tmp_path, {"status": "ok", "data": {"items": items, "count": 4}})
    assert (counts(reading), asked(reading)) == ({"references": 4, "candidates": 4}, [])


def test_a_rating_that_is_wrapped_in_json_is_a_number(tmp_path: Path) -> None:
    rows = [(*pair[:3], '[{"rating": 4}]') for pair in PAIRS]
    reading = of_csv(tmp_path, ("image", "reference", "caption", "rating"), rows)
    assert reading.problems == []
    assert [*reading.dataset.ratings["rating"]] == ["4"] * 4


def test_numbers_of_unknown_columns_do_not_hold_up_what_is_answered(
    tmp_path: Path,
) -> None:
    header = (*PAIR_COLUMNS, "worker", "choice", "trust")
    rows = [(*pair, "w1", "A", n % 2 + 3) for n, pair in enumerate(PAIRS)]
    reading = of_csv(tmp_path, header, rows)
    assert asked(reading) == []
    assert any("trust (4 numbers) is not used" in text for text in reading.warnings)


def test_columns_that_count_are_no_ratings_of_captions(tmp_path: Path) -> None:
    rows = [(*pair, n % 3) for n, pair in enumerate(PAIRS)]
    reading = of_csv(tmp_path, ("image", "reference", "BLIP", "OFA", "words"), rows)
    assert asked(reading) == []


def test_rows_without_an_answer_are_counted(tmp_path: Path) -> None:
    rows = [(*pair, "w1", "AB"[n % 2] * (n > 0)) for n, pair in enumerate(PAIRS)]
    reading = of_csv(tmp_path, (*PAIR_COLUMNS, "worker", "choice"), rows)
    assert "table.csv: 1 row has no answer in column choice" in reading.warnings
    assert counts(reading)["votes"] == 3


def test_a_table_of_which_no_column_is_known_asks_what_it_holds(tmp_path: Path) -> None:
    reading = of_csv(tmp_path, ("图片", "参考", "模型"), [pair[:3] for pair in PAIRS])
    [question] = reading.open_questions
    assert "which one names the images" in question.what


def test_a_column_is_asked_about_once(tmp_path: Path) -> None:
    rows = [(*pair[:2], "x") for pair in PAIRS]
    reading = of_csv(tmp_path, ("image", "reference", "displayed_text"), rows)
    assert asked(reading) == ["displayed_text"]


def test_names_that_differ_by_their_endings_are_told_apart(tmp_path: Path) -> None:
    references = [(f"{image}.jpg", text) for image, text, *_ in PAIRS]
    write_csv(tmp_path / "refs.csv", ("image", "reference"), references)
    captions = [(image, *texts) for image, _reference, *texts in PAIRS]
    reading = of_csv(tmp_path, ("image", "BLIP", "OFA"), captions)
    assert len(reading.problems) == 4
    assert reading.problems[0].remedy == (
        "Write the names as the other file does: harbour is harbour.jpg there"
    )
