"""What a run asks of its process, and the report of what it runs on."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import torch

from tk_registry import count, one_of, value_rules

PACKAGES = (
    "tk-runner",
    "tk-registry",
    "tk-fileio",
    "tk-dist",
    "tk-config",
    "tk-logging",
    "tk-optim",
    "tk-evaluator",
    "torch",
    "numpy",
)


@value_rules(
    mp_start_method=one_of("fork", "spawn", "forkserver"),
    opencv_num_threads=count(0),
)
@dataclass(frozen=True, kw_only=True)
class MultiprocessingSettings:
    """``env_cfg.mp_cfg``: how worker processes start, and how many threads OpenCV uses."""

    mp_start_method: str | None = None
    opencv_num_threads: int | None = None


@value_rules(resource_limit=count(1))
@dataclass(frozen=True, kw_only=True)
class EnvironmentSettings:
    """The run's ``env_cfg``.

    Nothing is changed that is not asked for: ``None`` leaves a setting alone.
    """

    cudnn_benchmark: bool | None = None
    mp_cfg: Mapping[str, Any] = field(default_factory=dict)
    dist_cfg: Mapping[str, Any] = field(default_factory=dict)
    resource_limit: int | None = None

    def apply(self) -> None:
        """Set what was asked for in this process."""
        if self.cudnn_benchmark is not None:
            torch.backends.cudnn.benchmark = self.cudnn_benchmark
        if self.resource_limit is not None:
            _allow_open_files(self.resource_limit)
        threads = self.mp_cfg.get("opencv_num_threads")
        if threads is not None and "cv2" in sys.modules:
            sys.modules["cv2"].setNumThreads(threads)


def _allow_open_files(wanted: int) -> None:
    """Raise the soft limit of open files to ``wanted``, as far as the hard one allows."""
    if sys.platform == "win32":
        return
    import resource  # not there on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = min(max(soft, wanted), hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))


def collect_env() -> dict[str, Any]:
    """Machine and versions, as plain values."""
    report: dict[str, Any] = {
        "platform": platform.platform(),
        "python": sys.version.split()[0],
        "cpu_count": os.cpu_count(),
        "threads": torch.get_num_threads(),
    }
    for name in PACKAGES:
        report[name] = _version(name)
    report["cuda"] = torch.version.cuda
    report["devices"] = [
        torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())
    ]
    return report


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
