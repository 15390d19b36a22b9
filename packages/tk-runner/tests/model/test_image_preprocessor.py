from __future__ import annotations

from typing import Any

import pytest
import torch

from tk_runner.model import ImgDataPreprocessor, ModelSettingsError

MEAN, STD = [10.0, 20.0, 30.0], [1.0, 2.0, 4.0]


def expected(image: torch.Tensor, swap: bool = False) -> torch.Tensor:
    image = (image[[2, 1, 0]] if swap else image).float()
    return (image - torch.tensor(MEAN).view(3, 1, 1)) / torch.tensor(STD).view(3, 1, 1)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32, torch.bfloat16])
def test_images_of_several_sizes_are_normalised_padded_and_stacked(
    swap: bool, dtype: torch.dtype
) -> None:
    images = [torch.randint(0, 255, (3, *size)).to(dtype) for size in [(4, 6), (5, 3)]]
    kept = [image.clone() for image in images]
    made = ImgDataPreprocessor(MEAN, STD, 4, 7, bgr_to_rgb=swap)

    batch = made({"inputs": images})["inputs"]

    assert batch.shape == (2, 3, 8, 8)
    assert batch.dtype == torch.float32
    assert torch.equal(batch[0, :, :4, :6], expected(images[0], swap))
    assert torch.equal(batch[1, :, :5, :3], expected(images[1], swap))
    assert bool((batch[1, :, 5:] == 7).all())
    assert bool((batch[0, :, :, 6:] == 7).all())
    assert all(torch.equal(a, b) for a, b in zip(images, kept, strict=True))


@pytest.mark.parametrize("as_list", [True, False])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_images_of_one_size_give_the_same_as_one_by_one(as_list: bool, dtype: torch.dtype) -> None:
    images = torch.randint(0, 255, (2, 3, 5, 4)).to(dtype)
    kept = images.clone()
    made = ImgDataPreprocessor(MEAN, STD, 3, 1, rgb_to_bgr=True)

    batch = made({"inputs": list(images) if as_list else images})["inputs"]

    assert batch.shape == (2, 3, 6, 6)
    assert torch.equal(batch[1, :, :5, :4], expected(images[1], True))
    assert torch.equal(images, kept)


def test_nothing_is_padded_or_changed_where_nothing_is_asked() -> None:
    images = torch.rand(2, 3, 4, 4)

    batch = ImgDataPreprocessor()({"inputs": images, "data_samples": [1, 2]})

    assert torch.equal(batch["inputs"], images)
    assert batch["data_samples"] == [1, 2]
    assert ImgDataPreprocessor()({"inputs": images})["data_samples"] is None


def test_grey_images_take_one_mean_and_one_std() -> None:
    batch = ImgDataPreprocessor([1], [2])({"inputs": [torch.full((1, 2, 2), 5.0)]})

    assert torch.equal(batch["inputs"], torch.full((1, 1, 2, 2), 2.0))


def test_a_batch_of_no_images_stays_one() -> None:
    batch = ImgDataPreprocessor(MEAN, STD)({"inputs": torch.zeros(0, 3, 4, 4)})

    assert batch["inputs"].shape == (0, 3, 4, 4)


def test_channels_last_is_kept() -> None:
    images = torch.rand(2, 3, 4, 4).to(memory_format=torch.channels_last)

    batch = ImgDataPreprocessor(MEAN, STD)({"inputs": images})["inputs"]

    assert batch.is_contiguous(memory_format=torch.channels_last)


def test_mean_and_std_follow_the_model_but_are_never_rounded() -> None:
    made = ImgDataPreprocessor([123.675], [58.395]).to(torch.bfloat16)

    assert made.mean.dtype == torch.float32
    assert float(made.mean) == pytest.approx(123.675)
    assert made.to("meta").mean.is_meta
    assert made.state_dict() == {}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"bgr_to_rgb": True, "rgb_to_bgr": True}, "exclude each other"),
        ({"mean": MEAN}, "belong together"),
        ({"std": STD}, "belong together"),
        ({"mean": [1, 2], "std": [1, 2]}, "mean has 1 or 3 values, got 2"),
        ({"mean": [1], "std": [1, 2]}, "std has 1 or 3 values"),
    ],
)
def test_settings_that_cannot_work_are_refused(arguments: Any, text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        ImgDataPreprocessor(**arguments)


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (torch.zeros(3, 4, 4), r"\(N, C, H, W\), got shape \(3, 4, 4\)"),
        ([torch.zeros(4, 4)], r"\(C, H, W\), got shape \(4, 4\)"),
        ([torch.zeros(1, 4, 4)], "3 channels"),
        (torch.zeros(2, 4, 4, 4), "3 channels"),
        ([], "nothing to stack"),
    ],
)
def test_images_of_another_shape_are_refused(inputs: Any, text: str) -> None:
    with pytest.raises(ModelSettingsError, match=text):
        ImgDataPreprocessor(MEAN, STD)({"inputs": inputs})


@pytest.mark.parametrize(
    ("batch", "text"),
    [
        ({"inputs": "image"}, "a list of image tensors or one tensor, got str"),
        ({"img": torch.zeros(1, 3, 2, 2)}, r"under 'inputs', got \['img'\]"),
        ([torch.zeros(1, 3, 2, 2)], "under 'inputs', got list"),
    ],
)
def test_what_is_no_batch_of_images_is_refused(batch: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        ImgDataPreprocessor()(batch)
