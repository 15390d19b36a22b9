from __future__ import annotations

import torch
from torch import nn

from tk_runner.model.bare import bare_copy, bare_model, bare_tensors


def compiled(module: nn.Module) -> nn.Module:
    return torch.compile(module, backend="eager")


def test_wrappers_and_compilation_are_taken_off_the_outside() -> None:
    model = nn.Sequential(compiled(nn.Linear(1, 1)))

    assert bare_model(compiled(model)) is model
    assert bare_model(model) is model


def test_a_copy_has_no_compiled_part_and_weights_of_its_own() -> None:
    inner = nn.Linear(1, 1)
    copy = bare_copy(compiled(nn.Sequential(compiled(inner))))

    assert type(copy) is nn.Sequential
    assert type(copy[0]) is nn.Linear
    assert copy[0].weight is not inner.weight
    assert torch.equal(copy[0].weight, inner.weight)


def test_tensors_have_the_names_of_the_copy_and_shared_ones_appear_once() -> None:
    norm = nn.BatchNorm1d(1)
    model = compiled(nn.ModuleDict({"a": compiled(norm), "b": norm}))

    params, buffers = bare_tensors(model)

    assert list(params) == ["a.weight", "a.bias"]
    assert list(buffers) == ["a.running_mean", "a.running_var", "a.num_batches_tracked"]
    assert set(params) <= set(dict(bare_copy(model).named_parameters()))
