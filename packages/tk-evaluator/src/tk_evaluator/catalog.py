"""The ready metrics by name, for settings.

A name that a user has registered stays the user's: ready metrics take only
names that are free when they are first asked for.
"""

from __future__ import annotations

from tk_registry import METRICS

from .dump_results import DumpResults
from .metric import BaseMetric
from .metrics.intersection import IoU
from .metrics.mean_loss import MeanLoss
from .metrics.precision import PrecisionRecallF1
from .metrics.regression import RegressionError
from .metrics.top_k import Accuracy
from .metrics.torch_metric import TorchMetric

READY: tuple[type[BaseMetric], ...] = (
    Accuracy,
    DumpResults,
    IoU,
    MeanLoss,
    PrecisionRecallF1,
    RegressionError,
    TorchMetric,
)


def offer() -> None:
    """Register every ready metric whose name is free."""
    for metric in READY:
        if metric.__name__ not in METRICS.module_dict:
            METRICS.register_module(module=metric)
