from __future__ import annotations

import logging
from pathlib import Path

import pytest
import torch
from torch import nn

from tk_runner.checkpoint import (
    CheckpointError,
    KeyMismatchError,
    load_checkpoint,
    load_state_dict,
    load_weights,
    read_checkpoint,
    save_checkpoint,
    weights_of,
)


def small_net(width: int = 3) -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, width), nn.BatchNorm1d(width))


def test_a_whole_file_loads_and_is_given_back(tmp_path: Path) -> None:
    source, target = small_net(), small_net()
    save_checkpoint({"meta": {"iter": 3}, "state_dict": source.state_dict()}, tmp_path / "a.pth")

    content = load_checkpoint(target, tmp_path / "a.pth", strict=True)

    assert content["meta"]["iter"] == 3
    assert torch.equal(target[0].weight, source[0].weight)
    assert target[0].weight.data_ptr() != content["state_dict"]["0.weight"].data_ptr()


def test_a_bare_state_dict_loads_too(tmp_path: Path) -> None:
    source, target = small_net(), small_net()
    torch.save(source.state_dict(), tmp_path / "a.pth")

    load_checkpoint(target, tmp_path / "a.pth", strict=True)

    assert torch.equal(target[0].weight, source[0].weight)


def test_the_wrapper_before_all_names_is_cut_by_default(tmp_path: Path) -> None:
    source, target = small_net(), small_net()
    wrapped = {f"module.{name}": one for name, one in source.state_dict().items()}

    report = load_weights(target, wrapped)

    assert report.is_complete
    assert report.loaded == report.expected == 7


def test_names_are_rewritten_rule_by_rule() -> None:  # mmengine#1447
    source, target = small_net(), small_net()
    named = {f"old.net.{name}": one for name, one in source.state_dict().items()}

    report = load_weights(target, named, revise_keys=[(r"^old\.", ""), (r"^net\.", "")])

    assert report.is_complete
    assert torch.equal(target[0].weight, source[0].weight)


def test_two_names_that_become_one_are_refused() -> None:
    with pytest.raises(CheckpointError, match=r"makes 'w' out of both 'a\.w' and 'b\.w'"):
        load_weights(small_net(), {"a.w": 1, "b.w": 2}, revise_keys=[(r"^[ab]\.", "")])


def test_what_does_not_fit_is_reported_with_counts_shapes_and_near_names(
    caplog: pytest.LogCaptureFixture,
) -> None:
    weights = small_net().state_dict()
    weights["0.weights"] = weights.pop("0.weight")
    weights["1.bias"] = torch.ones(5)

    report = load_state_dict(small_net(), weights)

    assert not report.is_complete
    assert report.missing == ["0.weight"]
    assert report.unexpected == ["0.weights"]
    assert report.mismatched == ["1.bias (5,) for (3,)"]
    assert report.loaded == 5
    expected = """5 of 7 weights loaded
  1 missing in the file: 0.weight
  1 not in the model: 0.weights
  1 of another shape: 1.bias (5,) for (3,)
  the file has no '0.weight'; did you mean '0.weights'? Rename it with revise_keys"""
    assert caplog.messages == [expected]


def test_a_prefix_that_all_names_of_the_file_have_is_told() -> None:
    weights = {f"backbone.{name}": one for name, one in small_net().state_dict().items()}

    report = load_state_dict(small_net(), weights)

    assert r"begin with 'backbone.'; pass revise_keys=[(r'^backbone\.', '')]" in str(report)


def test_long_lists_are_cut() -> None:
    weights = {f"head.{number}": torch.ones(1) for number in range(20)}

    report = load_state_dict(nn.Identity(), weights)

    assert "20 not in the model: head.0, " in str(report)
    assert "head.7 and 12 more" in str(report)


