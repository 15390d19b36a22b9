"""Event files, read back with TensorBoard's own reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backend_suite import BackendSuite
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event

from tk_config import Config
from tk_runner.visualization import BaseVisBackend, TensorboardVisBackend


def values(folder: str | Path) -> list[tuple[int, Any]]:
    """Step and value of everything in the event files of a folder."""
    found: list[tuple[int, Any]] = []
    for path in sorted(Path(folder).glob("events.out.*"), key=lambda one: one.stat().st_mtime_ns):
        for raw in RawEventFileLoader(str(path)).Load():
            event = Event.FromString(raw)
            found += [(event.step, value) for value in event.summary.value]
    return found


class TestTensorboardVisBackend(BackendSuite):
    @pytest.fixture
    def backend(self, tmp_path: Path) -> Any:
        backend = TensorboardVisBackend(str(tmp_path / "vis_data"))
        yield backend
        backend.close()

    def scalars(self, backend: BaseVisBackend) -> list[tuple[int, str, float]]:
        backend.close()
        return [(step, value.tag, value.simple_value) for step, value in values(backend.save_dir)]


@pytest.fixture
def backend(tmp_path: Path) -> Any:
    backend = TensorboardVisBackend(str(tmp_path))
    yield backend
    backend.close()


def test_what_is_no_number_is_left_out(backend: TensorboardVisBackend) -> None:
    backend.add_scalars({"axis": "iter", "flag": True, "a": 1.0, "b": [1, 2]}, step=1)
    backend.close()

    assert [value.tag for _, value in values(backend.save_dir)] == ["a"]


def test_a_number_too_large_for_the_field_is_infinite(backend: TensorboardVisBackend) -> None:
    backend.add_scalars({"a": 1e300, "b": -1e300}, step=1)
    backend.close()

    assert [value.simple_value for _, value in values(backend.save_dir)] == [
        float("inf"),
        float("-inf"),
    ]


def test_the_config_is_a_text(backend: TensorboardVisBackend) -> None:
    backend.add_config(Config({"lr": 0.1}))
    backend.close()

    ((_, value),) = values(backend.save_dir)
    assert value.tag == "config"
    assert value.metadata.plugin_data.plugin_name == "text"
    assert b"lr = 0.1" in value.tensor.string_val[0]


def test_an_image_has_its_size(backend: TensorboardVisBackend) -> None:
    backend.add_image("seen", np.zeros((4, 6, 3), dtype=np.uint8), step=5)
    backend.close()

    ((step, value),) = values(backend.save_dir)
    assert (step, value.tag, value.image.height, value.image.width) == (5, "seen", 4, 6)
    assert value.image.encoded_image_string.startswith(b"\x89PNG")
