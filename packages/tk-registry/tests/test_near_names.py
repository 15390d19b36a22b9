"""The name that somebody probably meant."""

from __future__ import annotations

import pytest

from tk_registry.near_names import listing, nearest


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("resnet", ["VGG", "ResNet"], "ResNet"),
        ("ResNte", ["VGG", "ResNet"], "ResNet"),
        ("SGD", ["Adam", "sgd"], "sgd"),
        ("Transformer", ["VGG"], None),
        ("anything", [], None),
    ],
)
def test_the_nearest_name(name: str, known: list[str], meant: str | None) -> None:
    assert nearest(name, known) == meant


def test_a_listing_is_sorted_and_cut() -> None:
    assert listing(["b", "a", "b"]) == "a, b"
    assert listing([]) == "(none)"
    assert listing("abcd", limit=2) == "a, b, and 2 more"
