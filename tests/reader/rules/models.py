"""Learned metrics beside single ones, and metrics from outside."""

from decimal import Decimal

from tests.reader import numbers
from tests.reader.report import BASELINES, Row, known, number
from tests.reader.rule import Claim, says
from tests.reader.rules.answer import LEVEL
from tests.reader.rules.pairs import requires_pairs
from tests.reader.rules.ratings import COEFFICIENTS

MODELS = ("winner model", "best single metric", "rating model")
FOLDS = 10
LEAST_IMAGES = 2 * FOLDS


def row_of(claim: Claim, table: str, begins: str, **wanted: str) -> Row:
    """Return the row of a model, by how its name begins."""
    rows = claim.report.rows(table, **wanted)
    [row] = [row for row in rows if row["model"].startswith(begins)]
    return row


def in_words(names: set[str]) -> str:
    """Say how many metrics there are, and which baselines beside them."""
    main = numbers.counted(len(names - BASELINES), "metric")
    beside = sorted(names & BASELINES)
    word = "baseline" if len(beside) == 1 else "baselines"
    return f"{main} and the {word} {numbers.listed(beside, 'and')}" if beside else main


def requires_best(claim: Claim, row: Row, values: dict[str, Decimal]) -> None:
    """Require that the metric that is called the best in hindsight has the largest value."""
    best = {name for name, value in values.items() if value == max(values.values())}
    said = {*row["metric"].replace(" and ", ", ").split(", ")}
    claim.requires(said == best, f"the best are {sorted(best)}")


@says(
    "{on}, a weighted sum of {metrics} agrees with people in {accuracy} % of cases with "
    "{references} (mean over {assignments} assignments of images to folds, {least} to {most}), and "
    "the best single metric in {single} % ({p}), each chosen without the images it is judged by."
)
def model_of_winners(claim: Claim) -> dict[str, str]:
    group = claim.report.main_group
    model = row_of(claim, "learned", "winner model", category=group)
    single = row_of(claim, "learned", "best single", category=group)
    requires_pairs(claim, claim.said["on"], group, "all")
    spread = claim.report.rows("learned_assignments", category=group)
    of_model = [known(row, model["model"]) for row in spread]
    return {
        "metrics": in_words(
            {row["metric"] for row in claim.report.rows("learned_weights")}
        ),
        "accuracy": numbers.percent(known(model, "accuracy")),
        "assignments": str(len(of_model)),
        "least": numbers.percent(min(of_model)),
        "most": numbers.percent(max(of_model)),
        "single": numbers.percent(known(single, "accuracy")),
        "p": numbers.p_value(known(model, "p")),
    }


@says("Best in hindsight: {metric}, {accuracy} % ({p}).")
def best_in_hindsight(claim: Claim) -> dict[str, str]:
    group = claim.report.main_group
    row = row_of(claim, "learned", "single metric", category=group)
    values = {}
    for weight in claim.report.rows("learned_weights"):
        own = claim.report.accuracy(weight["metric"], group, claim.report.last_count)
        if own:
            values[weight["metric"]] = known(own, "accuracy")
    requires_best(claim, row, values)
    model = row_of(claim, "learned", "winner model", category=group)
    return {
        "metric": row["metric"],
        "accuracy": numbers.percent(known(row, "accuracy")),
        "p": numbers.p_value(known(model, "p_best")),
    }


@says(
    "{on}, without these references, a weighted sum of {metrics} agrees with people in {accuracy} "
    "% of cases, and the best single metric in {single} % ({p})."
)
def model_without_references(claim: Claim) -> None:
    """Hold: what is learned there is in no table."""


@says("Without these references, nothing can be learned.")
def nothing_learned(claim: Claim) -> None:
    """Hold: what is learned there is in no table."""


@says(
    "In {share} % of {pairs} pairs, a candidate also belongs to an image in another fold; --folds "
    "captions keeps such images in one fold.",
    "{share} % of {captions} rated captions are also rated with an image in another fold; --folds "
    "captions keeps such images in one fold.",
)
def shared_captions(claim: Claim) -> dict[str, str]:
    """Require that captions of several images are there; the folds are drawn."""
    images: dict[str, set[str]] = {}
    rows = [
        (row["image"], row[column])
        for table, columns in (
            (claim.data.table("pairs"), ("candidate_b", "candidate_c")),
            (claim.data.rated, ("caption",)),
        )
        for row in table
        for column in columns
    ]
    for image, caption in rows:
        images.setdefault(caption, set()).add(image)
    several = [caption for caption, own in images.items() if len(own) > 1]
    claim.requires(bool(several), "no caption is of two images")
    if "pairs" in claim.said:
        return {"pairs": numbers.count(len(claim.data.judged))}
    return {"captions": numbers.count(len({*rows}))}


@says(
    "A model takes {least} images that share no caption with others; there are {groups} groups of "
    "images that share captions.",
    "A model takes two metrics and ratings of {least} images; there are {images} images.",
)
def too_few_images(claim: Claim) -> dict[str, str]:
    said = claim.said.get("groups") or claim.said["images"]
    claim.requires(int(said) < LEAST_IMAGES, f"{said} are enough")
    return {"least": str(LEAST_IMAGES)}


@says("A model needs two metrics that score every pair.")
def too_few_metrics(claim: Claim) -> None:
    claim.requires(not claim.report.rows("learned"), "models were learned")


