"""What holds of every template."""

import re

from tests.support.folders import ROOT

TEMPLATES = {
    path.relative_to(ROOT / "templates").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "templates").rglob("*"))
    if path.is_file()
}
PAGES = [name for name in TEMPLATES if name.endswith(".html")]
INLINE = {
    "a script": re.compile(r"<script(?![^>]*(?:\bsrc=|type=\"application/json\"))"),
    "a handler": re.compile(r"<[^>]*\son[a-z]+="),
    "a style": re.compile(r"<style|<[^>]*\sstyle="),
}
DATE = re.compile(r"\|date:|\|time:|_FORMAT")
WITH_DATES = {"parts/time.html", "studies/progress.html", "datasets/export_readme.txt"}
"""The form of all times on pages, the exact time of a relative one, and a text file."""


def test_nothing_inline_that_a_strict_content_security_policy_forbids() -> None:
    found = [
        (name, what)
        for name in PAGES
        for what, pattern in INLINE.items()
        if pattern.search(TEMPLATES[name])
    ]

    assert found == []


def test_times_are_written_in_one_form() -> None:
    assert {name for name, text in TEMPLATES.items() if DATE.search(text)} == WITH_DATES


def test_a_browser_translates_no_text_that_is_judged() -> None:
    captions = re.compile(r"<[a-z]+[^>]*lang=\"\{\{ (?:study\.language|spoken)[^>]*>")
    open_to_translation = {
        name
        for name in PAGES
        for element in captions.findall(TEMPLATES[name])
        if 'translate="no"' not in element
    }

    # These captions lie inside an element that says it for all of them.
    enclosed = {
        "judging/kinds/choice/triplet.html": '<div class="reference',
        "judging/kinds/choice/option.html": '<fieldset class="options"',
        "judging/kinds/rating/question.html": '<div class="reference',
        "judging/kinds/rating/scale.html": '<fieldset class="grades"',
        "participation/practice.html": '<div class="reference',
        "judging/kinds/choice/preview.html": '<div id="preview-question"',
    }
    assert open_to_translation <= enclosed.keys()
    for name, element in enclosed.items():
        template = name.replace("/option.html", "/options.html")
        _before, _element, after = TEMPLATES[template].partition(element)
        assert 'translate="no"' in after.partition(">\n")[0]
