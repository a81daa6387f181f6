"""Sentences that annotators write about images: one question per image, each writes once."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import pandas as pd
from django.db.models import Q
from django.db.models.fields.json import KT
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from tercet.analysis.dataset.sentence_rules import (
    ADDRESS,
    NOT_NAMES,
    NOUNS_WITH_CAPITALS,
    PHRASES,
    QUOTES,
    UNSPACED,
    SentenceRule,
    broken_rules,
)
from tercet.analysis.number_texts import counted, plural
from tercet.analysis.tables.schema import LONGEST_SENTENCE, MARKUP, NO_TEXT, SENTENCES
from tercet.annotation.judging.kinds import sentence_texts
from tercet.annotation.judging.kinds.kind import (
    Character,
    Given,
    Keys,
    Kind,
    NotAnAnswer,
    ShownQuestion,
    ToChange,
)
from tercet.annotation.judging.kinds.tables import fields_of, rows_of
from tercet.annotation.models import Answer, Dataset, Lease, Question, Reference, Study
from tercet.annotation.models.answer import AnswerQuerySet, Status
from tercet.annotation.models.question import Subject
from tercet.annotation.models.study import RuleAction

_TRIES, _JOINED, _MOST_TEXTS = 20, 0.5, 1_000
"""Of simulated annotators: attempts at a sentence, the share of those that are joined from two
references, and the references that they know."""
_FOLDER = "judging/kinds/sentence"


@dataclass(frozen=True)
class _Sentence(Kind):
    """One sentence about an image, by each of several people."""

    # Questions

    def obstacle(self, dataset: Dataset) -> str:
        if not dataset.images.exists():
            return f"{dataset.name} has no images. List them in images.csv."

        without_picture = dataset.images.filter(file="", url="").count()
        if without_picture:
            images = counted(without_picture, "image")
            have = plural(without_picture, "has", "have")
            return (
                f"{images} of {dataset.name} {have} no picture to describe. Give a file or url "
                "for each in images.csv."
            )
        return ""

    def draw(self, study: Study) -> tuple[list[Subject], Sequence[int]]:
        images = study.dataset.images.order_by("pk").values_list("pk", flat=True)
        subjects = [Subject(image) for image in images]
        generator = np.random.default_rng(study.seed)
        return subjects, generator.permutation(len(subjects)).tolist()

    def questions_each(self, study: Study) -> NDArray[np.int64]:
        return np.ones(study.dataset.images.count(), dtype=np.int64)

    def show(self, leases: Sequence[Lease]) -> list[ShownQuestion]:
        """Return the image's `src`, and as `draft` what the annotator has taken back.

        The alternative text would be an answer, and is not shown.
        """
        rows = Question.objects.select_related("image__dataset")
        questions = rows.in_bulk([lease.question_id for lease in leases])
        return [
            {
                "key": str(lease.key),
                "src": questions[lease.question_id].image.source,
                "draft": _undone_text(lease) if lease.is_of_undo else "",
            }
            for lease in leases
        ]

    def page_data(self, study: Study) -> dict[str, object]:
        """Return the rules that the page checks, with what it says."""
        language = study.language.partition("-")[0].lower()
        phrases = {
            rule: [each for each in known.get(language, "").split("|") if each]
            for rule, known in PHRASES.items()
        }
        words = _("Words: %s")
        if SentenceRule.SHORT in study.sentence_rules:
            words = _("Words: %%s, at least %(least)s") % {"least": study.min_words}

        rules = {
            "hints": {rule: _hint(study, rule) for rule in study.sentence_rules},
            "blocks": study.rule_action == RuleAction.BLOCK,
            "least": study.min_words,
            "phrases": phrases,
            "quotes": "".join(sorted(QUOTES)),
            "address": ADDRESS,
            "unspaced": UNSPACED,
            "names": None if language in NOUNS_WITH_CAPITALS else NOT_NAMES.split(),
            "counted": words,
            "kept": _("Draft kept in this browser"),
            "again": _("To keep the sentence as it is, save it again."),
        }
        return {"rules": rules}

    # Answers

    def read(self, study: Study, lease: Lease, sent: Mapping[str, Any]) -> Given:
        """Read a sentence, its spaces as one each; raises ToChange where a rule blocks it."""
        text = sent.get("text")
        sentence = " ".join(text.split()) if isinstance(text, str) else ""
        if not 0 < len(sentence) <= LONGEST_SENTENCE:
            raise NotAnAnswer
        if NO_TEXT.search(sentence) or MARKUP.search(sentence):
            raise ToChange([str(sentence_texts.NO_TEXT_HINT)])

        rules = _broken_rules(lease, sentence)
        if rules and study.rule_action == RuleAction.BLOCK:
            raise ToChange([_hint(study, rule) for rule in rules])
        return Given(content={"text": sentence, "rules": " ".join(rules)})

    def is_right(self, gold: str, given: Given) -> bool:
        return False

    def repeatable(self, answers: AnswerQuerySet) -> AnswerQuerySet:
        return answers.none()

    def simulate(self, lease: Lease, character: Character) -> Mapping[str, Any]:
        """Write what references of the image say, or those of another image where unreliable.

        Where every such sentence would be blocked, numbers are written, which break no rule.
        """
        random = character.random
        study = lease.annotator.study
        texts = _texts_about(lease, is_own=random.random() < character.reliability)
        for _attempt in range(_TRIES):
            sentence = random.choice(texts)
            if random.random() < _JOINED:
                words = random.choice(texts).split()
                half = " ".join(words[len(words) // 2 :])
                sentence = f"{sentence.rstrip('. ')}, {half}"
            sentence = sentence[:LONGEST_SENTENCE]
            if study.rule_action == RuleAction.MARK or not _broken_rules(
                lease, sentence
            ):
                return {"text": sentence}

        numbers = random.sample(range(10**6), max(study.min_words, 3))
        return {"text": " ".join(map(str, numbers))}

    # Files

    def subjects(self, table: pd.DataFrame, keys: Keys) -> Iterator[Subject]:
        for (image,) in rows_of(table, *self.about):
            yield Subject(keys.images[image])

    def given(self, answers: pd.DataFrame) -> tuple[Iterable[str], Iterable[str]]:
        rows = rows_of(answers, "sentence", "rules")
        contents = (json.dumps({"text": text, "rules": rules}) for text, rules in rows)
        return repeat(""), contents


def _broken_rules(lease: Lease, sentence: str) -> list[SentenceRule]:
    """Return the rules of the study that a sentence breaks, in comparison with the others.

    Compared are the valid sentences about the image, and of the annotator.
    """
    study = lease.annotator.study
    others: Iterable[str] = ()
    if SentenceRule.REPEATED in study.sentence_rules:
        same = Q(question=lease.question_id) | Q(annotator=lease.annotator_id)
        answers = Answer.objects.valid().filter(same)
        others = answers.values_list(KT("content__text"), flat=True)

    return broken_rules(
        sentence,
        study.sentence_rules,
        min_words=study.min_words,
        language=study.language,
        others=others,
    )


def _hint(study: Study, rule: str) -> str:
    """Return what to change in a sentence that breaks a rule, in the reader's language."""
    return str(sentence_texts.HINTS[SentenceRule(rule)]) % {
        "min_words": study.min_words
    }


