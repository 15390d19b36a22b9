"""Every way of training, stopped after each of its iterations and resumed: nothing differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from run_comparison import differences, last_checkpoint, records
from test_train_and_resume import CASES, resumed_from, started, stopped_after
from toy_training import NUM_ITERS

SETTINGS = {name: settings for name, (_, settings) in CASES.items()}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_stopped_after_each_iteration_and_resumed(settings: dict[str, Any], tmp_path: Path) -> None:
    torch.manual_seed(1)
    with started(tmp_path / "whole", settings) as whole:
        whole.train()
        expected, curves = last_checkpoint(whole), records(whole)

    for stop in range(1, NUM_ITERS):
        work_dir = tmp_path / f"stop_{stop}"
        before = stopped_after(stop, work_dir, settings)
        resumed, after = resumed_from(stop, work_dir, settings)
        assert differences(expected, resumed) == [], f"stopped after {stop}"
        assert [*before, *after] == curves, f"stopped after {stop}"
