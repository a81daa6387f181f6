"""The structure script measures functions and imports as its targets mean them."""

import ast
from textwrap import dedent

import pytest

from scripts import structure
from scripts.structure import Function, measure


def measured(source: str) -> Function:
    lines = dedent(source).strip().splitlines()
    definition = next(
        node
        for node in ast.parse("\n".join(lines)).body
        if isinstance(node, ast.FunctionDef)
    )

    return measure(definition, lines, "place")


def test_docstrings_are_not_counted() -> None:
    bare = measured(
        """
        def double(number):
            twice = 2 * number

            return twice
        """
    )
    described = measured(
        '''
        def double(number):
            """Return twice a number.

            That is, the number times two.
            """
            twice = 2 * number

            return twice
        '''
    )

    assert bare == described
    assert (bare.lines, bare.blank_lines) == (4, 1)


def test_syntax_nodes_are_counted_for_statements_without_others_inside() -> None:
    function = measured(
        """
        def nothing():
            import time
            if True:
                pass
            return None
        """
    )

    assert sorted(function.nodes) == [1, 2]


def test_no_figure_is_worse_than_it_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert structure.main() == 0, capsys.readouterr().out


def test_a_room_without_a_place_is_a_problem() -> None:
    places = {name for names in structure.PACKAGES["annotation"] for name in names}
    assert not structure.rooms_without(places)
    assert structure.rooms_without(places - {"money"}) == ["money"]


def test_self_is_no_parameter() -> None:
    assert (
        measured("def method(self, a, /, b, *rest, c=1, **more): ...").parameters == 5
    )
    assert measured("def function(a, b): ...").parameters == 2


@pytest.mark.parametrize("decorator", ["jit", "njit", "numba.njit(cache=True)"])
def test_compiled_functions_may_be_longer(decorator: str) -> None:
    body = "\n".join(["    pass"] * 50)
    assert measured(f"def plain():\n{body}").is_long
    assert not measured(f"@{decorator}\ndef compiled():\n{body}").is_long


def test_an_import_that_goes_up_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    turned = {"annotation": tuple(reversed(structure.PACKAGES["annotation"]))}
    monkeypatch.setattr(structure, "PACKAGES", turned)
    problems = structure.import_problems("annotation")

    assert any(problem.startswith("annotation.") for problem in problems)
