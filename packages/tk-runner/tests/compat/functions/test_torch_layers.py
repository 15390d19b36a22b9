"""Layers, devices and images of torch."""

from __future__ import annotations

import multiprocessing

import pytest
import torch
from torch import nn

from tk_runner.compat.functions import torch_layers


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (nn.BatchNorm2d(2), True),
        (nn.GroupNorm(1, 2), True),
        (nn.LayerNorm(2), True),
        (nn.ReLU(), False),
    ],
)
def test_layers_that_normalise(layer: nn.Module, expected: bool) -> None:
    assert torch_layers.is_norm(layer) is expected


def test_some_norms_can_be_left_out() -> None:
    assert not torch_layers.is_norm(nn.BatchNorm2d(2), exclude=torch_layers._BatchNorm)
    with pytest.raises(TypeError, match="exclude must be a type"):
        torch_layers.is_norm(nn.ReLU(), exclude="BatchNorm")


def test_a_batch_norm_is_found_inside() -> None:
    assert torch_layers.has_batch_norm(nn.Sequential(nn.Sequential(nn.BatchNorm1d(2))))
    assert not torch_layers.has_batch_norm(nn.Sequential(nn.LayerNorm(2)))


def test_a_grid_goes_by_rows_and_columns() -> None:
    rows, columns = torch_layers.torch_meshgrid(torch.arange(2), torch.arange(3))

    assert rows.tolist() == [[0, 0, 0], [1, 1, 1]]
    assert columns.tolist() == [[0, 1, 2], [0, 1, 2]]


def test_a_normalised_batch_becomes_images() -> None:
    batch = torch.tensor([[[[-1.0]], [[0.0]], [[1.0]]]])

    images = torch_layers.tensor2imgs(batch, mean=(10, 20, 30), std=(1, 1, 1))

    assert [image.tolist() for image in images] == [[[[31, 20, 9]]]]
    assert torch_layers.tensor2imgs(batch[:, :1] + 1, to_bgr=False)[0].tolist() == [[[0]]]
    with pytest.raises(AssertionError, match="one number for each of 3 channels"):
        torch_layers.tensor2imgs(batch, mean=(1,), std=(1,))


def test_tracing_is_noticed() -> None:
    seen = []

    class Asks(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            seen.append(torch_layers.is_jit_tracing())
            return x + 1

    Asks()(torch.ones(1))
    assert seen == [False]


def test_the_start_method_of_processes_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    before = multiprocessing.get_start_method()
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    torch_layers.set_multi_processing("spawn", distributed=True)
    after = multiprocessing.get_start_method()
    multiprocessing.set_start_method(before, force=True)

    assert after == "spawn"


def test_facts_about_torch() -> None:
    assert torch.__version__ == torch_layers.TORCH_VERSION
    assert not torch_layers.is_rocm_pytorch()
    assert "PyTorch built with" in torch_layers.get_build_config()
    assert torch_layers.mmcv_full_available() is False
