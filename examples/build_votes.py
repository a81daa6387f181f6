"""Complete the demo's votes: `python -m examples.build_votes`, run from the root of the repository.

The votes of annotators 1 to 12 in `votes.csv` come from `manage.py simulate` and stay as they are.
This adds what the pages of a study show: two annotators who do not read, one of whom always takes
the left sentence and one of whom chooses at random; checks with a known answer; repeated
questions; and times, over two days. The new votes leave the finished pairs as they are. The same
votes give the same bytes.
"""

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from examples.build_demo import DEMO

SEED = 2015
READERS = tuple(f"simulated-{number:02}" for number in range(1, 13))
RANDOM, LEFT = "simulated-13", "simulated-14"
VOTES_NEEDED = 3
BAD_VOTES = 45
CHECKS = 8
GOLD_ACCURACY, SAME_AGAIN = 0.95, 0.85
SECONDS = (1.8, 0.4)
"""Mean and standard deviation of the logarithm of the time per vote, as in a simulation."""
FAST_SECONDS = (-0.9, 0.3)
FIRST_DAY = datetime(2026, 11, 20, 8, tzinfo=UTC)
RATES = {"gold_rate": 0.03, "repeat_rate": 0.03}
OTHER = {"B": "C", "C": "B", "left": "right", "right": "left"}
ORIGINAL = ("pair", "reference", "annotator", "choice", "b_side")
COLUMNS = (*ORIGINAL, "active_seconds", "created_at", "purpose")

Vote = dict[str, str]


def main() -> None:
    """Write votes.csv, gold.csv, and the rates of checks in study.json."""
    votes = [*_original()]
    gold = _gold(votes)

    draw = Random(SEED)
    votes += _careless(votes, draw)
    votes += _checks(votes, gold, draw)
    votes += _repeats(votes, draw)
    _set_times(votes, draw)

    _write("votes.csv", COLUMNS, sorted(votes, key=_place))
    _write("gold.csv", ("pair", "reference", "answer"), gold)
    _set_rates()


def _original() -> Iterator[Vote]:
    """Read the votes that the simulation gave."""
    with (DEMO / "votes.csv").open(encoding="utf-8", newline="") as file:
        for vote in csv.DictReader(file):
            is_check = vote.get("purpose", "study") not in ("", "study")
            if vote["annotator"] in READERS and not is_check:
                yield {name: vote[name] for name in ORIGINAL}


def _triplet(vote: Vote) -> tuple[str, str]:
    return vote["pair"], vote["reference"]


def _gold(votes: Sequence[Vote]) -> list[Vote]:
    """Choose triplets on which all agree, one of a pair, as checks."""
    choices = Counter((*_triplet(vote), vote["choice"]) for vote in votes)
    chosen = {}
    for (pair, reference, choice), count in sorted(choices.items()):
        if count == VOTES_NEEDED and pair not in chosen:
            chosen[pair] = {"pair": pair, "reference": reference, "answer": choice}

    return list(chosen.values())[:CHECKS]


def _careless(votes: Sequence[Vote], draw: Random) -> Iterator[Vote]:
    """Let two annotators who do not read judge triplets that lack votes, one each."""
    counts = Counter(map(_triplet, votes))
    lacking = [triplet for triplet, count in sorted(counts.items()) if count == 1]

    for number, (pair, reference) in enumerate(lacking[: 2 * BAD_VOTES]):
        annotator = (RANDOM, LEFT)[number % 2]
        yield _careless_vote(pair, reference, annotator, draw)


def _careless_vote(pair: str, reference: str, annotator: str, draw: Random) -> Vote:
    b_side = draw.choice(["left", "right"])
    left = "B" if b_side == "left" else "C"

    return {
        "pair": pair,
        "reference": reference,
        "annotator": annotator,
        "choice": left if annotator == LEFT else draw.choice("BC"),
        "b_side": b_side,
    }


def _checks(
    votes: Sequence[Vote], gold: Sequence[Vote], draw: Random
) -> Iterator[Vote]:
    """Let everybody answer the checks that they have not judged for the study."""
    judged = {(*_triplet(vote), vote["annotator"]) for vote in votes}

    for check in gold:
        for annotator in (*READERS, RANDOM, LEFT):
            pair, reference = _triplet(check)
            if (pair, reference, annotator) in judged:
                continue

            vote = _careless_vote(pair, reference, annotator, draw)
            if annotator in READERS:
                is_right = draw.random() < GOLD_ACCURACY
                vote["choice"] = check["answer"] if is_right else OTHER[check["answer"]]
            yield vote | {"purpose": "gold"}


def _repeats(votes: Sequence[Vote], draw: Random) -> Iterator[Vote]:
    """Ask everybody some of their own questions again, with the sides swapped."""
    for annotator in (*READERS, RANDOM, LEFT):
        own = [
            vote
            for vote in votes
            if vote["annotator"] == annotator and "purpose" not in vote
        ]
        for vote in draw.sample(own, CHECKS):
            again = vote | {"b_side": OTHER[vote["b_side"]], "purpose": "repeat"}
            if not _chooses_again(annotator, draw):
                again["choice"] = OTHER[vote["choice"]]
            yield again


def _chooses_again(annotator: str, draw: Random) -> bool:
    """Return whether an annotator chooses the same candidate on the other side."""
    if annotator == LEFT:
        return False

    return draw.random() < (SAME_AGAIN if annotator in READERS else 0.5)


def _set_times(votes: Sequence[Vote], draw: Random) -> None:
    """Let everybody judge in one session on each of two days."""
    for number, annotator in enumerate((*READERS, RANDOM, LEFT)):
        own = [vote for vote in votes if vote["annotator"] == annotator]
        draw.shuffle(own)

        half = (len(own) + 1) // 2
        for day, session in enumerate((own[:half], own[half:])):
            begin = FIRST_DAY + timedelta(
                days=day, minutes=50 * number + draw.randrange(40)
            )
            _set_session(
                session, begin, FAST_SECONDS if annotator == LEFT else SECONDS, draw
            )


def _set_session(
    votes: Sequence[Vote], begin: datetime, pace: tuple[float, float], draw: Random
) -> None:
    """Let the votes of a session follow each other at this pace."""
    now = begin
    for vote in votes:
        seconds = draw.lognormvariate(*pace)
        now += timedelta(seconds=seconds + 0.5)

        vote["active_seconds"] = f"{seconds:.3f}"
        vote["created_at"] = now.isoformat(timespec="milliseconds")


def _place(vote: Vote) -> tuple[str, int, str, str]:
    reference = int(vote["reference"])
    purpose = vote.get("purpose", "")

    return vote["pair"], reference, purpose, vote["created_at"]


def _write(name: str, columns: Sequence[str], rows: Sequence[Vote]) -> None:
    with (DEMO / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)


def _set_rates() -> None:
    path = DEMO / "study.json"
    study = json.loads(path.read_text(encoding="utf-8")) | RATES
    path.write_text(json.dumps(study, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
