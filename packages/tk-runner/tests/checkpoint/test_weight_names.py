from __future__ import annotations

import torch
from torch import nn
from torch.nn.parallel import DataParallel

from tk_runner.checkpoint import get_state_dict, load_state_dict, weights_to_cpu


class Compiled(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self._orig_mod = inner


Compiled.__name__ = "OptimizedModule"


def nested() -> nn.ModuleDict:
    return nn.ModuleDict(
        {
            "a": DataParallel(nn.Sequential(Compiled(nn.Linear(2, 2)))),
            "module": nn.BatchNorm1d(2),  # a name like this is no wrapper
        }
    )


def test_wrappers_at_any_depth_are_not_in_the_names() -> None:
    found = get_state_dict(DataParallel(nested()))

    assert list(found)[:4] == ["a.0.weight", "a.0.bias", "module.weight", "module.bias"]
    assert set(found._metadata) == {"", "a", "a.0", "module"}  # type: ignore[attr-defined]


def test_clean_names_load_into_a_wrapped_model() -> None:
    source, target = nested(), nested()

    report = load_state_dict(target, get_state_dict(source), strict=True)

    assert report.is_complete
    assert torch.equal(
        target["a"].module[0]._orig_mod.weight, source["a"].module[0]._orig_mod.weight
    )


def test_what_is_missing_is_told_by_its_clean_name() -> None:
    weights = get_state_dict(nested())
    del weights["a.0.bias"]
    weights["a.0.weight"] = torch.ones(5)

    report = load_state_dict(nested(), weights)

    assert report.missing == ["a.0.bias"]
    assert report.mismatched == ["a.0.weight (5,) for (2, 2)"]


def test_a_dict_is_filled_under_a_prefix() -> None:
    given: dict[str, torch.Tensor] = {}

    found = get_state_dict(nn.Linear(2, 2), destination=given, prefix="head.", keep_vars=True)

    assert found is given
    assert list(given) == ["head.weight", "head.bias"]
    assert given["head.weight"].requires_grad


def test_weights_go_to_the_cpu_with_their_versions() -> None:
    state = nn.BatchNorm1d(2).state_dict()

    moved = weights_to_cpu({"model": state, "step": 3})

    assert moved["step"] == 3
    assert moved["model"]._metadata == state._metadata  # type: ignore[attr-defined]
    assert moved["model"]["weight"].device.type == "cpu"
