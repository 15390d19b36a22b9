from __future__ import annotations

from tk_logging import scalar_key


def test_a_key_is_the_mode_and_the_name() -> None:
    assert scalar_key("train", "loss") == "train/loss"
    assert scalar_key("val", "coco/bbox") == "val/coco/bbox"
