"""Titles of the columns of a report's tables, as pages and papers show them.

A column that is not here is named by the data (a category, a metric), and is shown as it is.
"""

from types import MappingProxyType

_TITLES = MappingProxyType(
    {
        "accuracy_a": "accuracy of A",
        "accuracy_b": "accuracy of B",
        "accuracy_drop": "accuracy without ties",
        "asked_again": "asked again",
        "best_human": "best human caption",
        "candidate_b": "candidate B",
        "candidate_c": "candidate C",
        "candidate_says": "candidate says",
        "declared_language": "declared language",
        "design_effect": "design effect",
        "difference_best": "difference from the best",
        "difference_high": "difference, high",
        "difference_high_best": "difference from the best, high",
        "difference_low": "difference, low",
        "difference_low_best": "difference from the best, low",
        "difference_sd": "standard deviation of the difference",
        "difference_sd_best": "standard deviation of the difference from the best",
        "equally_long": "equally long",
        "expected_votes": "expected votes",
        "f1": "F1",
        "fewest_votes": "fewest votes",
        "from_count": "from references",
        "function_word": "function word",
        "human_score": "score of the human caption",
        "human_ties": "ties of people",
        "longer_wins": "longer wins",
        "metric_a": "metric A",
        "metric_added": "metric added",
        "metric_b": "metric B",
        "metric_ties": "ties of the metric",
        "micro_f1": "F1 (micro)",
        "micro_precision": "precision (micro)",
        "micro_recall": "recall (micro)",
        "model_precision": "precision of the model",
        "more_pairs": "more pairs",
        "most_votes": "most votes",
        "only_a": "only A right",
        "only_b": "only B right",
        "only_cider": "CIDEr only",
        "only_cider_d": "CIDEr-D only",
        "p_adjusted": "p (adjusted)",
        "p_any_count": "p (at any count)",
        "p_best": "p (best metric)",
        "p_best_of_n": "p (best of n)",
        "p_mcnemar": "p (McNemar)",
        "p_mcnemar_holm": "p (McNemar, Holm)",
        "p_parent": "p (against the main version)",
        "p_williams": "p (Williams)",
        "pair_pairwise": "pair, pairwise",
        "pair_triplet": "pair, triplet",
        "pairs_needed": "pairs needed",
        "part_of_speech": "part of speech",
        "pearson": "Pearson",
        "people_precision": "precision of people",
        "people_precision_there": "precision of people there",
        "people_recall": "recall of people",
        "precision_at_human_recall": "precision at human recall",
        "precision_high": "precision, high",
        "precision_low": "precision, low",
        "recall_high": "recall, high",
        "recall_low": "recall, low",
        "reference_count": "references per image",
        "references_b": "references for B",
        "references_c": "references for C",
        "references_say": "references say",
        "sd": "standard deviation",
        "sd_draws": "standard deviation (orders)",
        "se_images": "standard error (images)",
        "source_b": "source of B",
        "source_c": "source of C",
        "spearman": "Spearman",
        "strength_high": "strength, high",
        "strength_low": "strength, low",
        "t_williams": "t (Williams)",
        "tau_b": "tau b",
        "tau_c": "tau c",
        "ties_pairwise": "ties, pairwise",
        "ties_triplet": "ties, triplet",
        "to_count": "to references",
        "too_few": "too few",
        "training_pairs": "training pairs",
        "vote_accuracy": "accuracy on single votes",
        "vote_ceiling": "ceiling on single votes",
        "vote_share": "share of votes",
        "vote_share_pairwise": "share of votes, pairwise",
        "vote_share_triplet": "share of votes, triplet",
        "weighted_precision": "weighted precision",
        "winner_pairwise": "winner, pairwise",
        "winner_triplet": "winner, triplet",
        "words_at_human_recall": "words at human recall",
    }
)


def title_of(column: str) -> str:
    """Return the title of a column.

    Examples
    --------
    >>> title_of("se_images"), title_of("A & B_1")
    ('standard error (images)', 'A & B_1')
    """
    return _TITLES.get(column, column)