@says(
    "By {coefficient} (times 100), a weighted sum of {metrics} has {value} (mean over "
    "{assignments} assignments of images to folds, {least} to {most}), the best single metric "
    "{single} ({p}), and {best}, the best in hindsight, {hindsight} ({p_best}).",
    "For “{aspect}”, by {coefficient} (times 100), a weighted sum of {metrics} has {value} (mean "
    "over {assignments} assignments of images to folds, {least} to {most}), the best single metric "
    "{single} ({p}), and {best}, the best in hindsight, {hindsight} ({p_best}).",
)
def model_of_ratings(claim: Claim) -> dict[str, str]:
    names = {words: name for name, words in COEFFICIENTS.items()}
    wanted = {"coefficient": names[claim.said["coefficient"]]}
    if "aspect" in claim.said:
        wanted["aspect"] = claim.said["aspect"]
    model, single, hindsight = (
        row_of(claim, "learned_ratings", begins, **wanted)
        for begins in ("rating model", "best single", "single metric")
    )
    spread = claim.report.rows("learned_ratings_assignments", **wanted)
    of_model = [known(row, model["model"]) for row in spread]
    rated = {row["metric"] for row in claim.report.rows("ratings")}
    return {
        "metrics": in_words(rated - {"one rater", "random", model["model"]}),
        "value": numbers.percent(known(model, "value")),
        "assignments": str(len(of_model)),
        "least": numbers.percent(min(of_model)),
        "most": numbers.percent(max(of_model)),
        "single": numbers.percent(known(single, "value")),
        "p": numbers.p_value(known(model, "p")),
        "best": hindsight["metric"],
        "hindsight": numbers.percent(known(hindsight, "value")),
        "p_best": numbers.p_value(known(model, "p_best")),
    }


@says("So it is better than the best single metric by {gains}, and worse by {losses}.")
def gains_and_losses(claim: Claim) -> dict[str, str]:
    found: dict[bool, list[str]] = {True: [], False: []}
    for row in claim.report.rows("learned_ratings"):
        p, gain = number(row, "p"), number(row, "difference")
        if row["model"] == "rating model" and p is not None and gain and p <= LEVEL:
            found[gain > 0].append(COEFFICIENTS[row["coefficient"]])
    return {"gains": ", ".join(found[True]), "losses": ", ".join(found[False])}


@says(
    "Each is chosen without the images it is judged by, but for the best in hindsight."
)
def chosen_without(claim: Claim) -> None:
    claim.requires(bool(claim.report.rows("learned_ratings")), "nothing was learned")


@says("Every metric gives all captions the same score.")
def constant_scores(claim: Claim) -> None:
    rows = claim.report.rows("learned_ratings", aspect="")
    claim.requires(not rows, "models were learned")


@says(
    "{repeat} of {all} metric from outside repeats its scores{unchecked}.",
    "{repeat} of {all} metrics from outside repeat their scores{unchecked}.",
    "{repeat} of {all} metric from outside repeats its scores.",
    "{repeat} of {all} metrics from outside repeat their scores.",
)
def repeated_scores(claim: Claim) -> dict[str, str]:
    rows = claim.report.rows("outside")
    states = [row["repeatable"] for row in rows]
    unchecked = states.count("not checked")
    claim.requires(("unchecked" in claim.said) == bool(unchecked), f"{states}")
    is_plural = "metrics" in claim.text
    claim.requires(is_plural == (len(rows) != 1), f"there are {len(rows)}")
    truth = {"repeat": str(states.count("yes")), "all": str(len(rows))}
    if unchecked:
        verb = "was" if unchecked == 1 else "were"
        truth["unchecked"] = f"; {unchecked} {verb} not checked"
    return truth


@says(
    "Trained on these captions, certainly: {certain}, likely: {likely}; training data undeclared: "
    "{undeclared}."
)
def trained(claim: Claim) -> dict[str, str]:
    states = [row["training"] for row in claim.report.rows("outside")]
    return {
        name: str(states.count(name)) for name in ("certain", "likely", "undeclared")
    }


@says("Scores of {metric} follow the number of words: Spearman's rho is {rho}.")
def follows_length(claim: Claim) -> dict[str, str]:
    row = claim.report.row("outside", metric=claim.said["metric"])
    return {"rho": numbers.fixed(known(row, "length"), 2)}


@says(
    "{metric} scores copies of references worse than other captions: declare whether higher is "
    "better, or repair it."
)
def copies_are_worse(claim: Claim) -> None:
    row = claim.report.row("outside", metric=claim.said["metric"])
    claim.requires(known(row, "itself") >= Decimal("0.5"), row["itself"])


@says(
    "{metric} is declared for the language {declared}; the references seem to be in {language}."
)
def other_language(claim: Claim) -> dict[str, str]:
    row = claim.report.row("outside", metric=claim.said["metric"])
    declared = row["declared_language"].lower().split("-")[0]
    claim.requires(declared != row["language"], "it is the same")
    return {"declared": declared, "language": row["language"]}


@says(
    "The weights are those of a model trained on all pairs, with their range over resampled "
    "images; they add up to 1."
)
def weights_add_up(claim: Claim) -> None:
    weights = [known(row, "weight") for row in claim.report.rows("learned_weights")]
    total = sum(weights, Decimal())
    claim.requires(abs(total - 1) < Decimal("1e-6"), f"they add up to {total}")
