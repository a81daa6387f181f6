"""Reasons: why a finding or a value is missing, said from what is really missing."""

from tercet.analysis.tables.schema import ALL, MEAN


def first_lack(*lacks: tuple[bool, str]) -> str:
    """Return the reason of the first lack that holds; empty if none does.

    Examples
    --------
    >>> first_lack((False, "There are no votes."), (True, "There is one image."))
    'There is one image.'
    """
    return next((reason for is_lacking, reason in lacks if is_lacking), "")


def undecided(pairs: int, group: str = "") -> str:
    """Say that every winner is a tie.

    Examples
    --------
    >>> undecided(6)
    'People decided none of the 6 pairs: every winner is a tie.'
    """
    of_group = f" of {group}" if group not in ("", ALL) else ""
    if pairs == 1:
        return f"People did not decide the only pair{of_group}: its winner is a tie."
    return (
        f"People decided none of the {pairs:,} pairs{of_group}: every winner is a tie."
    )


def of_interval(group: str, pairs: int, images: int, decided: int) -> str:
    """Return why no accuracy on a group of pairs has an interval."""
    return first_lack(
        (
            group == MEAN,
            "The mean over categories has no interval, as one of them has none.",
        ),
        (
            not decided,
            f"{undecided(pairs, group)[:-1]}, and no accuracy has an interval.",
        ),
        (images < 2, f"{_of_one_image(group)}: no interval."),
    )


def of_comparison(group: str, pairs: int, images: int, decided: int) -> str:
    """Return why no two metrics are compared on a group of pairs."""
    return first_lack(
        (
            group == MEAN,
            "Metrics cannot be compared on the mean over categories, as they cannot on one of "
            "them.",
        ),
        (not decided, f"{undecided(pairs, group)[:-1]}, and metrics do not differ."),
        (images < 2, f"{_of_one_image(group)}: metrics cannot be compared."),
    )


def _of_one_image(group: str) -> str:
    return (
        "All pairs are of one image"
        if group == ALL
        else f"{group} has pairs of one image only"
    )


def of_rated_images(aspect: str) -> str:
    """Return why no two metrics are compared by ratings of one image."""
    of_aspect = f" for “{aspect}”" if aspect else ""
    return f"All ratings{of_aspect} are of one image: metrics cannot be compared."


def of_votes(publishes_winners: bool) -> str:
    """Return why there are no votes on the pairs that count."""
    if publishes_winners:
        return "There are no single votes: the winners were published."
    return "No pair that counts has votes."


def of_annotators(named: int, shared: bool) -> str:
    """Return why annotators cannot be compared with each other.

    Parameters
    ----------
    named
        How many annotators the votes name.
    shared
        Whether a named annotator has a vote on a pair on which somebody else voted.
    """
    return first_lack(
        (
            not named,
            "The votes do not name their annotators, so people cannot be compared with each "
            "other.",
        ),
        (
            not shared and named == 1,
            "All votes that name an annotator are by one person, and nobody else voted on these "
            "pairs: there is nobody to compare with.",
        ),
        (
            not shared,
            "No two people voted on the same pair: there is nobody to compare with.",
        ),
    )


def of_raters(captions: int, by_two: int, distinct: int, shared: int) -> str:
    """Return why raters cannot be compared with each other.

    Parameters
    ----------
    captions, by_two
        How many captions have ratings that name an annotator, and how many by two annotators.
    distinct, shared
        How many different ratings these have, and those by two annotators.
    """
    return first_lack(
        (not captions, "No rating names a person as its annotator."),
        (not by_two, "No candidate has ratings by two annotators."),
        (distinct == 1, "All ratings that name an annotator are the same."),
        (captions == 1, "Only one candidate has ratings."),
        (
            shared == 1,
            "All ratings of the candidates with ratings by two annotators are the same.",
        ),
    )


def of_ratings(rows: int, counted: int) -> str:
    """Return why nothing is said of ratings, by how many there are, and how many of them count."""
    return first_lack(
        (not rows, "The dataset has no ratings.csv."),
        (
            not counted,
            "No rating counts: each is empty, excluded, undone, or of a check.",
        ),
        (True, "The ratings were not scored."),
    )


def of_adjusted_means(raters: int, most: int, aspect: str) -> str:
    """Return why means are not adjusted for the strictness of raters."""
    of_aspect = f" for “{aspect}”" if aspect else ""
    return first_lack(
        (
            raters == 1,
            f"All ratings{of_aspect} that name an annotator are by one: means are not adjusted.",
        ),
        (
            raters > most,
            f"More than {most:,} annotators rated{of_aspect}: means are not adjusted.",
        ),
    )


def of_source_means(sources: int, least: int) -> str:
    """Return why metrics are not correlated with people over sources."""
    return first_lack(
        (
            1 < sources < least,
            f"Correlations over sources need {least} sources; there are {sources}.",
        )
    )
