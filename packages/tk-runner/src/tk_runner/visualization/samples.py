"""Labels and predictions of one sample, drawn on its image.

What is known: ``gt_instances`` and ``pred_instances`` with ``bboxes``, ``labels``,
``scores``, ``masks``; ``gt_label`` and ``pred_label``, also as ``pred_score``;
``gt_sem_seg`` and ``pred_sem_seg`` with ``data`` of class indices. Others are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from .drawing import ImageDrawing
from .styles import PALETTE, Rgb

_GAP = 4  # white pixels between the two halves


def draw_sample(
    image: np.ndarray,
    data_sample: Any,
    dataset_meta: Mapping[str, Any] | None = None,
    *,
    draw_gt: bool = True,
    draw_pred: bool = True,
    score_threshold: float = 0.3,
) -> np.ndarray:
    """The image with the sample's labels, its predictions, or both side by side.

    Args:
        image: ``(h, w, 3)`` or ``(h, w)``, RGB, uint8.
        data_sample: an element or a mapping with the fields above.
        dataset_meta: ``classes`` gives the names of the classes, ``palette`` their colours.
        draw_gt: whether labels are drawn, on the left where both are.
        draw_pred: whether predictions are drawn.
        score_threshold: instances with a smaller score are left out.

    Returns:
        ``(h, w, 3)``, RGB, uint8; twice as wide, and a gap, where both are drawn.
    """
    classes = Classes(dataset_meta or {})
    sides = [
        _drawn(image, data_sample, prefix, classes, score_threshold)
        for prefix, is_wanted in (("gt_", draw_gt), ("pred_", draw_pred))
        if is_wanted and _has_any(data_sample, prefix)
    ]
    if not sides:
        return ImageDrawing(image).get_image()
    gap = np.full((image.shape[0], _GAP, 3), 255, np.uint8)
    return np.concatenate(sides if len(sides) == 1 else [sides[0], gap, sides[1]], axis=1)


class Classes:
    """Names and colours of the classes of a dataset.

    Args:
        meta: may hold ``classes`` and ``palette``.
    """

    def __init__(self, meta: Mapping[str, Any]) -> None:
        self._names: Sequence[str] = meta.get("classes") or meta.get("CLASSES") or ()
        self._palette: Sequence[Any] = meta.get("palette") or meta.get("PALETTE") or PALETTE

    def name(self, label: int) -> str:
        """The name of a class, or its number."""
        return str(self._names[label]) if 0 <= label < len(self._names) else str(label)

    def color(self, label: int) -> Rgb:
        """The colour of a class; they repeat where there are more classes than colours."""
        red, green, blue = self._palette[label % len(self._palette)]
        return int(red), int(green), int(blue)


def _has_any(sample: Any, prefix: str) -> bool:
    names = ("instances", "label", "score", "sem_seg")
    return any(_value(sample, prefix + name) is not None for name in names)


def _drawn(
    image: np.ndarray, sample: Any, prefix: str, classes: Classes, threshold: float
) -> np.ndarray:
    drawing = ImageDrawing(image)
    regions = _value(sample, f"{prefix}sem_seg")
    if regions is not None:
        _draw_regions(drawing, regions, classes)
    instances = _value(sample, f"{prefix}instances")
    if instances is not None:
        _draw_instances(drawing, instances, classes, threshold)
    if text := _label_text(sample, prefix, classes):
        drawing.draw_texts(text, [2, 2], colors="w", bboxes={"facecolor": "k", "alpha": 0.7})
    return drawing.get_image()


def _draw_regions(drawing: ImageDrawing, regions: Any, classes: Classes) -> None:
    labels = _array(getattr(regions, "data", regions)).squeeze()
    known = [int(label) for label in np.unique(labels) if label != 255]  # 255: not labelled
    if known:
        masks = np.stack([labels == label for label in known])
        drawing.draw_binary_masks(masks, [classes.color(label) for label in known], alphas=0.5)


def _draw_instances(drawing: ImageDrawing, instances: Any, classes: Classes, limit: float) -> None:
    scores = _field(instances, "scores")
    kept = slice(None) if scores is None else np.flatnonzero(scores >= limit)
    scores = None if scores is None else scores[kept]
    labels, boxes, masks = (
        None if (values := _field(instances, name)) is None else values[kept]
        for name in ("labels", "bboxes", "masks")
    )
    count = next((len(values) for values in (boxes, masks, labels) if values is not None), 0)
    shown = [int(label) for label in labels] if labels is not None else [0] * count
    colors = [classes.color(label) for label in shown]
    if masks is not None and count:
        drawing.draw_binary_masks(masks.astype(bool), colors, alphas=0.5)
    if boxes is not None and count:
        drawing.draw_bboxes(boxes, colors, alpha=1.0)
        texts = [
            (classes.name(label) if labels is not None else "") + _score_text(scores, place)
            for place, label in enumerate(shown)
        ]
        frames: list[Any] = [{"facecolor": color, "alpha": 0.7, "pad": 0.1} for color in colors]
        if any(texts):
            drawing.draw_texts(texts, boxes[:, :2], colors="w", bboxes=frames)


def _label_text(sample: Any, prefix: str, classes: Classes) -> str:
    label, score = _value(sample, f"{prefix}label"), _value(sample, f"{prefix}score")
    label = getattr(label, "label", label)  # as in a LabelData
    score = getattr(score, "score", score)
    labels = [] if label is None else [int(one) for one in np.atleast_1d(_array(label))]
    scores = None if score is None else np.atleast_1d(_array(score)).astype(float)
    if not labels and scores is not None:
        labels = [int(scores.argmax())]
    return "\n".join(classes.name(one) + _score_text(scores, one) for one in labels)


def _score_text(scores: np.ndarray | None, place: int) -> str:
    return f" {scores[place]:.2f}" if scores is not None and 0 <= place < len(scores) else ""


def _value(sample: Any, name: str) -> Any:
    return sample.get(name) if isinstance(sample, Mapping) else getattr(sample, name, None)


def _field(instances: Any, name: str) -> np.ndarray | None:
    value = _value(instances, name)
    return None if value is None else _array(value)


def _array(value: Any) -> np.ndarray:
    tensor = getattr(value, "tensor", value)  # boxes of downstream libraries wrap one
    return np.asarray(tensor.detach().cpu() if isinstance(tensor, torch.Tensor) else tensor)
