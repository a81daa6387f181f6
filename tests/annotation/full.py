"""A dataset folder that uses every table, every column and every kind of vote."""

import json
from pathlib import Path

from tests.folders import write_csv

INFO = {
    "title": "Hills & lakes",
    "description": "Two places.\nA line more.",
    "licence": "CC0",
    "citation": "Nobody (2026)",
    "url": "https://example.org/",
}
STUDY = {
    "title": "Who is nearer?",
    "protocol": "triplet",
    "votes": 3,
    "references": 2,
    "seed": 5,
}
SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'

IMAGES = (
    ("moor", "", "", "no caption yet"),
    ("hill", "pictures/hill.svg", "", "a hill"),
    ("lake", "", "https://example.org/lake.png", ""),
)
REFERENCES = (
    ("hill", "a green hill", "kim"),
    ("lake", 'a "still" lake, at dawn', ""),
    ("hill", "NA", ""),
    ("lake", "eine Seenlandschaft\nim Nebel", "jo"),
    ("hill", "丘の上", "kim"),
    ("lake", "the lake", ""),
)
CANDIDATES = (
    ("lake", "water", "human"),
    ("hill", "a hill", "human"),
    ("hill", "hill hill", "system one"),
    ("hill", "never asked about", "system two"),
)
PAIRS = (
    ("p2", "hill", "a hill", "the hill is green", "HC", "human", "human", "B"),
    ("p1", "hill", "water", "a hill", "HI", "human", "human", ""),
    ("p3", "hill", "hill hill", "a hill", "HM", "system one", "human", "C"),
    ("p4", "lake", "nan", "null", "MM", "system one", "system two", "C"),
)
VOTES = (
    ("p1", 1, "kim", "B", "left", 1.5, 1.25, "2026-05-01T09:30:00+00:00", "valid"),
    ("p1", 1, "jo", "C", "right", 3, "", "2026-05-01T09:30:01.000250+00:00", "valid"),
    ("p1", 1, "", "tie", "", "", "", "", "valid"),
    ("p1", 1, "", "B", "", "", "", "", "valid"),
    ("p1", 2, "kim", "B", "left", 0.001, "", "", "superseded"),
    ("p1", 2, "kim", "C", "left", 0.002, "", "", "valid"),
    ("p2", 3, "jo", "B", "right", 123456.75, "", "", "excluded"),
    ("p3", 1, "ж, too", "C", "right", "", "", "", "valid"),
    ("p4", 3, "jo", "B", "right", "", "", "", "surplus"),
    ("p4", 3, "kim", "tie", "right", "", "", "", "valid"),
)


def full_folder(folder: Path) -> Path:
    """Everything, written just as an export writes it."""
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / "hill.svg").write_text(SVG, encoding="utf-8")
    write_csv(folder / "images.csv", ("image", "file", "url", "alt"), IMAGES)
    write_csv(folder / "references.csv", ("image", "caption", "author"), REFERENCES)
    write_csv(folder / "candidates.csv", ("image", "caption", "source"), CANDIDATES)
    sources = ("source_b", "source_c", "winner")
    pair_columns = ("pair", "image", "candidate_b", "candidate_c", "category", *sources)
    write_csv(folder / "pairs.csv", pair_columns, PAIRS)
    times = ("b_side", "seconds", "active_seconds", "created_at", "status")
    write_csv(folder / "votes.csv", ("pair", "reference", "annotator", "choice", *times), VOTES)
    write_json(folder / "dataset.json", INFO)
    write_json(folder / "study.json", STUDY)
    return folder


def write_json(path: Path, content: object) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
