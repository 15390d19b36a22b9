"""From what a parameter is to its options."""

from __future__ import annotations

from typing import Any

import pytest

from tk_optim import InvalidSettingError, InvalidTypeError
from tk_optim.optimizer.param_rules import LayerDecay, ParamFacts, ParamRules


def options(settings: dict[str, Any], path: str = "net.weight", ndim: int = 2,
            **facts: bool) -> tuple[Any, ...]:  # fmt: skip
    found = ParamRules.from_settings(settings).options(ParamFacts(path, ndim, **facts))
    return found.lr_mult, found.decay_mult, dict(found.others)


ALL = {
    "bias_lr_mult": 2.0,
    "bias_decay_mult": 0.5,
    "norm_decay_mult": 0.0,
    "dwconv_decay_mult": 0.1,
    "flat_decay_mult": 0.3,
    "dcn_offset_lr_mult": 0.7,
}


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        ({}, (None, None)),
        ({"is_bias": True, "ndim": 1}, (2.0, 0.5)),
        ({"in_norm": True, "ndim": 1}, (None, 0.0)),
        ({"is_bias": True, "in_norm": True, "ndim": 1}, (None, 0.0)),
        ({"in_depthwise": True, "ndim": 4}, (None, 0.1)),
        ({"is_bias": True, "in_depthwise": True, "ndim": 1}, (2.0, 0.5)),
        ({"ndim": 1}, (None, 0.3)),
        ({"is_offset": True, "in_deformable": True, "ndim": 4}, (0.7, None)),
        ({"is_offset": True, "in_deformable": True, "is_bias": True, "ndim": 1}, (0.7, None)),
        ({"in_deformable": True, "is_bias": True, "ndim": 1}, (None, None)),
    ],
)
def test_each_kind_has_its_rule(facts: dict[str, Any], wanted: tuple[Any, Any]) -> None:
    assert options(ALL, **facts)[:2] == wanted


def test_without_a_rule_for_norms_their_vectors_are_flat() -> None:
    assert options({"flat_decay_mult": 0.3}, in_norm=True, ndim=1)[1] == 0.3


def test_a_rate_of_a_custom_key_does_not_cancel_a_decay_rule() -> None:
    settings = {"custom_keys": {"backbone": {"lr_mult": 0.1}}, "norm_decay_mult": 0.0}

    assert options(settings, "backbone.bn.weight", in_norm=True, ndim=1) == (0.1, 0.0, {})


def test_for_each_option_the_longest_key_decides() -> None:
    settings = {"custom_keys": {
        "backbone": {"lr_mult": 0.1, "decay_mult": 0.5, "momentum": 0.8},
        "backbone.layer1": {"decay_mult": 0.0},
    }}  # fmt: skip

    assert options(settings, "backbone.layer1.weight") == (0.1, 0.0, {"momentum": 0.8})
    assert options(settings, "backbone.layer2.weight") == (0.1, 0.5, {"momentum": 0.8})
    assert options(settings, "head.weight") == (None, None, {})


def test_a_custom_rate_replaces_that_of_the_kind() -> None:
    settings = {"custom_keys": {"head": {"lr_mult": 5.0}}, "bias_lr_mult": 2.0}

    assert options(settings, "head.bias", is_bias=True, ndim=1)[0] == 5.0


def test_between_keys_of_one_length_the_alphabet_decides() -> None:
    settings = {"custom_keys": {"b": {"lr_mult": 2.0}, "a": {"lr_mult": 1.5}}}

    assert options(settings, "a.b.weight")[0] == 1.5


def test_the_substring_rule_of_mmengine_is_an_option() -> None:
    settings = {"custom_keys": {"head": {"lr_mult": 5.0}}}

    assert options(settings, "aux_head.weight")[0] is None
    assert options({**settings, "match": "substring"}, "aux_head.weight")[0] == 5.0


def test_layer_wise_decay_counts_from_the_top() -> None:
    paths = ["embed.w", "blocks.0.w", "blocks.2.w", "blocks.10.w", "blocks.2.b", "head.w", "other"]
    factors = LayerDecay(0.5, ["embed", "blocks.*", "head"]).multipliers(paths)

    assert factors == {
        "embed.w": 0.5**4, "blocks.0.w": 0.5**3, "blocks.2.w": 0.25, "blocks.2.b": 0.25,
        "blocks.10.w": 0.5, "head.w": 1.0,
    }  # fmt: skip


def test_layer_wise_decay_multiplies_the_rate() -> None:
    rules = ParamRules.from_settings({"bias_lr_mult": 2.0})
    facts = ParamFacts("x.bias", 1, is_bias=True)

    assert rules.options(facts, layer_mult=0.25).lr_mult == 0.5
    assert rules.options(ParamFacts("x.weight", 2), layer_mult=0.25).lr_mult == 0.25


def test_an_unknown_key_is_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidSettingError, match=r"no key 'norm_decay'; .*mean 'norm_decay_mult'"):
        ParamRules.from_settings({"norm_decay": 0.0})


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ([], InvalidTypeError, "paramwise_cfg must be a dict"),
        ({"custom_keys": [1]}, InvalidTypeError, "custom_keys must be a dict"),
        ({"custom_keys": {"a": 0.1}}, InvalidTypeError, r"write dict\(lr_mult=0.1\)"),
        ({"match": "regex"}, InvalidSettingError, "'segments' or 'substring'"),
    ],
)
def test_settings_that_cannot_work_are_refused(
    settings: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        ParamRules.from_settings(settings)
