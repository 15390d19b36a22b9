"""A file like those of MMEngine 0.10.7, made without it: the same names in the same pickle.

A stand-in for its ``HistoryBuffer`` has the fields and the references to its own
methods that the real one pickles.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import torch
from torch import nn

MODULES = ("mmengine", "mmengine.logging", "mmengine.logging.history_buffer")


class HistoryBuffer:
    def __init__(self, values: list[float]) -> None:
        self._max_length = 1000000
        self._set_default_statistics()
        self._log_history = np.array(values)
        self._count_history = np.ones(len(values), dtype=np.int64)

    def _set_default_statistics(self) -> None:
        kind = type(self)
        self._statistics_methods = OrderedDict(mean=kind.mean, current=kind.current)

    def mean(self) -> None: ...

    def current(self) -> None: ...


HistoryBuffer.__module__ = MODULES[-1]


@contextmanager
def importable() -> Iterator[None]:
    """The name of the real module leads to the stand-in, while a file is written."""
    modules = {name: ModuleType(name) for name in MODULES}
    modules[MODULES[-1]].HistoryBuffer = HistoryBuffer  # type: ignore[attr-defined]
    with mock.patch.dict(sys.modules, modules):
        yield


def write_like_mmengine(path: Path) -> dict[str, Any]:
    """Write such a file, and give what is in it."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 1), nn.BatchNorm1d(1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.randn(4, 3)).pow(2).sum().backward()
    optimizer.step()
    content: dict[str, Any] = {
        "meta": {
            "epoch": 2,
            "iter": 8,
            "cfg": "\n",
            "seed": 1823494012,
            "experiment_name": "20250101_000000",
            "time": "20250101_000004",
            "mmengine_version": "0.10.7",
            "dataset_meta": {"classes": ("a", "b"), "palette": np.array([[1, 2, 3]])},
        },
        "state_dict": model.state_dict(),
        "message_hub": {
            "log_scalars": OrderedDict(
                {"train/loss": HistoryBuffer([4.0, 2.0, 1.5]), "train/time": HistoryBuffer([0.1])}
            ),
            "runtime_info": OrderedDict(
                loop_stage="train", iter=7, epoch=1, last=np.float64(0.5), no=np.bool_(False)
            ),
            "resumed_keys": OrderedDict(
                {"loop_stage": True, "train/loss": True, "iter": True, "last": True}
            ),
        },
        "optimizer": optimizer.state_dict(),
        "param_schedulers": [
            {
                "milestones": Counter({1: 1}),
                "gamma": 0.1,
                "param_name": "lr",
                "begin": 0,
                "end": 2,
                "by_epoch": True,
                "base_values": [0.1],
                "last_step": 1,
                "_global_step": 2,
                "verbose": False,
                "_last_value": [0.01],
            }
        ],
    }
    with importable():
        torch.save(content, path)
    return content
