"""The pages of the pairs of a study."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tercet.analysis.evaluation.pair_scores import (
    DOCUMENTS,
    SCORES,
    Explanation,
    PairScore,
    PairScores,
    Part,
)
from tercet.analysis.report.accuracies import Accuracies
from tercet.annotation.models import Annotator, Answer, Candidate, Pair, Study
from tercet.annotation.models.answer import Choice, Status
from tercet.annotation.quality.adjudication import adjudicate
from tercet.annotation.results import pair_page, pair_views
from tercet.annotation.results.pair_list import keys_of, matching
from tercet.annotation.results.pair_page import Scored
from tercet.annotation.results.pair_winners import Winner
from tercet.annotation.results.report_page import report_in
from tercet.annotation.templatetags.numbers import codes_explained
from tercet.metrics.explain.difference import difference
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


def pair_of(study: Study, name: str = "p1") -> Pair:
    return study.dataset.pairs.get(name=name)


def show(
    office: Client, study: Study, query: str = "", pair: Pair | None = None
) -> str:
    address = (
        reverse("study_pair", args=[study.name, pair.pk])
        if pair
        else reverse("study_pairs", args=[study.name])
    )
    answer = office.get(address + query)

    assert answer.status_code == 200

    return squeeze(answer.getvalue().decode())


def named(shown: str) -> list[str]:
    """The pairs that a list shows."""
    return re.findall(r'<th scope="row"><a href="[^"]*">(p\d)</a>', shown)


# The list


def test_all_pairs_are_listed_with_their_winners(
    office: Client, evaluated: Study
) -> None:
    shown = show(office, evaluated)
    assert named(shown) == ["p1", "p2", "p3", "p4"]
    assert "a red bus in the rain" in shown
    assert shown.count("33.3") == 4


def test_the_list_names_the_systems(office: Client, evaluated: Study) -> None:
    pair = pair_of(evaluated)
    Candidate.objects.filter(pk=pair.c_id).update(source="system <9>")
    assert '<bdi class="interval">system &lt;9&gt;</bdi>' in show(office, evaluated)


def test_a_pair_of_equal_captions_is_a_tie_without_votes(
    office: Client, evaluated: Study
) -> None:
    first = pair_of(evaluated)
    assert "tie (equal captions)" not in show(office, evaluated)

    equal = {"image": first.image, "b": first.b, "c": first.b}
    evaluated.dataset.pairs.create(name="p5", **equal)

    assert show(office, evaluated).count("tie (equal captions)") == 1


def test_winners_need_no_results(office: Client, voted: Study) -> None:
    shown = show(office, voted, "?show=disputed&winner=B")
    assert named(shown) == ["p1", "p2", "p3", "p4"]
    assert shown.count("33.3") == 4


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?find=RED+bus", ["p1"]),
        ("?find=p3", ["p3"]),
        ("?find=cat", ["p3", "p4"]),
        ("?category=HC", ["p2"]),
        ("?category=MM&find=dog", []),
        ("?winner=B", ["p1", "p2", "p3", "p4"]),
        ("?winner=tie", []),
        ("?winner=unfinished", []),
    ],
)
def test_pairs_are_found(
    office: Client, evaluated: Study, query: str, found: list[str]
) -> None:
    shown = show(office, evaluated, query)
    assert named(shown) == found
    assert ("No pair matches." in shown) == (not found)


def test_close_pairs_come_first_and_those_without_votes_last(voted: Study) -> None:
    margins = {"p1": 0.9, "p2": None, "p3": 0.1, "p4": 0.3}
    winners = {
        pair_of(voted, name).pk: Winner(3, "B", margin, is_complete=True)
        for name, margin in margins.items()
    }

    found = matching(voted)
    names = dict(found.values_list("pk", "name"))

    for order, expected in (
        ("close", ["p3", "p4", "p1", "p2"]),
        ("clear", ["p1", "p4", "p3", "p2"]),
        ("", ["p1", "p2", "p3", "p4"]),
    ):
        assert [names[key] for key in keys_of(found, winners, "", order)] == expected


def test_a_search_goes_on_on_the_next_page(
    office: Client, evaluated: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_views, "PAIRS_PER_PAGE", 1)
    shown = show(office, evaluated, "?find=cat&winner=B")

    assert named(shown) == ["p3"]
    assert 'href="?find=cat&amp;winner=B&amp;page=2"' in shown


# A pair


def test_a_pair_is_shown_with_sources_winner_votes_and_scores(
    office: Client, evaluated: Study
) -> None:
    pair = pair_of(evaluated)
    Candidate.objects.filter(pk=pair.c_id).update(source="system <9>")
    shown = show(office, evaluated, pair=pair)

    assert "People prefer <strong>B</strong>." in shown
    assert "system &lt;9&gt;" in shown
    assert "a brown dog is running" in shown

    assert shown.count('<td class="number chosen">2</td><td class="number">1</td>') == 3
    assert re.search(r"CIDEr-D</a></th>\s*<td class=\"number( chosen)?\">\d", shown)
    assert "CIDEr-D prefers B" in shown


def test_captions_have_their_votes_and_the_winner(
    office: Client, evaluated: Study
) -> None:
    shown = show(office, evaluated, pair=pair_of(evaluated))
    winner, other = re.findall(r'<figure class="candidate.*?</figure>', shown)

    assert "winner" in winner
    assert "<b>6</b> votes" in winner
    assert "winner" not in other
    assert "<b>3</b> votes" in other


def test_the_decision_of_an_adjudicator_stands_on_the_caption(
    office: Client, evaluated: Study, administrator: User
) -> None:
    pair = pair_of(evaluated)
    adjudicate(evaluated, pair, Choice.C, "nearer", administrator)
    shown = show(office, evaluated, pair=pair)
    _first, second = re.findall(r'<figure class="candidate.*?</figure>', shown)
    assert "decided by ada" in second


def test_nine_metrics_come_first_the_most_accurate_at_the_top(
    office: Client, evaluated: Study
) -> None:
    shown = show(office, evaluated, pair=pair_of(evaluated))
    first, more = shown.split('<details id="more-scores">')
    named = re.compile(r'metric=([\w-]+)#why"')
    metrics = named.findall(first.partition('id="scores-title"')[2])

    folder = evaluated.evaluations.get().folder
    report = report_in(folder)
    assert report
    assert report.by_category
    ranked = [name for name in report.by_category.rows if name in metrics]

    assert len(metrics) == 9
    assert metrics == ranked
    assert "CIDEr-max" not in metrics
    assert "CIDEr-max" in more


def test_metrics_of_a_pair_have_their_marks(evaluated: Study) -> None:
    sides = np.array([[[2.0], [2.0]], [[1.0], [1.0]], [[1.0], [1.0]]])
    known = PairScores(Path(), ["CIDEr", "own"], ["p"], sides, "ptb")
    report = report_in(evaluated.evaluations.get().folder)
    assert report
    ranked = Accuracies("all", [], {"own†": [], "CIDEr": []})
    marked = replace(report, by_category=ranked)
    found = pair_page.scores_of(known, Pair(name="p"), "B", marked)

    assert found
    assert [each.name for each in found.main] == ["own†", "CIDEr"]
    assert found.agreeing == "2 of 2 metrics with a preference agree"
    assert (found.others_agreeing, found.others) == ("", [])


def test_no_metric_is_said_to_agree_where_people_tie(evaluated: Study) -> None:
    sides = np.array([[[2.0], [2.0]], [[1.0], [1.0]], [[1.0], [1.0]]])
    known = PairScores(Path(), ["CIDEr", "own"], ["p"], sides, "ptb")
    report = report_in(evaluated.evaluations.get().folder)
    assert report

    found = pair_page.scores_of(known, Pair(name="p"), "tie", report)
    assert found
    assert (found.agreeing, found.others_agreeing) == ("", "")


def test_baselines_are_not_counted_as_metrics_that_agree(evaluated: Study) -> None:
    sides = np.array([[[2.0], [2.0]], [[1.0], [1.0]], [[1.0], [1.0]]])
    known = PairScores(Path(), ["CIDEr", "length"], ["p"], sides, "ptb")
    report = report_in(evaluated.evaluations.get().folder)
    assert report

    found = pair_page.scores_of(known, Pair(name="p"), "B", report)
    assert found
    assert found.agreeing == "1 of 1 metric with a preference agrees"


@pytest.mark.parametrize(("margin", "is_open"), [(0.2, True), (1.0, False)])
def test_the_decision_is_open_where_one_is_needed(
    office: Client,
    evaluated: Study,
    monkeypatch: pytest.MonkeyPatch,
    margin: float,
    is_open: bool,
) -> None:
    pair = pair_of(evaluated)
    winner = Winner(3, "B", margin, is_complete=True)
    monkeypatch.setattr(pair_views, "winners_of", lambda *_: {pair.pk: winner})

    closed = '<details class="card finding" id="decision">'
    assert (closed not in show(office, evaluated, pair=pair)) == is_open


def test_codes_are_explained() -> None:
    lines = codes_explained(["MM", "HC", "mean", "own†"])
    assert lines == [
        "HC: two correct human captions.",
        "MM: two machines.",
        "†: seen in training, certainly or likely.",
    ]
    assert codes_explained(["mine", "CIDEr-D"]) == []


def test_votes_that_do_not_count_are_not_counted(
    office: Client, evaluated: Study
) -> None:
    pair = pair_of(evaluated)
    Answer.objects.filter(question__pair=pair, choice="C").update(
        status=Status.EXCLUDED
    )
    shown = show(office, evaluated, pair=pair)

    assert shown.count('<td class="number chosen">2</td><td class="number">0</td>') == 3


def test_every_vote_is_shown_with_its_annotator_side_and_state(
    office: Client, evaluated: Study
) -> None:
    pair = pair_of(evaluated)
    votes = Answer.objects.filter(question__pair=pair)
    votes.filter(choice="C").update(status=Status.EXCLUDED, status_reason="too fast")

    table = (
        show(office, evaluated, pair=pair)
        .partition("Every vote")[2]
        .partition("</details>")[0]
    )

    assert table.count("<tr>") == 1 + votes.count()
    assert table.count("too fast") == votes.filter(choice="C").count()
    for annotator in Annotator.objects.filter(answers__in=votes):
        assert reverse("study_annotator", args=[evaluated.name, annotator.pk]) in table
        assert annotator.name in table


def test_votes_of_unknown_people_are_shown(office: Client, evaluated: Study) -> None:
    pair = pair_of(evaluated)
    Answer.objects.filter(question__pair=pair).update(annotator=None)
    table = show(office, evaluated, pair=pair).partition("Every vote")[2]

    assert (
        table.count("<td>unknown") == Answer.objects.filter(question__pair=pair).count()
    )


@pytest.mark.parametrize(
    "metric", ["METEOR", "ROUGE-L", "ROUGE-2", "CIDEr-max", "length"]
)
def test_the_metric_to_explain_is_chosen(
    office: Client, evaluated: Study, metric: str
) -> None:
    shown = show(office, evaluated, f"?metric={metric}", pair_of(evaluated, "p3"))
    assert f"<option selected>{metric}</option>" in shown
    assert "What B shares with the references" in shown
    assert re.search(r'class="sum".*?<td class="number">[+−]?\d', shown, re.DOTALL)  # noqa: RUF001


def test_figures_of_an_explanation_have_four_digits_and_counts_none() -> None:
    part = Part(
        "similarity", "reference 3", (2,), 0.25, {"distance": 1.5, "count": 2.0}
    )
    wmd = Explanation("WMD", 0.25, "sum", {"distance": 0.125}, (part,))
    side = pair_page.why_of(difference(wmd, wmd))["sides"][0]

    assert side["rows"][0]["cells"] == ["0.2500", "1.5000", "2"]
    assert side["figures"] == {"distance": "0.1250"}


def test_the_differences_shown_add_up_to_their_sum(
    office: Client, evaluated: Study
) -> None:
    shown = show(office, evaluated, "?metric=ROUGE-1", pair_of(evaluated, "p2"))
    table = re.search(r'<table class="why">.*?</table>', shown, re.DOTALL)
    assert table
    cells = re.findall(r'<td class="number">([^<]*)</td></tr>', table[0])

    *terms, total = [float(each.replace("\N{MINUS SIGN}", "-")) for each in cells]
    assert sum(terms) == pytest.approx(total, abs=1e-3)
    assert total != 0


def test_bleu_is_explained_by_its_matches(office: Client, evaluated: Study) -> None:
    shown = show(office, evaluated, "?metric=BLEU-2", pair_of(evaluated))
    assert "no part has a share of its own" in shown
    assert 'class="why"' not in shown


def test_long_details_of_a_match_stand_below_it() -> None:
    moves = "sleeping → kite 0.27; sleeping → flying 0.20"
    part = Part(
        "similarity", "reference 3", (2,), 0.25, {"distance": 1.5, "moves": moves}
    )
    wmd = Explanation("WMD", 0.25, "sum", {}, (part,))

    side = pair_page.why_of(difference(wmd, wmd))["sides"][0]

    assert (side["columns"], side["width"]) == (["contribution", "distance"], 3)
    assert side["rows"][0]["cells"] == ["0.2500", "1.5000"]
    assert side["rows"][0]["note"] == f"moves: {moves}"


def test_an_unknown_metric_is_the_usual_one(office: Client, evaluated: Study) -> None:
    shown = show(office, evaluated, "?metric=BLUE", pair_of(evaluated))
    assert "<option selected>CIDEr-D</option>" in shown


def test_without_results_a_pair_has_captions_and_votes(
    office: Client, voted: Study
) -> None:
    shown = show(office, voted, pair=pair_of(voted))
    assert (
        "Scores and their explanation appear once results have been computed." in shown
    )
    assert "Votes for B" in shown


@pytest.mark.parametrize("file", [SCORES, DOCUMENTS])
def test_lost_files_are_said(office: Client, evaluated: Study, file: str) -> None:
    (evaluated.evaluations.get().folder / file).unlink()
    shown = show(office, evaluated, pair=pair_of(evaluated))
    lost = {
        SCORES: "appear once results have been computed",
        DOCUMENTS: "This score cannot be explained",
    }

    assert lost[file] in shown


def test_pairs_lead_to_the_one_before_and_the_one_after(
    office: Client, evaluated: Study
) -> None:
    shown = show(office, evaluated, "?metric=METEOR", pair_of(evaluated, "p2"))
    for rel, name in (("prev", "p1"), ("next", "p3")):
        address = reverse(
            "study_pair", args=[evaluated.name, pair_of(evaluated, name).pk]
        )
        assert f'rel="{rel}" href="{address}?metric=METEOR"' in shown


def test_a_pair_of_a_list_leads_to_the_next_of_the_list(
    office: Client, evaluated: Study, administrator: User
) -> None:
    ends = [pair_of(evaluated, name) for name in ("p1", "p4")]
    for pair in ends:
        adjudicate(evaluated, pair, Choice.B, "clear", administrator)

    first, last = (
        reverse("study_pair", args=[evaluated.name, pair.pk]) for pair in ends
    )

    assert f'href="{first}?show=decided"' in show(office, evaluated, "?show=decided")

    shown = show(office, evaluated, "?show=decided", ends[0])
    assert f'rel="next" href="{last}?show=decided' in shown
    assert 'rel="prev"' not in shown

    unlisted = show(office, evaluated, "?show=decided", pair_of(evaluated, "p2"))
    assert f'rel="next" href="{first}?show=decided' in unlisted


def test_the_pair_of_another_dataset_is_missing(
    office: Client, evaluated: Study, study: Study
) -> None:
    address = reverse("study_pair", args=[evaluated.name, pair_of(study).pk])
    assert office.get(address).status_code == 404


def test_results_lead_to_the_pairs_of_a_category(
    office: Client, evaluated: Study
) -> None:
    shown = office.get(evaluated.get_absolute_url()).getvalue().decode()
    assert f"{reverse('study_pairs', args=[evaluated.name])}?category=HC" in shown


@pytest.mark.parametrize(
    ("b", "c", "decimals"),
    [(0.5, 0.25, 4), (0.5, 0.5, 4), (0.00011, 0.00012, 5), (1e-7, 3e-7, 7)],
)
def test_different_scores_differ_in_what_is_shown(
    b: float, c: float, decimals: int
) -> None:
    assert Scored(PairScore("BLEU-4", b, c, "B"), None).decimals == decimals


def test_metrics_are_compared_with_the_votes_and_not_with_a_decision(
    office: Client, evaluated: Study, administrator: User
) -> None:
    pair = pair_of(evaluated)
    before = show(office, evaluated, pair=pair).partition('id="scores-title"')[2]
    Study.objects.update(winners="decisions")
    adjudicate(evaluated, pair, Choice.C, "A reason.", administrator)

    after = show(office, evaluated, pair=pair).partition('id="scores-title"')[2]
    assert before.count("<td>yes</td>") == after.count("<td>yes</td>") > 0
    assert "The last column compares with the votes." in after
    assert "The last column compares with the votes." not in before
