"""Labels and predictions of a sample on its image."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tk_runner.structures import BaseDataElement, InstanceData, LabelData, PixelData
from tk_runner.visualization import draw_sample
from tk_runner.visualization.samples import Classes

IMAGE = np.zeros((40, 60, 3), np.uint8)
META = {"classes": ["cat", "dog"], "palette": [(255, 0, 0), (0, 0, 255)]}


def sample(**fields: Any) -> BaseDataElement:
    element = BaseDataElement()
    for name, value in fields.items():
        setattr(element, name, value)
    return element


def boxes(*corners: list[float], labels: list[int], **more: Any) -> InstanceData:
    tensors = {name: torch.tensor(value) for name, value in more.items()}
    return InstanceData(bboxes=torch.tensor(corners), labels=torch.tensor(labels), **tensors)


def test_labels_and_predictions_stand_side_by_side() -> None:
    drawn = draw_sample(
        IMAGE,
        sample(
            gt_instances=boxes([5.0, 20, 30, 35], labels=[0]),
            pred_instances=boxes([5.0, 20, 30, 35], labels=[1], scores=[0.9]),
        ),
        META,
    )

    assert drawn.shape == (40, 124, 3)
    assert (drawn[:, 60:64] == 255).all()
    assert drawn[35, 5].tolist() == [255, 0, 0]
    assert drawn[35, 69].tolist() == [0, 0, 255]


def test_one_side_alone_keeps_the_size() -> None:
    both = sample(gt_label=torch.tensor(1), pred_label=torch.tensor(0))

    assert draw_sample(IMAGE, both, META, draw_gt=False).shape == IMAGE.shape
    assert draw_sample(IMAGE, both, META, draw_pred=False).shape == IMAGE.shape


def test_instances_with_a_small_score_are_left_out() -> None:
    instances = boxes([5.0, 20, 30, 35], labels=[1], scores=[0.1])

    assert not draw_sample(IMAGE, sample(pred_instances=instances), META).any()


def test_masks_colour_their_pixels() -> None:
    mask = torch.zeros(1, 40, 60, dtype=torch.bool)
    mask[0, 10:20, 10:20] = True
    instances = InstanceData(masks=mask, labels=torch.tensor([0]))

    drawn = draw_sample(IMAGE, sample(gt_instances=instances), META)

    assert drawn[15, 15].tolist() == [128, 0, 0]
    assert not drawn[5, 5].any()


def test_segments_have_the_colours_of_their_classes() -> None:
    labels = torch.full((1, 40, 60), 255)  # not labelled
    labels[0, :, :30] = 1

    drawn = draw_sample(IMAGE, sample(pred_sem_seg=PixelData(data=labels)), META)

    assert drawn[20, 10].tolist() == [0, 0, 128]
    assert not drawn[20, 50].any()


def test_a_class_label_is_written() -> None:
    with_label = draw_sample(IMAGE, sample(pred_label=LabelData(label=torch.tensor([1]))), META)
    with_score = draw_sample(IMAGE, {"pred_score": torch.tensor([0.2, 0.8])}, META)

    assert with_label.any()
    assert with_score.sum() > with_label.sum()  # the score is written too


def test_a_sample_without_anything_known_leaves_the_image() -> None:
    assert (draw_sample(IMAGE, sample(other=1)) == IMAGE).all()
    assert (draw_sample(IMAGE, None) == IMAGE).all()


def test_classes_without_names_have_numbers_and_colours() -> None:
    classes = Classes({})

    assert classes.name(7) == "7"
    assert classes.color(3) != classes.color(4)
    assert classes.color(13) == classes.color(3)
