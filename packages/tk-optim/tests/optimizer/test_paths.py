"""Patterns of module names."""

from __future__ import annotations

import pytest

from tk_optim.optimizer.paths import find_run, means, unmatched


@pytest.mark.parametrize(
    ("pattern", "path", "wanted"),
    [
        ("head", "head.weight", True),
        ("head", "decode.head.bias", True),
        ("head", "aux_head.weight", False),
        ("backbone.stem", "backbone.stem.0.conv.weight", True),
        ("backbone.stem", "backbone.layer.stem.weight", False),
        ("norm*", "blocks.0.norm1.weight", True),
        ("blocks.*.norm1", "blocks.11.norm1.bias", True),
        ("blocks.1", "blocks.11.norm1.bias", False),
        (".bias", "conv.bias", True),
        ("bias", "bias_net.weight", False),
        ("a.b.c", "a.b", False),
    ],
)
def test_a_pattern_is_a_run_of_segments(pattern: str, path: str, wanted: bool) -> None:
    assert means(pattern, path) is wanted


def test_the_run_is_what_the_pattern_stands_for() -> None:
    assert find_run("blocks.*", "net.blocks.7.weight") == ("blocks", "7")


def test_as_a_substring_a_pattern_means_what_mmengine_means() -> None:
    assert means("head", "aux_head.weight", "substring")


def test_a_pattern_without_any_parameter_is_reported_with_a_way_out() -> None:
    problems = unmatched(["norm", "neck", "head"], ["b.norm1.weight", "head.weight"], "segments")

    assert len(problems) == 2
    assert "'norm' matches no parameter, though it is a part of 1 names such as" in problems[0]
    assert problems[1] == "'neck' matches no parameter"