def _undone_text(lease: Lease) -> str:
    """Return the sentence that the annotator of a lease took back last."""
    undone = Answer.objects.filter(
        question=lease.question_id,
        annotator=lease.annotator_id,
        status=Status.SUPERSEDED,
    )
    texts = undone.order_by("-pk").values_list(KT("content__text"), flat=True)
    return str(texts.first() or "")


def _texts_about(lease: Lease, *, is_own: bool) -> list[str]:
    """Return references of the image, or of others; its alternative text without any."""
    image = lease.question.image
    references = Reference.objects.filter(image__dataset=image.dataset_id)
    own = references.filter(image=image)
    chosen = own if is_own else references.exclude(image=image)
    texts = chosen.order_by("pk").values_list("caption", flat=True)
    return list(texts[:_MOST_TEXTS]) or [image.alt or image.name]


SENTENCE = _Sentence(
    "sentence",
    template=f"{_FOLDER}/sentence.html",
    script=f"{_FOLDER}.js",
    folder=_FOLDER,
    question=sentence_texts.DESCRIBE,
    texts=sentence_texts.TEXTS,
    invitation=sentence_texts.INVITATION,
    account="People saw an image, and wrote a sentence about it.",
    captions=(),
    settings=frozenset(("min_words", "sentence_rules", "rule_action")),
    table=SENTENCES,
    fields=fields_of(
        SENTENCES.columns,
        image="question__image__name",
        sentence=KT("content__text"),
        annotator="annotator__name",
        reason="status_reason",
        rules=KT("content__rules"),
    ),
    about=("image",),
    answer="sentence",
    is_reviewed=True,
    has_image=True,
    value=KT("content__text"),
)
