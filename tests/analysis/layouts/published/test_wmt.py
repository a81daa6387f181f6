"""Test sets of WMT in the folders of mt-metrics-eval."""

from pathlib import Path

from tests.support.published import read_set


def test_scores_are_of_segments_in_their_order(tmp_path: Path) -> None:
    dataset = read_set(tmp_path, "wmt").sound()

    columns = ["image", "caption", "rating", "source", "aspect"]
    assert dataset.ratings[columns].to_numpy().tolist() == [
        ["de-en 1", "Good day.", "0.0", "sysA", "mqm"],
        ["de-en 2", "She, reading\u2028it.", "-25.0", "sysA", "mqm"],
    ]
    assert dataset.references["caption"].tolist() == ["Good morning.", "She reads."]


def test_scores_of_metrics_are_those_of_captions(tmp_path: Path) -> None:
    scores = read_set(tmp_path, "wmt").sound().scores
    assert scores[["metric", "image", "score"]].to_numpy().tolist() == [
        ["metric-X-refA", "de-en 1", "1.0"],
        ["metric-X-refA", "de-en 2", "0.7"],
    ]


def test_ratings_without_a_number_or_caption_are_counted(tmp_path: Path) -> None:
    note = "2 ratings without a number or of no caption left out"
    assert any(note in each for each in read_set(tmp_path, "wmt").warnings)


def test_a_system_without_outputs_is_named(tmp_path: Path) -> None:
    files = {"system-outputs/de-en/sysB-1.txt": None}
    problem = str(read_set(tmp_path, "wmt", files).problems[0])
    assert "scores more segments than sysB-1 has" in problem
    assert "system-outputs/de-en/sysB-1.txt" in problem


def test_a_line_without_a_score_is_counted(tmp_path: Path) -> None:
    files = {"human-scores/de-en.mqm.seg.score": b"sysA\nsysA 1\n"}
    reading = read_set(tmp_path, "wmt", files)
    assert reading.sound().ratings["rating"].tolist() == ["1"]
    assert any("1 rating without a number" in each for each in reading.warnings)
