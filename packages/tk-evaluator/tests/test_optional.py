from __future__ import annotations

import sys

import pytest

from tk_evaluator import MissingExtraError
from tk_evaluator.optional import require


def test_a_missing_package_comes_with_the_command_that_mends_it() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'tk-evaluator\[torchmetrics\]'"):
        require("no_such_package_here", extra="torchmetrics", purpose="the metric")


def test_an_installed_package_is_imported() -> None:
    assert require("json", extra="x", purpose="a test") is sys.modules["json"]