def test_the_given_logger_gets_the_report(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("WARNING", "mine"):
        load_state_dict(small_net(), {}, logger=logging.getLogger("mine"))

    assert [record.name for record in caplog.records] == ["mine"]


def test_a_complete_load_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    load_state_dict(small_net(), small_net().state_dict())

    assert caplog.messages == []


@pytest.mark.parametrize("kind", ["missing", "unexpected", "shape"])
def test_strict_loading_refuses(kind: str) -> None:
    weights = small_net().state_dict()
    if kind == "missing":
        del weights["0.weight"]
    elif kind == "unexpected":
        weights["more"] = torch.ones(1)
    else:
        weights["0.weight"] = torch.ones(1)

    with pytest.raises(KeyMismatchError, match="the weights do not fit the model"):
        load_state_dict(small_net(), weights, strict=True)


def test_strict_loading_with_a_wrong_shape_leaves_the_model_as_it_was() -> None:
    target = small_net()
    before = target[0].weight.clone()
    weights = {**small_net().state_dict(), "1.bias": torch.ones(5)}

    with pytest.raises(KeyMismatchError, match=r"1\.bias \(5,\) for \(3,\)"):
        load_state_dict(target, weights, strict=True)

    assert torch.equal(target[0].weight, before)


def test_counters_of_batches_may_be_missing() -> None:
    weights = small_net().state_dict()
    del weights["1.num_batches_tracked"]

    assert load_state_dict(small_net(), weights).is_complete


def test_hooks_after_loading_run_as_in_torch() -> None:  # mmengine#1103
    model = small_net()
    seen: list[nn.Module] = []
    model[0].register_load_state_dict_post_hook(lambda module, keys: seen.append(module))

    load_state_dict(model, small_net().state_dict())

    assert seen == [model[0]]


def test_versions_of_modules_reach_them_through_a_file(tmp_path: Path) -> None:
    class Versioned(nn.Linear):
        _version = 3

        def _load_from_state_dict(self, state, prefix, local_metadata, *rest):  # type: ignore[no-untyped-def]
            self.seen = local_metadata.get("version")
            super()._load_from_state_dict(state, prefix, local_metadata, *rest)

    save_checkpoint({"state_dict": Versioned(2, 2).state_dict()}, tmp_path / "a.pth")
    target = Versioned(2, 2)

    load_checkpoint(target, tmp_path / "a.pth")

    assert target.seen == 3


def test_modules_that_rename_their_weights_still_do() -> None:
    class Renamed(nn.Linear):
        def _load_from_state_dict(self, state, prefix, *rest):  # type: ignore[no-untyped-def]
            state[f"{prefix}weight"] = state.pop(f"{prefix}kernel")
            super()._load_from_state_dict(state, prefix, *rest)

    old = {"kernel": torch.ones(2, 2), "bias": torch.zeros(2)}
    target = Renamed(2, 2)

    report = load_state_dict(target, old)

    assert report.is_complete
    assert torch.equal(target.weight, torch.ones(2, 2))


def test_what_a_module_refuses_after_renaming_is_reported() -> None:
    class Renamed(nn.Linear):
        def _load_from_state_dict(self, state, prefix, *rest):  # type: ignore[no-untyped-def]
            state[f"{prefix}weight"] = state.pop(f"{prefix}kernel")
            super()._load_from_state_dict(state, prefix, *rest)

    report = load_state_dict(Renamed(2, 2), {"kernel": torch.ones(9), "bias": torch.zeros(2)})

    assert not report.is_complete
    assert "1 refused: size mismatch for weight" in str(report)


def test_a_lazy_module_takes_its_shape_from_the_file() -> None:
    source = nn.Linear(3, 2)
    target = nn.LazyLinear(2)

    report = load_state_dict(target, source.state_dict())

    assert report.is_complete
    assert torch.equal(target.weight, source.weight)


def test_a_part_of_a_file_is_chosen_by_its_prefix(tmp_path: Path) -> None:
    source = nn.ModuleDict({"backbone": small_net(), "head": nn.Linear(3, 1)})
    save_checkpoint({"state_dict": source.state_dict()}, tmp_path / "a.pth")
    content = read_checkpoint(tmp_path / "a.pth")
    target = small_net()

    assert load_state_dict(target, weights_of(content, prefix="backbone"), strict=True).is_complete
    with pytest.raises(CheckpointError, match=r"begins with 'neck\.'.*\['backbone', 'head'\]"):
        weights_of(content, prefix="neck")


def test_extra_keys_of_an_old_file_are_reported_and_no_error() -> None:  # mmengine#607
    weights = {**small_net().state_dict(), "old_buffer": torch.ones(1)}

    assert load_state_dict(small_net(), weights).unexpected == ["old_buffer"]


@pytest.mark.parametrize("prefix", ["_orig_mod.", "module._orig_mod.", "_orig_mod.module."])
def test_what_the_compiler_puts_before_names_is_cut(prefix: str) -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    weights = {f"{prefix}{name}": one + 1 for name, one in model.state_dict().items()}

    assert load_weights(model, weights).is_complete


def test_a_compiled_part_is_found_under_its_plain_name() -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    weights = {"0._orig_mod.weight": torch.ones(2, 2), "0._orig_mod.bias": torch.ones(2)}

    assert load_weights(model, weights).is_complete
