"""The checks of MMEngine's test helpers; all but the first answer, and never raise."""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from collections.abc import Iterable, Mapping
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import nn

from .torch_layers import is_norm


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str | None = "",
) -> None:
    """Compare numbers, by ``torch.testing.assert_close``.

    Raises:
        AssertionError: they are further apart.
    """
    torch.testing.assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, msg=msg or None
    )


def assert_dict_contains_subset(
    dict_obj: Mapping[Any, Any], expected_subset: Mapping[Any, Any]
) -> bool:
    """Whether the mapping has these entries."""
    return all(
        key in dict_obj and _is_equal(dict_obj[key], value)
        for key, value in expected_subset.items()
    )


def assert_attrs_equal(obj: Any, expected_attrs: Mapping[str, Any]) -> bool:
    """Whether the object has these attributes with these values."""
    return all(
        hasattr(obj, name) and _is_equal(getattr(obj, name), value)
        for name, value in expected_attrs.items()
    )


def assert_dict_has_keys(obj: Mapping[str, Any], expected_keys: Iterable[str]) -> bool:
    """Whether the mapping has these keys."""
    return set(expected_keys) <= set(obj)


def assert_keys_equal(result_keys: Iterable[str], target_keys: Iterable[str]) -> bool:
    """Whether both hold the same keys."""
    return set(result_keys) == set(target_keys)


def assert_is_norm_layer(module: nn.Module) -> bool:
    """Whether the module normalises."""
    return is_norm(module)


def assert_params_all_zeros(module: nn.Module) -> bool:
    """Whether weight and bias of the module are zero."""
    parameters = (getattr(module, name, None) for name in ("weight", "bias"))
    return all(not bool(one.detach().any()) for one in parameters if one is not None)


def check_python_script(cmd: str) -> None:
    """Run a script as if it had been called with these arguments, in this process."""
    arguments = shlex.split(re.sub(r"^python\s+", "", cmd.strip()))
    with patch.object(sys, "argv", arguments):
        runpy.run_path(arguments[0], run_name="__main__")


def _is_equal(one: Any, other: Any) -> bool:
    if isinstance(one, (np.ndarray, torch.Tensor)) or isinstance(other, (np.ndarray, torch.Tensor)):
        return bool(np.array_equal(np.asarray(one), np.asarray(other)))
    return bool(one == other)
