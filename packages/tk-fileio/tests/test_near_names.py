"""The name that somebody probably meant."""

from __future__ import annotations

import difflib

import pytest

from tk_fileio.near_names import did_you_mean, listing


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("resnet", ["VGG", "ResNet"], "did you mean 'ResNet'?"),
        ("ResNte", ["VGG", "ResNet"], "did you mean 'ResNet'?"),
        ("SGD", ["Adam", "sgd"], "did you mean 'sgd'?"),
        ("sgd", ["Adam", "sgd"], "known: Adam, sgd"),  # what was typed is not suggested
        ("step", ["step", "steps"], "did you mean 'steps'?"),
        ("step", [1, None, "steps"], "did you mean 'steps'?"),
        (7, ["8"], "known: 8"),
        ("", ["a"], "known: a"),
        ("Transformer", ["VGG"], "known: VGG"),
        ("anything", [], "known: (none)"),
    ],
)
def test_the_nearest_name_or_what_is_known(name: object, known: list[object], hint: str) -> None:
    assert did_you_mean(name, known) == hint


def test_another_advice_may_stand_for_the_known_names() -> None:
    assert did_you_mean("Transformer", ["VGG"], "register it first") == "register it first"
    assert did_you_mean("VG", ["VGG"], "register it first") == "did you mean 'VGG'?"


def test_the_suggestion_may_be_shown_in_another_form() -> None:
    hint = did_you_mean("lables", ["labels"], shown=lambda name: f"field={name!r}")

    assert hint == "did you mean field='labels'?"


def test_a_cutoff_asks_for_more_likeness() -> None:
    assert did_you_mean("hook", ["hoax"], "", cutoff=0.4) == "did you mean 'hoax'?"
    assert did_you_mean("hook", ["hoax"], "", cutoff=0.9) == ""


def test_of_very_many_names_few_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    original = difflib.get_close_matches
    monkeypatch.setattr(
        "difflib.get_close_matches",
        lambda name, names, **options: compared.extend(names) or original(name, names, **options),
    )
    known = [f"layers.{index}.weight" for index in range(5_000)]

    hint = did_you_mean("layers.1234.wieght", known)

    assert hint == "did you mean 'layers.1234.weight'?"
    assert len(compared) == 500


def test_a_text_too_long_for_a_name_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("difflib.get_close_matches", lambda *names, **options: 1 / 0)

    assert did_you_mean("x" * 101, ["y" * 100], "no hint") == "no hint"


def test_a_listing_is_sorted_and_cut() -> None:
    assert listing(["b", "a", "b"]) == "a, b"
    assert listing([]) == "(none)"
    assert listing("abcdefghijklmnopqrstuv").endswith("s, t, and 2 more")
