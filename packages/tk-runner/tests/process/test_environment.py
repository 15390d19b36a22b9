from __future__ import annotations

import json
import resource
import sys
from types import SimpleNamespace

import pytest
import torch

from tk_registry import FUNCTIONS
from tk_runner import collect_env
from tk_runner.process.environment import EnvironmentSettings, MultiprocessingSettings


def test_the_report_holds_plain_values() -> None:
    report = collect_env()

    assert json.loads(json.dumps(report)) == report
    assert report["torch"].startswith(torch.__version__.partition("+")[0])


def test_what_is_not_installed_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_runner.process.environment.PACKAGES", ("no-such-package",))

    assert collect_env()["no-such-package"] is None


def test_unknown_keys_and_values_that_cannot_be_are_told() -> None:
    found = FUNCTIONS.check({"type": EnvironmentSettings, "cudnn_bench": 1, "resource_limit": 0})
    inner = FUNCTIONS.check({"type": MultiprocessingSettings, "mp_start_method": "frok"})

    assert "did you mean 'cudnn_benchmark'?" in found[0].message
    assert "resource_limit must be a whole number of 1 or more, got 0" in found[1].message
    assert "must be 'fork' or 'spawn' or 'forkserver'" in inner[0].message


def test_nothing_is_changed_that_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    benchmark = torch.backends.cudnn.benchmark
    EnvironmentSettings().apply()

    assert resource.getrlimit(resource.RLIMIT_NOFILE) == limits
    assert torch.backends.cudnn.benchmark is benchmark


def test_the_limit_of_open_files_is_raised_as_far_as_it_may() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
        EnvironmentSettings(resource_limit=300).apply()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (min(300, hard), hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_threads_of_opencv_are_set_where_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setitem(sys.modules, "cv2", SimpleNamespace(setNumThreads=asked.append))
    EnvironmentSettings(mp_cfg={"opencv_num_threads": 0}).apply()

    assert asked == [0]
