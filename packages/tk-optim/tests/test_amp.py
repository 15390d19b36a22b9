"""Mixed precision as a context."""

from __future__ import annotations

import pytest
import torch

from tk_optim import InvalidSettingError, InvalidTypeError, autocast

A = torch.ones(2, 2)


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [
        (None, torch.bfloat16),
        ("bfloat16", torch.bfloat16),
        (torch.float16, torch.float16),
        ("float32", torch.float32),
    ],
)
def test_matrix_products_run_in_the_dtype(dtype: object, wanted: torch.dtype) -> None:
    with autocast("cpu", dtype):
        assert (A @ A).dtype == wanted


def test_it_can_be_switched_off() -> None:
    with autocast("cpu", enabled=False):
        assert (A @ A).dtype == torch.float32


def test_a_device_with_its_index_is_a_device() -> None:
    with autocast("cpu:0"):
        assert (A @ A).dtype == torch.bfloat16


def test_without_a_device_it_is_that_of_the_process() -> None:
    assert autocast().device in ("cpu", "cuda", "mps")


def test_what_is_no_dtype_is_refused() -> None:
    with pytest.raises(InvalidSettingError, match="dtype='fp16' is no dtype of autocast"):
        autocast("cpu", "fp16")
    with pytest.raises(InvalidTypeError, match="dtype=16: give a torch dtype"):
        autocast("cpu", 16)
