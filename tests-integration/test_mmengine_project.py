"""A project written for MMEngine runs unchanged: by itself here, and like MMEngine where that is.

``nox -s compat`` installs MMEngine and compares losses; elsewhere those tests say
that they were skipped.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tree import ROOT

PROJECT = ROOT / "tests-integration" / "mmengine_project"
needs_mmengine = pytest.mark.skipif(
    importlib.util.find_spec("mmengine") is None,
    reason="mmengine is not installed here; nox -s compat installs it",
)


def run(work_dir: Path, *arguments: str, by: str) -> list[float]:
    """Train by ``tk`` or ``mmengine``; the losses that were recorded."""
    through = ["-m", "tk_runner.compat"] if by == "tk" else []
    command = [sys.executable, *through, "train.py", "configs/shapes.py"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT), *sys.path])}
    if by == "mmengine":  # which cannot read its own files in torch's safe default
        environment["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
    ended = subprocess.run(
        [*command, "--work-dir", str(work_dir), *arguments],
        cwd=PROJECT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return losses(work_dir)


def losses(work_dir: Path) -> list[float]:
    lines = [
        json.loads(line)
        for path in sorted(work_dir.glob("*/vis_data/scalars.json"))
        for line in path.read_text().splitlines()
    ]
    return [line["loss"] for line in lines if "loss" in line]


def test_the_project_trains_validates_and_resumes_unchanged(tmp_path: Path) -> None:
    straight = run(tmp_path / "straight", by="tk")
    (tmp_path / "resumed").mkdir()
    shutil.copy(tmp_path / "straight" / "iter_10.pth", tmp_path / "resumed")

    resumed = run(tmp_path / "resumed", "--resume", by="tk")

    assert len(straight) == 20
    assert straight[-1] < straight[0] / 5
    assert resumed == straight[10:]


@needs_mmengine
def test_its_losses_are_those_of_mmengine_from_the_same_weights(tmp_path: Path) -> None:
    run(tmp_path / "first", by="mmengine")
    begin = ["--cfg-options", f"load_from={tmp_path / 'first' / 'iter_10.pth'}"]

    expected = run(tmp_path / "mmengine", *begin, by="mmengine")

    assert len(expected) == 20
    assert run(tmp_path / "tk", *begin, by="tk") == expected


@needs_mmengine
def test_it_goes_on_from_a_checkpoint_of_mmengine(tmp_path: Path) -> None:
    expected = run(tmp_path / "mmengine", by="mmengine")
    (tmp_path / "tk").mkdir()
    shutil.copy(tmp_path / "mmengine" / "iter_10.pth", tmp_path / "tk")

    resumed = run(tmp_path / "tk", "--resume", by="tk")

    # MMEngine shows means over a window, which it adds up in another order.
    assert resumed == pytest.approx(expected[10:], rel=1e-6)
