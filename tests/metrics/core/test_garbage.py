"""Pauses of the garbage collector."""

import gc

import pytest

from tercet.metrics.core.garbage import no_collection, rare_collection


def test_the_collector_is_paused_and_goes_on() -> None:
    assert gc.isenabled()

    with no_collection():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="bad"), no_collection():
        raise ValueError("bad")
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    try:
        with no_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_collections_are_rare_for_a_while() -> None:
    usual = gc.get_threshold()
    with rare_collection():
        assert gc.get_threshold() > usual

    assert gc.get_threshold() == usual
