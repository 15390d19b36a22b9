"""The ready metrics by name, for settings.

A name that a user has registered stays the user's: ready metrics take only
names that are free when they are first asked for.
"""

from __future__ import annotations

from tk_registry import METRICS

from ..dump_results import DumpResults
from ..metric import BaseMetric
from .intersection import IoU
from .mean_loss import MeanLoss
from .precision import PrecisionRecallF1
from .regression import RegressionError
from .top_k import Accuracy
from .torch_metric import TorchMetric

READY: tuple[type[BaseMetric], ...] = (
    Accuracy,
    DumpResults,
    IoU,
    MeanLoss,
    PrecisionRecallF1,
    RegressionError,
    TorchMetric,
)


def register() -> None:
    """Register every ready metric whose name is free."""
    for metric in READY:
        if metric.__name__ not in METRICS.module_dict:
            METRICS.register_module(module=metric)
