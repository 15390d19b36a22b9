"""Metrics and evaluators, exact over any number of ranks."""

from importlib import import_module
from typing import TYPE_CHECKING

from .errors import (
    EvaluatorError,
    FieldError,
    LengthMismatchError,
    MetricError,
    NotAMetricError,
    ResultNameError,
    SettingsError,
)

if TYPE_CHECKING:
    from .bootstrap import Bootstrap
    from .dump_results import DumpResults
    from .evaluator import Evaluator
    from .metric import BaseMetric
    from .metrics.intersection import IoU
    from .metrics.mean_loss import MeanLoss
    from .metrics.precision import PrecisionRecallF1
    from .metrics.regression import RegressionError
    from .metrics.top_k import Accuracy
    from .metrics.torch_metric import TorchMetric
    from .names import get_metric_value

    __version__: str

__all__ = [
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

_MODULE_OF = {
    "Accuracy": "metrics.top_k",
    "BaseMetric": "metric",
    "Bootstrap": "bootstrap",
    "DumpResults": "dump_results",
    "Evaluator": "evaluator",
    "IoU": "metrics.intersection",
    "MeanLoss": "metrics.mean_loss",
    "PrecisionRecallF1": "metrics.precision",
    "RegressionError": "metrics.regression",
    "TorchMetric": "metrics.torch_metric",
    "get_metric_value": "names",
}

if not TYPE_CHECKING:  # a type checker that saw it would take any name for public

    def __getattr__(name: str) -> object:
        if name in _MODULE_OF:
            value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
            globals()[name] = value  # the next look-up does not come here
            return value
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-evaluator")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
