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

from tk_registry import did_you_mean

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
MP_KEYS = ("mp_start_method", "opencv_num_threads")


@dataclass(frozen=True, kw_only=True)
class EnvironmentSettings:
    """The run's ``env_cfg``.

    Nothing is changed that is not asked for: ``None`` leaves a setting alone.
    """

    cudnn_benchmark: bool | None = None
    mp_cfg: Mapping[str, Any] = field(default_factory=dict)
    dist_cfg: Mapping[str, Any] = field(default_factory=dict)
    resource_limit: int | None = None

    @classmethod
    def problems_of(cls, env_cfg: Any) -> list[str]:
        """Unknown keys, with the nearest known one."""
        if not isinstance(env_cfg, Mapping):
            return [f"env_cfg must be a dict, got {env_cfg!r}"]
        known = tuple(cls.__dataclass_fields__)
        found = [
            f"env_cfg.{key}: {did_you_mean(key, known)}" for key in env_cfg if key not in known
        ]
        inner = env_cfg.get("mp_cfg") or {}
        found += [
            f"env_cfg.mp_cfg.{key}: {did_you_mean(key, MP_KEYS)}"
            for key in inner
            if key not in MP_KEYS
        ]
        return found

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
