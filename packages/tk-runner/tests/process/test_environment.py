from __future__ import annotations

import json
import resource
import sys
from types import SimpleNamespace

import pytest
import torch

from tk_runner import collect_env
from tk_runner.process.environment import EnvironmentSettings


def test_the_report_holds_plain_values() -> None:
    report = collect_env()

    assert json.loads(json.dumps(report)) == report
    assert report["torch"].startswith(torch.__version__.partition("+")[0])


def test_what_is_not_installed_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_runner.process.environment.PACKAGES", ("no-such-package",))

    assert collect_env()["no-such-package"] is None


def test_unknown_keys_are_told_with_the_nearest() -> None:
    found = EnvironmentSettings.problems_of({"cudnn_bench": 1, "mp_cfg": {"start_method": 1}})

    assert found == [
        "env_cfg.cudnn_bench: did you mean 'cudnn_benchmark'?",
        "env_cfg.mp_cfg.start_method: did you mean 'mp_start_method'?",
    ]


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
