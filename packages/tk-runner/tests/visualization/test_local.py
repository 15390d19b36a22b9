"""Plain files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backend_suite import BackendSuite
from PIL import Image

from tk_config import Config
from tk_runner import InvalidSettingsError
from tk_runner.visualization import BaseVisBackend, LocalVisBackend


class TestLocalVisBackend(BackendSuite):
    @pytest.fixture
    def backend(self, tmp_path: Path) -> LocalVisBackend:
        return LocalVisBackend(str(tmp_path / "vis_data"))

    def scalars(self, backend: BaseVisBackend) -> list[tuple[int, str, float]]:
        backend.close()
        text = (Path(backend.save_dir) / "scalars.json").read_text()
        found: list[tuple[int, str, float]] = []
        for line in text.splitlines():
            record: dict[str, Any] = json.loads(line)
            step = record.pop("step")
            found += [(step, name, float(value)) for name, value in record.items()]
        return found


def test_the_config_is_written_as_text(tmp_path: Path) -> None:
    backend = LocalVisBackend(str(tmp_path))
    backend.add_config(Config({"lr": 0.1}))

    assert (tmp_path / "config.py").read_text() == "lr = 0.1\n"


@pytest.mark.parametrize("shape", [(5, 7, 3), (5, 7)])
def test_an_image_reads_back_unchanged(tmp_path: Path, shape: tuple[int, ...]) -> None:
    image = np.random.default_rng(0).integers(0, 255, shape, dtype=np.uint8)
    LocalVisBackend(str(tmp_path)).add_image("set/one", image, step=3)

    with Image.open(tmp_path / "vis_image" / "set_one_3.png") as read:
        assert np.array_equal(np.asarray(read), image)


def test_a_name_leads_to_no_other_folder(tmp_path: Path) -> None:
    image = np.zeros((2, 2), dtype=np.uint8)
    LocalVisBackend(str(tmp_path / "vis")).add_image("../../out", image)

    assert [path.name for path in tmp_path.rglob("*.png")] == ["_.._out_0.png"]


def test_a_resumed_run_appends(tmp_path: Path) -> None:
    for step in (1, 2):
        backend = LocalVisBackend(str(tmp_path))
        backend.add_scalar("a", step, step=step)
        backend.close()

    assert (tmp_path / "scalars.json").read_text() == '{"step": 1, "a": 1}\n{"step": 2, "a": 2}\n'


@pytest.mark.parametrize(
    "settings", [{"config_save_file": "config.txt"}, {"scalar_save_file": "scalars.csv"}]
)
def test_files_have_the_endings_that_say_what_they_hold(settings: dict[str, str]) -> None:
    with pytest.raises(InvalidSettingsError, match="must end in"):
        LocalVisBackend("folder", **settings)
