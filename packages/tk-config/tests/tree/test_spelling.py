from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from tk_config import (
    Config,
    ConfigWarning,
    MisspeltKeyError,
)
from tk_config.tree.spelling import one_edit_away

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


def test_a_misspelt_key_is_warned_about_and_set() -> None:
    cfg = Config({"optimizer": {"lr": 1}})
    with pytest.warns(ConfigWarning, match="'optimzer' is new.*did you mean 'optimizer'"):
        cfg.merge_from_dict({"optimzer.lr": 2})

    assert cfg.optimzer.lr == 2


def test_a_misspelt_key_is_an_error_in_strict_mode() -> None:
    cfg = Config({"optimizer": {"momentum": 1}})

    with pytest.raises(MisspeltKeyError, match=r"'optimizer\.momentun' .*did you mean 'momentum'"):
        cfg.merge_from_dict({"a": 1, "optimizer.momentun": 2}, strict=True)
    assert cfg == {"optimizer": {"momentum": 1}}


def test_a_misspelt_key_of_an_heir_is_reported_with_both_places(folder: Any) -> None:
    folder.write("base", "model", folder.dict(backbone=folder.dict(depth="50")))
    value = folder.dict(backbone=folder.dict(detph="18"))
    path = folder.write("child", "model", value, folder.base("base"))

    s = folder.suffix
    said = (
        rf"child\.{s}:\d: 'model\.backbone\.detph' is new.*'depth' \(.*base\.{s}:1\).*did you mean"
    )
    with pytest.warns(ConfigWarning, match=said):
        Config.fromfile(path)
    with pytest.raises(KeyError, match=said):
        Config.fromfile(path, strict=True)


def test_new_keys_that_are_no_mistakes_are_accepted_in_strict_mode(write: Any) -> None:
    write(base_py="conv1 = dict(k=1)\ntrain_cfg = dict(a=1)\n")
    path = write(child_py="_base_ = './base.py'\nconv2 = dict(k=2)\nval_cfg = dict(a=1)\n")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Config.fromfile(path, strict=True).conv2.k == 2


def test_a_huge_new_key_over_many_keys_is_read_at_once(write: Any) -> None:
    write(base_json=json.dumps({f"k{index}": 1 for index in range(200)}))
    path = write(c_json=json.dumps({"_base_": "base.json", "q" * 20000: 1}))

    assert len(Config.fromfile(path, trusted=False)) == 201
