"""Score submissions, and compute the leaderboards of a challenge."""

import json
import os
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

import pandas as pd
from django.db import transaction
from django.utils import timezone

from tercet import __version__
from tercet.analysis.dataset.winners import pair_winners
from tercet.analysis.leaderboard.baselines import most_frequent_caption, random_captions
from tercet.analysis.leaderboard.board import leaderboard
from tercet.analysis.leaderboard.people import WinFraction, human_column
from tercet.analysis.leaderboard.rules import Rules
from tercet.analysis.leaderboard.scores import SystemScores
from tercet.analysis.leaderboard.scoring import score_held_out, score_system
from tercet.analysis.leaderboard.tables import to_json
from tercet.analysis.progress import Progress, part, silent
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.annotation.challenges.references import (
    references_of,
    rules_of,
    scoring_rules_of,
)
from tercet.annotation.challenges.submissions import check_file
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.models import Challenge, Submission
from tercet.annotation.models.challenge import HIDDEN, counts_text
from tercet.annotation.results.digests import state_of

HUMAN, RANDOM, FREQUENT = "human", "random caption", "most frequent caption"
"""The rows of a leaderboard that nobody submitted."""
CAPTIONS, PEOPLE = 7, 8
"""Purposes of random numbers: to choose captions, and to resample the pairs of people."""
PAIR_COLUMNS = ["image", "source_b", "source_c", "winner"]


def score_submission(submission: Submission, progress: Progress = silent) -> str:
    """Score the captions of a submission, and write the scores and the captions. Idempotent.

    Returns the signature of the scores: what they were computed with.
    """
    challenge = submission.challenge
    path = Path(submission.file.path)
    datasets = challenge.splits
    result = check_file(path, {split: datasets[split] for split in submission.splits})
    if result.problems:
        raise FaultyDataset(result.problems, result.more)

    rules = scoring_rules_of(challenge)
    splits = submission.splits
    for number, split in enumerate(splits):
        step = part(progress, number / len(splits), (number + 1) / len(splits))
        references = list(references_of(datasets[split]).values())
        captions = result.captions[split]

        scores = score_system(references, captions, rules, step)
        scores.save(submission.scores_file(split))
        captions_file = submission.captions_file(split)
        text = json.dumps(captions)
        write_text(captions_file, text)

    return _signature_of(challenge, rules)


def captions_of(submission: Submission) -> list[str]:
    """Return the captions of a scored submission, in the order of the hidden images."""
    try:
        file = submission.captions_file(HIDDEN)
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:  # it was scored before captions were kept
        path = Path(submission.file.path)
        return check_file(path, submission.challenge.splits).captions[HIDDEN]

    captions: list[str] = json.loads(text)
    return captions


def _signature_of(challenge: Challenge, rules: Rules) -> str:
    """Return one line with all that decides the scores of a challenge."""
    parts = [challenge.name]
    for split, dataset in challenge.splits.items():
        references = json.dumps(references_of(dataset))
        written = references.encode()
        digest = sha256(written).hexdigest()
        parts.append(f"{split} references sha256 {digest[:12]}")

    parts += [
        f"reference counts {counts_text(challenge.counts)}",
        ", ".join(rules.names),
        *rules.signatures,
        "tokens: ptb",
        f"Tercet {__version__}",
    ]
    return " · ".join(parts)


def write_boards(challenge: Challenge) -> None:
    """Compute the leaderboard of each split, unless the stored ones are up to date.

    A leaderboard of a later revision, which another worker wrote meanwhile, stays.
    """
    if challenge.board_revision >= challenge.revision:
        return

    people = people_state(challenge)
    scored = challenge.submissions.scored()
    shown = list(scored.listed().order_by("number"))
    texts = {split: _board_text(challenge, split, shown) for split in challenge.splits}

    with transaction.atomic():
        locked = challenge.lock()
        if locked.board_revision >= challenge.revision:
            return

        for split, text in texts.items():
            write_text(challenge.board_file(split), text)

        keys = [submission.pk for submission in shown]
        locked.submissions.exclude(pk__in=keys).update(on_board=False)
        locked.submissions.filter(pk__in=keys).update(on_board=True)
        locked.board_revision = challenge.revision
        locked.board_people = people
        locked.board_at = timezone.now()
        locked.save(update_fields=["board_revision", "board_people", "board_at"])


def people_state(challenge: Challenge) -> str:
    """Return a text that changes with the votes of the studies of a challenge."""
    comparisons = challenge.comparisons.select_related("study")
    return "\n".join(state_of(each.study) for each in comparisons)


def _scores_of(submission: Submission, split: str = HIDDEN) -> SystemScores:
    return SystemScores.load(submission.scores_file(split))


def _board_text(challenge: Challenge, split: str, shown: list[Submission]) -> str:
    others = _baseline_scores(challenge, split)
    systems = {
        submission.row: _scores_of(submission, split)
        for submission in sorted(shown, key=lambda each: each.number)
        if split in submission.splits
    }

    board = leaderboard(
        rules_of(challenge),
        systems,
        others.pop(HUMAN),
        others,
        _people(challenge) if split == HIDDEN else None,
        _marks(challenge, split),
    )
    return to_json(board)


def _marks(challenge: Challenge, split: str) -> dict[str, str]:
    """Return what is written behind the names of metrics from outside."""
    file = _marks_file(challenge, split)
    if not file.is_file():  # an earlier version scored, which had no such metrics
        return {}

    marks: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return marks


def _marks_file(challenge: Challenge, split: str) -> Path:
    return challenge.folder / f"marks-{split}.json"


def _baseline_scores(challenge: Challenge, split: str) -> dict[str, SystemScores]:
    """Return the scores of what nobody submitted, which are computed once for these metrics.

    What is known of the training of metrics is written beside them.
    """
    files = {
        name: challenge.folder / f"{name.replace(' ', '-')}-{split}.npz"
        for name in (HUMAN, RANDOM, FREQUENT)
    }
    names = rules_of(challenge).names
    if not all(
        file.is_file() and SystemScores.load(file).rules.names == names
        for file in files.values()
    ):
        rules = scoring_rules_of(challenge)
        dataset = challenge.splits[split]
        of_images = references_of(dataset)
        marks = rules.marks(of_images, [dataset.origin, dataset.title])
        write_text(_marks_file(challenge, split), json.dumps(marks))

        references = list(of_images.values())
        chance = rules.generator(CAPTIONS)
        at_random = random_captions(references, chance)
        frequent = most_frequent_caption(references)

        score_held_out(references, rules).save(files[HUMAN])
        score_system(references, at_random, rules).save(files[RANDOM])
        score_system(references, frequent, rules).save(files[FREQUENT])

    return {name: SystemScores.load(file) for name, file in files.items()}


def _people(challenge: Challenge) -> dict[str, WinFraction] | None:
    """Return how often people preferred each submission, None without votes.

    Pairs of two equal captions, which nobody is asked about, are ties.
    """
    tables = []
    for comparison in challenge.comparisons.select_related("study__dataset"):
        frames = study_frames(comparison.study)
        winners = pair_winners(frames)
        if winners["votes"].any():
            tables.append(winners[winners["winner"] != ""])
    if not tables:
        return None

    rows = {str(each): each.row for each in challenge.submissions.all()}
    sources = {"source_b": rows, "source_c": rows}
    pairs = pd.concat(tables)[PAIR_COLUMNS].replace(sources)
    return human_column(pairs, rules_of(challenge).generator(PEOPLE))


def write_text(path: Path, text: str) -> None:
    """Write a text file that is there wholly or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(text.encode())

    os.replace(file.name, path)
