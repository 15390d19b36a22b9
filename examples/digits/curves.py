"""Draw loss and accuracy of a work folder of the digits example into a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
from demo import records

matplotlib.use("agg")
import matplotlib.pyplot as plt


def draw(work_dir: Path, picture: Path) -> None:
    """Loss by iteration on the left, accuracy by epoch on the right."""
    found = records(work_dir)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 2.8), layout="constrained")
    train = [one for one in found if "loss" in one]
    left.plot([one["iter"] for one in train], [one["loss"] for one in train], color="tab:blue")
    left.set(title="training loss", xlabel="iteration", yscale="log")
    val = [one for one in found if "accuracy/top1" in one]
    right.plot(
        [one["step"] for one in val],
        [100 * one["accuracy/top1"] for one in val],
        "o-",
        color="tab:green",
    )
    right.axhline(98, color="gray", linewidth=0.8, linestyle="--")
    right.set(title="accuracy on held-out digits, %", xlabel="epoch", ylim=(80, 100))
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
