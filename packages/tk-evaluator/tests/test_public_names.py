from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import tk_evaluator

NAMES = [
    "Accuracy",
    "BaseMetric",
    "Bootstrap",
    "DumpResults",
    "Evaluator",
    "EvaluatorError",
    "FieldError",
    "IoU",
    "LengthMismatchError",
    "MeanLoss",
    "MetricError",
    "NotAMetricError",
    "PrecisionRecallF1",
    "RegressionError",
    "ResultNameError",
    "SettingsError",
    "TorchMetric",
    "get_metric_value",
]


def test_the_public_names_are_exactly_these() -> None:
    assert tk_evaluator.__all__ == NAMES


def test_every_public_name_is_there_and_none_is_a_module() -> None:
    for name in NAMES:
        assert not isinstance(getattr(tk_evaluator, name), ModuleType)
    assert set(NAMES) <= set(dir(tk_evaluator))


def test_importing_the_package_does_not_import_torch() -> None:
    code = "import sys, tk_evaluator; assert not {'torch', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
