"""A dataset folder that uses every table, every column and every kind of vote."""

import json
from pathlib import Path

from tests.support.folders import write_csv

INFO = {
    "title": "Hills & lakes",
    "description": "Two places.\nA line more.",
    "licence": "CC0",
    "citation": "Nobody (2026)",
    "url": "https://example.org/",
}
DEFUSED = {"defused": True}
QUIZ = "Is A a caption?\n- [x] Yes\n- [ ] No\n> It is.\n"
STUDY = {
    "title": "Who is nearer? 👩\u200d🔬",
    "protocol": "triplet",
    "votes": 3,
    "references": 2,
    "seed": 5,
    "state": "paused",
    "ties": True,
    "scale": 2,
    "max_judgments": 200,
    "min_words": 6,
    "sentence_rules": ["short", "opening"],
    "rule_action": "block",
    "language": "zh-Hans",
    "question": "Which is better?",
    "question_help": "Go by the meaning.",
    "label_a": "Original",
    "label_left": "=One",
    "label_right": "Two",
    "label_tie": "Equal",
    "aspects": "Is it right?\n[correctness: grades, 1 to 5]\n- no\n- yes\n",
    "shows_image": True,
    "shows_references": True,
    "institution": "University of Example",
    "contact": "ethics@example.org",
    "duration": "about 10 minutes",
    "pay": "9 GBP per hour",
    "withdrawal": "Write to us.",
    "steps": ["consent", "practice"],
    "consent": "=Do you agree?\n",
    "instructions": "Choose.",
    "comprehension": QUIZ,
    "practice": QUIZ,
    "questionnaire_before": "How old are you?\n[age: number, 18 to 99, required]\n",
    "questionnaire_after": "Anything else?\n[more: text]\n",
    "break_every": 0,
    "offline_questions": 12,
    "skips": True,
    "question_order": "blocks",
    "gold_rate": 0.05,
    "repeat_rate": 0.1,
    "min_seconds": 1.5,
    "enforced_seconds": 0.5,
    "stop_early": True,
    "winners": "decisions",
    "accounts": "invited",
    "link_is_open": False,
    "link_users": "anywhere",
    "crowd_is_open": True,
    "joins_per_hour": 25,
    "person_parameter": "who",
    "study_parameter": "",
    "session_parameter": "visit",
    "collected_elsewhere": False,
    "platform_study": "s-9",
    "crowd_proof": "hmac",
    "recruitment_platform": "Prolific",
    "countries": "Ireland",
    "approval_rate": "at least 95 %",
    "ethics_approval": "=the board",
    "debrief": "Thank *you*.\n",
    "exits": {
        "done": {"code": "C1", "url": "https://example.org/?code={code}"},
        "no_work": {"code": "", "url": ""},
    },
}
STUDY_FILES = (
    "votes.csv",
    "gold.csv",
    "needed.csv",
    "annotators.csv",
    "adjudications.csv",
    "study.json",
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'

IMAGES = (
    ("moor", "", "", "no caption yet"),
    ("hill", "pictures/hill.svg", "", "a hill"),
    ("lake", "", "https://example.org/lake.png", ""),
)
REFERENCES = (
    ("hill", "a green hill", "kim", ""),
    ("lake", 'a "still" lake, at dawn', "", "human"),
    ("hill", "NA", "", "'=a model"),
    ("lake", "eine Seenlandschaft\nim Nebel", "jo", "post-edited"),
    ("hill", "丘の上", "kim", ""),
    ("lake", "the lake", "", "post-edited"),
)
CANDIDATES = (
    ("lake", "water", "human"),
    ("hill", "a hill", "human"),
    ("hill", "hill hill", "system one"),
    ("hill", "'=never asked about", "system two"),
)
PAIRS = (
    ("p2", "hill", "a hill", "the hill is green", "HC", "human", "human", "B"),
    ("p1", "hill", "water", "a hill", "HI", "human", "human", ""),
    ("p3", "hill", "hill hill", "a hill", "HM", "system one", "human", "C"),
    ("p4", "lake", "nan", "null", "MM", "system one", "system two", "C"),
)
AT, LATER = "2026-05-01T09:30:00+00:00", "2026-05-01T09:30:01.000250+00:00"
UNDONE = "undone by the annotator"
VOTES = (
    ("p1", 1, "kim", "B", "left", 1.5, 1.25, AT, "valid", "", "", "study"),
    ("p1", 1, "jo", "C", "right", 3, "", LATER, "valid", "", "", "study"),
    ("p1", 1, "", "tie", "", "", "", "", "valid", "", "", "study"),
    ("p1", 1, "", "B", "", "", "", "", "valid", "", "", "study"),
    ("p1", 1, "kim", "B", "right", 0.5, "", "", "valid", "", "", "repeat"),
    ("p1", 2, "kim", "B", "left", 0.001, "", "", "superseded", AT, UNDONE, "study"),
    ("p1", 2, "kim", "C", "left", 0.002, "", "", "valid", "", "", "study"),
    ("p2", 3, "jo", "B", "right", 123456.75, "", "", "excluded", "", "", "study"),
    (
        "p2",
        1,
        "'-jo",
        "B",
        "right",
        "",
        "",
        "",
        "excluded",
        LATER,
        "'=too, fast",
        "study",
    ),
    ("p3", 1, "ж, too", "C", "right", "", "", "", "valid", "", "", "study"),
    ("p3", 2, "ж, too", "C", "right", "", "", "", "valid", "", "", "gold"),
    ("p4", 3, "jo", "B", "right", "", "", "", "surplus", "", "", "study"),
    ("p4", 3, "kim", "tie", "right", "", "", "", "valid", LATER, "", "study"),
)
GOLD = (("p1", 3, "C"), ("p3", 2, "C"))
NEEDED = (("p2", 1, 5), ("p4", 2, 4))
"""The first had five votes that counted once, the second was asked for more."""
ANNOTATORS = (
    ("nobody yet", AT, "consent", "", "", "", ""),
    ("kim", AT, "judging", "done", LATER, "", ""),
    ("jo", "", "judging", "", "", "", ""),
    ("declined", AT, "consent", "screened_out", LATER, "", ""),
    ("'-jo", AT, "judging", "", "", LATER, "'=too, fast"),
    ("ж, too", AT, "judging", "no_work", LATER, "", ""),
)
ADJUDICATIONS = (
    ("p1", "B", "adjudicator-1", AT, "'=looks nearer", LATER),
    ("p4", "tie", "adjudicator-2", AT, "", ""),
    ("p1", "C", "adjudicator-1", LATER, "B is about water", ""),
)
NAMES = {
    "kim": ("Kim's link", "", "AB-CD"),
    "jo": ("", "crowd-7", ""),
    "-jo": ("", "=8", ""),
}
"""The label, external id and code of some."""


def full_folder(folder: Path) -> Path:
    """Everything, written just as an export writes it."""
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / "hill.svg").write_text(SVG, encoding="utf-8")
    write_csv(folder / "images.csv", ("image", "file", "url", "alt"), IMAGES)
    columns = ("image", "caption", "author", "origin")
    write_csv(folder / "references.csv", columns, REFERENCES)
    write_csv(folder / "candidates.csv", ("image", "caption", "source"), CANDIDATES)
    sources = ("source_b", "source_c", "winner")
    pair_columns = ("pair", "image", "candidate_b", "candidate_c", "category", *sources)
    write_csv(folder / "pairs.csv", pair_columns, PAIRS)
    times = ("b_side", "seconds", "active_seconds", "created_at")
    states = ("status", "status_at", "reason", "purpose")
    choices = ("pair", "reference", "annotator", "choice")
    write_csv(folder / "votes.csv", (*choices, *times, *states), VOTES)
    write_csv(folder / "gold.csv", ("pair", "reference", "answer"), GOLD)
    write_csv(folder / "needed.csv", ("pair", "reference", "needed"), NEEDED)
    ways = (
        "joined_at",
        "step",
        "outcome",
        "finished_at",
        "excluded_at",
        "excluded_reason",
    )
    write_csv(folder / "annotators.csv", ("annotator", *ways), ANNOTATORS)
    decided = (
        "pair",
        "decision",
        "adjudicator",
        "decided_at",
        "reason",
        "superseded_at",
    )
    write_csv(folder / "adjudications.csv", decided, ADJUDICATIONS)
    write_json(folder / "dataset.json", INFO | DEFUSED)
    write_json(folder / "study.json", STUDY)

    return folder


def write_json(path: Path, content: object) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")
