"""The tables of a report, compared with each other and with the dataset."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from tests.reader.coefficients import coefficients
from tests.reader.dataset import Data
from tests.reader.report import Report, Row, known, number
from tests.reader.rules.answer import verdict

NEAR = Decimal("1e-6")


def wrong_tables(report: Report, data: Data) -> Iterator[tuple[str, str]]:
    """Yield the figures of tables that the dataset contradicts, of all that needs no metric."""
    winner = {pair.row["pair"]: pair.winner for pair in data.pairs}
    for row in report.rows("winners"):
        if row["winner"] != winner[row["pair"]]:
            yield (
                "winners.csv",
                f"{row['pair']}: {row['winner']}, should be {winner[row['pair']]}",
            )

    scores = data.table("scores")
    of_pairs = [
        row for row in scores if row.get("pair") and not row.get("reference_count")
    ]
    for metric in dict.fromkeys(row["metric"] for row in of_pairs):
        own = {row["pair"]: row for row in of_pairs if row["metric"] == metric}
        yield from _wrong_accuracies(report, data, metric, own)
    yield from _wrong_coefficients(report, data)


def unlike_tables(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the figures that two tables, or two columns, have differently."""
    yield from _unlike_means(report)
    for row in report.rows("answer"):
        there = row["category"], row["reference_count"]
        sides = [known(row, f"accuracy_{side}") for side in "ab"]
        own = [report.accuracy(row[f"metric_{side}"], *there) for side in "ab"]
        for shown, other in zip(sides, own, strict=True):
            if other and not _is_near(shown, number(other, "accuracy")):
                yield "answer.csv", f"{dict(row)}: accuracy.csv has {other['accuracy']}"
        if not _is_near(known(row, "difference"), sides[0] - sides[1]):
            yield "answer.csv", f"{row['difference']} is not {sides[0]} - {sides[1]}"
        if row["verdict"] != verdict(row):
            yield "answer.csv", f"{row['verdict']}, should be {verdict(row)}"
    for row in report.rows("table_numbers"):
        found = report.rows(
            "accuracy",
            metric=row["metric"],
            category=row["category"],
            reference_count=row["reference_count"],
        )
        if found and found[0]["accuracy"] != row["accuracy"]:
            yield (
                "table_numbers.csv",
                f"{dict(row)}: accuracy.csv has {found[0]['accuracy']}",
            )


def _unlike_means(report: Report) -> Iterator[tuple[str, str]]:
    """Compare means with the accuracies of the categories."""
    by_row: dict[tuple[str, str], list[Decimal]] = {}
    for row in report.rows("accuracy"):
        value = number(row, "accuracy")
        if row["category"] not in ("mean", "all") and value is not None:
            by_row.setdefault((row["metric"], row["reference_count"]), []).append(value)
    for row in report.rows("accuracy", category="mean"):
        values = by_row.get((row["metric"], row["reference_count"]), [])
        if number(row, "accuracy") is None or not values:
            continue
        should = sum(values, Decimal()) / len(values)
        if row["metric"] != "random" and not _is_near(should, number(row, "accuracy")):
            yield (
                "accuracy.csv",
                f"{row['metric']}, mean: {row['accuracy']}, should be {should}",
            )


def _is_near(value: Decimal, other: Decimal | None) -> bool:
    return other is not None and abs(value - other) < NEAR


def _wrong_accuracies(
    report: Report, data: Data, metric: str, scores: Mapping[str, Row]
) -> Iterator[tuple[str, str]]:
    """Compare the accuracies of a supplied metric with the winners."""
    for row in report.rows("accuracy", metric=metric):
        group, count = row["category"], row["reference_count"]
        if group == "mean":
            continue
        pairs = [
            pair
            for pair in data.in_group(group, count)
            if group == "all" or data.category_of(pair) == group
        ]
        credit = [_credit(pair.winner, scores[pair.row["pair"]]) for pair in pairs]
        shown = number(row, "accuracy")
        should = sum(credit, Decimal()) / len(credit) if credit else None
        is_same = should is not None and _is_near(should, shown)
        if not is_same and (shown, should) != (None, None):
            told = f"{metric}, {group}, {count}: {shown}, should be {should}"
            yield "accuracy.csv", told


def _credit(winner: str, row: Row) -> Decimal:
    b, c = Decimal(row["score_b"]), Decimal(row["score_c"])
    if winner == "tie" or b == c:
        return Decimal("0.5")
    return Decimal((b > c) == (winner == "B"))


def _wrong_coefficients(report: Report, data: Data) -> Iterator[tuple[str, str]]:
    """Compare the coefficients of supplied metrics, with every rating, with those of own code."""
    by_caption = {
        (row["metric"], row["image"], row["caption"]): float(row["score"])
        for row in data.table("scores")
        if row.get("score") and row.get("caption")
    }
    supplied = {metric for metric, _image, _caption in by_caption}
    for row in report.rows("ratings", convention="every rating"):
        shown = number(row, "value")
        if row["metric"] not in supplied or shown is None:
            continue
        rated = [
            each
            for each in data.rated
            if each.get("aspect", "") == row.get("aspect", "")
        ]
        ratings = [float(each["rating"]) for each in rated]
        scores = [
            by_caption[row["metric"], each["image"], each["caption"]] for each in rated
        ]
        should = coefficients(scores, ratings)[row["coefficient"]]
        if not _is_near(shown, Decimal(should)):
            yield (
                "ratings.csv",
                f"{row['metric']}, {row['coefficient']}: {shown}, not {should}",
            )
