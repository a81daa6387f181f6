"""What is tested after a change."""

from scripts.quick import find_tests


def test_a_module_is_tested_by_the_test_of_its_name() -> None:
    found = find_tests(["tercet/metrics/ngram/bleu.py"])
    assert found == ["tests/metrics/ngram/test_bleu.py"]


def test_a_changed_test_is_run_itself_and_browser_tests_are_not() -> None:
    files = [
        "tests/metrics/ngram/test_bleu.py",
        "tests/browser/test_axe.py",
        "manage.py",
    ]

    assert find_tests(files) == ["tests/metrics/ngram/test_bleu.py"]
