"""One door to every backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doubling import records

from tk_dist import launch
from tk_registry import VISBACKENDS
from tk_runner import InvalidSettingsError, Visualizer
from tk_runner.visualization import BaseVisBackend, LocalVisBackend


class Kept(BaseVisBackend):
    """Keeps what it is told."""

    def __init__(self, save_dir: str = "nowhere", fails: bool = False) -> None:
        super().__init__(save_dir)
        self.told: list[Any] = []
        self.fails = fails

    @property
    def experiment(self) -> Any:
        return self.told

    def add_scalars(self, scalar_dict: Mapping[str, Any], step: int = 0, **kwargs: Any) -> None:
        if self.fails:
            raise ConnectionError("the tracker is gone")
        self.told.append((dict(scalar_dict), step))

    def close(self) -> None:
        if self.fails:
            raise KeyError("work_dir")
        self.told.append("closed")


def test_every_backend_is_told_the_same() -> None:
    first, second = Kept(), Kept()
    visualizer = Visualizer(
        vis_backends=[first, {"type": lambda save_dir: second, "name": "b", "save_dir": "x"}]
    )
    visualizer.add_scalars({"a": 1}, step=2)
    visualizer.add_scalar("b", 3, step=4)
    visualizer.close()

    assert first.told == second.told == [({"a": 1}, 2), ({"b": 3}, 4), "closed"]


def test_a_backend_that_fails_costs_its_records_and_not_the_run(
    make_run: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    good, bad = Kept(), Kept(fails=True)
    bad.__class__ = type("Broken", (Kept,), {})
    visualizer = Visualizer("mine", vis_backends=[bad, good])
    runner = make_run(epochs=2, visualizer=visualizer)
    runner.train()

    assert runner.epoch == 2
    assert len(good.told) >= 3
    assert caplog.text.count("the visual backend 'Broken' failed") == 1
    assert "the tracker is gone" in caplog.text


def test_backends_are_found_by_the_name_of_their_config_or_class(tmp_path: Path) -> None:
    visualizer = Visualizer(
        vis_backends=[{"type": "LocalVisBackend", "name": "files"}, Kept()], save_dir=str(tmp_path)
    )

    found = visualizer.get_backend("files")
    assert isinstance(found, LocalVisBackend)
    assert found.save_dir == str(tmp_path / "vis_data")
    assert isinstance(visualizer.get_backend("Kept"), Kept)
    assert visualizer.get_backend("other") is None


def test_a_ready_backend_needs_no_folder_of_the_visualizer(tmp_path: Path) -> None:
    visualizer = Visualizer(vis_backends=[LocalVisBackend(str(tmp_path / "d"))])
    visualizer.add_scalar("a", 1, step=1)
    visualizer.close()

    assert (tmp_path / "d" / "scalars.json").read_text() == '{"step": 1, "a": 1}\n'


def test_a_backend_that_is_listed_twice_is_used_once_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    twice = [{"type": "LocalVisBackend"}, {"type": "LocalVisBackend", "img_save_dir": "last"}]
    visualizer = Visualizer(vis_backends=twice, save_dir=str(tmp_path))
    visualizer.add_scalar("a", 1, step=1)
    visualizer.close()

    assert (tmp_path / "vis_data" / "scalars.json").read_text() == '{"step": 1, "a": 1}\n'
    assert "two visual backends are called 'LocalVisBackend'" in caplog.text


def test_a_config_is_not_changed(tmp_path: Path) -> None:
    config = {"type": "LocalVisBackend", "name": "files"}
    Visualizer(vis_backends=[config], save_dir=str(tmp_path))

    assert config == {"type": "LocalVisBackend", "name": "files"}


def test_a_backend_without_any_folder_is_refused() -> None:
    with pytest.raises(InvalidSettingsError, match="'LocalVisBackend' has no save_dir"):
        Visualizer(vis_backends=[{"type": "LocalVisBackend"}])


def test_what_is_no_backend_is_refused() -> None:
    with pytest.raises(TypeError, match="a BaseVisBackend or its config"):
        Visualizer(vis_backends=[3])


def test_images_are_handed_on_as_they_are(tmp_path: Path) -> None:
    image = np.full((3, 3, 3), 9, dtype=np.uint8)
    visualizer = Visualizer(vis_backends={"type": "LocalVisBackend"}, save_dir=str(tmp_path))
    visualizer.set_image(image)
    visualizer.add_image("seen", visualizer.get_image(), step=1)

    assert (tmp_path / "vis_data" / "vis_image" / "seen_1.png").exists()
    with pytest.raises(InvalidSettingsError, match="scale floats"):
        visualizer.add_image("seen", image / 255)
    with pytest.raises(InvalidSettingsError, match="scale floats"):
        visualizer.set_image(image / 255)


def test_an_image_that_is_not_there_is_asked_for() -> None:
    with pytest.raises(InvalidSettingsError, match="call set_image first"):
        Visualizer().get_image()


def test_other_ranks_record_nothing(tmp_path: Path) -> None:
    def on_a_rank() -> int:
        kept = Kept()
        visualizer = Visualizer(vis_backends=[kept])
        visualizer.add_scalar("a", 1)
        visualizer.close()
        return len(kept.told)

    assert launch(on_a_rank, 2, start_method="fork", timeout_s=60) == [2, 0]


def test_the_latest_of_any_subclass_is_the_current_one() -> None:
    class Own(Visualizer):
        pass

    own = Own.get_instance("own of a test")
    try:
        assert Visualizer.get_current_instance() is own
    finally:
        Own.forget_instance("own of a test")


def test_a_run_records_to_the_backends_of_its_config(make_run: Callable[..., Any]) -> None:
    visualizer = {
        "type": "Visualizer",
        "name": "visualizer",
        "vis_backends": [{"type": "LocalVisBackend"}, {"type": "TensorboardVisBackend"}],
    }
    runner = make_run(epochs=1, visualizer=visualizer, cfg={"lr": 0.1})
    runner.train()

    folder = Path(runner.log_dir) / "vis_data"
    assert len(records(runner)) == 1
    assert (folder / "config.py").read_text() == "lr = 0.1\n"
    assert len(list(folder.glob("events.out.*"))) == 1


def test_backends_are_registered_by_name() -> None:
    assert VISBACKENDS.get("LocalVisBackend") is LocalVisBackend
