"""The first example that MMEngine users meet: a ResNet-50 on CIFAR-sized images, in one page."""

from __future__ import annotations

import functools
import importlib.util
import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tree import ROOT

FOLDER = ROOT / "examples" / "cifar_sized"
SCRIPT = FOLDER / "train.py"


@pytest.fixture
def vision(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The stand-in for torchvision, with a narrow net and little data."""
    spec = importlib.util.spec_from_file_location("vision", FOLDER / "vision.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    narrow = functools.partial(module.resnet50, num_classes=10, width=4)
    monkeypatch.setattr(module.models, "resnet50", narrow)
    monkeypatch.setattr(module.CIFAR10, "sizes", {"train": 128, "test": 40})
    monkeypatch.setitem(sys.modules, "vision", module)
    return module


def test_the_example_trains_validates_and_keeps_a_checkpoint_of_each_epoch(
    vision: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    runpy.run_path(str(SCRIPT), run_name="__main__")

    work_dir = tmp_path / "work_dir"
    (records,) = work_dir.glob("*/vis_data/scalars.json")
    validated = [
        line for line in map(json.loads, records.read_text().splitlines()) if "accuracy" in line
    ]
    assert [line["step"] for line in validated] == [1, 2, 3, 4, 5]
    assert all(0 <= line["accuracy"] <= 100 for line in validated)
    assert {path.name for path in work_dir.glob("*.pth")} == {f"epoch_{n}.pth" for n in range(1, 6)}


def test_the_example_needs_at_most_60_lines_of_user_code() -> None:
    lines = [line for line in SCRIPT.read_text(encoding="utf-8").splitlines() if line.strip()]

    assert len(lines) <= 60


def test_the_stand_in_has_the_weights_of_a_resnet50(vision: ModuleType) -> None:
    model = vision.resnet50()

    # torchvision's own: 25,557,032 numbers for 1,000 classes
    assert sum(parameter.numel() for parameter in model.parameters()) == 25_557_032
