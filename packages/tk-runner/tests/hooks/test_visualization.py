"""Images of predictions, drawn while the run evaluates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import Dataset

from tk_runner import BaseModel, InvalidSettingsError, Visualizer
from tk_runner.hooks import VisualizationHook
from tk_runner.hooks.visualization import image_of

Make = Callable[..., Any]


class Pictures(Dataset[Any]):
    """Ten grey pictures."""

    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.full((3, 16, 24), index, dtype=torch.uint8), index % 2


class Guess(BaseModel):
    """Always guesses class 1."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))

    def forward(self, images: torch.Tensor, labels: torch.Tensor, mode: str = "tensor") -> Any:
        return [{"gt_label": label, "pred_label": torch.tensor(1)} for label in labels]


def images_of_a_test(make_run: Make, **settings: Any) -> list[Path]:
    loader = {"dataset": Pictures(), "batch_size": 4, "num_workers": 0}
    run = make_run(
        epochs=None,
        model=Guess(),
        hooks=[VisualizationHook(**settings)],
        test_dataloader={**loader, "collate_fn": {"type": "default_collate"}},
        test_evaluator=[],
        test_cfg={},
    )
    run.test()
    return sorted((Path(run.log_dir) / "vis_data" / "vis_image").glob("*.png"))


def test_the_first_images_of_a_test_are_drawn_side_by_side(make_run: Make) -> None:
    image = pytest.importorskip("PIL.Image")
    files = images_of_a_test(make_run)

    assert [file.name for file in files] == [f"test_{number}_0.png" for number in range(8)]
    with image.open(files[0]) as drawn:
        assert drawn.size == (24 + 4 + 24, 16)


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"max_images": None}, 10),
        ({"max_images": 3}, 3),
        ({"interval": 2}, 6),
        ({"in_test": False}, 0),
    ],
)
def test_settings_say_how_many_are_drawn(
    settings: dict[str, Any], count: int, make_run: Make
) -> None:
    assert len(images_of_a_test(make_run, **settings)) == count


def test_an_interval_below_one_is_an_error() -> None:
    with pytest.raises(
        InvalidSettingsError, match="interval must be a whole number of 1 or more, got 0"
    ):
        VisualizationHook(interval=0)


def test_the_file_that_a_sample_names_is_read(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("L", (5, 4), 9).save(tmp_path / "a.png")

    assert (image_of({}, 0, {"img_path": str(tmp_path / "a.png")}) == np.full((4, 5, 3), 9)).all()


def test_floats_are_stretched_and_grey_images_have_no_channels() -> None:
    batch = {"inputs": torch.tensor([[[[-1.0, 0.0, 1.0]]]])}

    assert image_of(batch, 0, {}).tolist() == [[0, 128, 255]]


def test_a_batch_without_images_is_an_error() -> None:
    with pytest.raises(InvalidSettingsError, match="no image to draw on: the sample has no"):
        image_of({"x": 1}, 0, {})


def test_the_visualizer_keeps_what_it_drew_last() -> None:
    visualizer = Visualizer("kept")
    visualizer.add_datasample("a", np.zeros((8, 8, 3), np.uint8), {"gt_label": 3})

    assert visualizer.get_image().any()
    visualizer.forget_instance("kept")
