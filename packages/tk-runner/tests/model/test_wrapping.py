from __future__ import annotations

from torch import nn

from tk_registry import MODEL_WRAPPERS, Registry
from tk_runner.model import is_model_wrapper


def test_wrappers_of_torch_and_registered_ones_are_known() -> None:
    class Own(nn.Module):
        pass

    child = Registry("model_wrapper", parent=MODEL_WRAPPERS, scope="detect_test")
    assert not is_model_wrapper(Own())

    child.register_module(module=Own)

    assert is_model_wrapper(Own())
    assert is_model_wrapper(nn.DataParallel(nn.Linear(1, 1)))
    assert not is_model_wrapper(nn.Linear(1, 1))


def test_another_registry_knows_its_own() -> None:
    other = Registry("other_wrapper", scope="detect_other")

    assert not is_model_wrapper(nn.DataParallel(nn.Linear(1, 1)), other)
