from __future__ import annotations

import pytest

from tk_config.tree.suggestions import one_edit_away

KNOWN = {"optimizer", "lr_scheduler", "conv1", "max_epochs", "train_cfg", "val_cfg"}
MANY = KNOWN | {f"key_of_a_large_config_{index}" for index in range(200)}


@pytest.mark.parametrize("known", [KNOWN, MANY], ids=["few", "many"])
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("optimzer", "optimizer"),
        ("optimizerr", "optimizer"),
        ("optimiser", "optimizer"),
        ("otpimizer", "optimizer"),
        ("max_epoch", "max_epochs"),
    ],
    ids=["missing letter", "extra letter", "wrong letter", "swapped letters", "singular"],
)
def test_one_typing_mistake_is_seen(name: str, meant: str, known: set[str]) -> None:
    assert one_edit_away(name, known) == meant


@pytest.mark.parametrize("known", [KNOWN, MANY], ids=["few", "many"])
@pytest.mark.parametrize("name", ["conv2", "conv10", "test_cfg", "x", 5, "model", "optimizer"])
def test_what_is_meant_is_left_alone(name: object, known: set[str]) -> None:
    assert one_edit_away(name, known) is None
