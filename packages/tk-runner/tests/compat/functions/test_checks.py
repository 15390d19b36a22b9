"""The checks of MMEngine's test helpers."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from tk_runner.compat.functions import checks


def test_only_the_first_raises() -> None:
    checks.assert_allclose(torch.ones(2), torch.ones(2) + 1e-9)
    with pytest.raises(AssertionError):
        checks.assert_allclose(torch.ones(2), torch.zeros(2))


def test_mappings_and_attributes_are_compared() -> None:
    assert checks.assert_dict_contains_subset({"a": np.ones(2), "b": 1}, {"a": np.ones(2)})
    assert not checks.assert_dict_contains_subset({"a": 1}, {"b": 1})
    assert checks.assert_attrs_equal(SimpleNamespace(a=1), {"a": 1})
    assert not checks.assert_attrs_equal(SimpleNamespace(a=1), {"a": 2})
    assert checks.assert_dict_has_keys({"a": 1, "b": 2}, ["a"])
    assert not checks.assert_keys_equal(["a"], ["a", "b"])


def test_layers_are_judged() -> None:
    layer = nn.Linear(2, 2)

    assert checks.assert_is_norm_layer(nn.BatchNorm1d(2))
    assert not checks.assert_params_all_zeros(layer)
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
    assert checks.assert_params_all_zeros(layer)


def test_a_script_runs_in_this_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys; open(sys.argv[1], 'w').close()")
    before = list(sys.argv)

    checks.check_python_script(f"python {script} {tmp_path / 'made'}")

    assert (tmp_path / "made").exists()
    assert sys.argv == before
