"""What the pages of a sentence study show: consensus, lengths, broken rules."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from django.db.models.fields.json import KT

from tercet.analysis.dataset.sentence_rules import count_words
from tercet.analysis.stats.consensus import consensus, gains, steady_from
from tercet.annotation.models import Answer, Study
from tercet.annotation.models.answer import AnswerQuerySet


def sentences_of(study: Study) -> AnswerQuerySet:
    """Select the sentences of a study that count."""
    return Answer.objects.counted().filter(question__study=study)


def sentences_content(study: Study) -> dict[str, Any]:
    """Return the scores of sentences by their keys, and what sums them up, as JSON."""
    rows = (
        sentences_of(study)
        .order_by("pk")
        .values_list("pk", "question__image", KT("content__text"), KT("content__rules"))
    )
    sentences = pd.DataFrame(rows, columns=["key", "image", "sentence", "rules"])
    scores = consensus(sentences)
    gain = gains(sentences, np.random.default_rng(study.seed))

    lengths = Counter(map(count_words, sentences["sentence"]))
    rules = Counter(rule for cell in sentences["rules"] for rule in cell.split())
    return {
        "scores": {
            str(key): None if np.isnan(score) else float(score)
            for key, score in zip(sentences["key"], scores, strict=True)
        },
        "gain": gain.astype(object).where(gain.notna(), None).to_dict("records"),
        "steady": steady_from(gain),
        "lengths": {str(words): lengths[words] for words in sorted(lengths)},
        "rules": dict(rules.most_common()),
    }
