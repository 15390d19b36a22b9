from __future__ import annotations

from pathlib import Path

import pytest
import torch
from small_states import write_state

from tk_runner.checkpoint import CheckpointError, KeyMismatchError, average_weights


def test_weights_are_averaged_name_by_name(tmp_path: Path) -> None:
    files = [write_state(tmp_path, iteration) for iteration in (1, 2, 6)]

    found = average_weights(files)

    assert torch.equal(found["weight"], torch.arange(12.0).reshape(3, 4) + 3)
    assert found["weight"].dtype == torch.float32


def test_counters_are_those_of_the_last_file(tmp_path: Path) -> None:
    for count in (1, 5):
        torch.save({"num_batches_tracked": torch.tensor(count)}, tmp_path / f"{count}.pth")

    found = average_weights([tmp_path / "1.pth", tmp_path / "5.pth"])

    assert found["num_batches_tracked"].item() == 5


def test_half_precision_does_not_overflow_on_the_way(tmp_path: Path) -> None:
    for name in ("a", "b"):
        torch.save({"w": torch.full((1,), 60000, dtype=torch.float16)}, tmp_path / name)

    assert average_weights([tmp_path / "a", tmp_path / "b"])["w"].item() == 60000


def test_files_of_two_models_are_refused(tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "a.pth")
    torch.save({"w": torch.ones(3)}, tmp_path / "b.pth")

    with pytest.raises(KeyMismatchError, match=r"a\.pth and .*b\.pth are not of one model.*'w'"):
        average_weights([tmp_path / "a.pth", tmp_path / "b.pth"])
    with pytest.raises(CheckpointError, match="name at least one"):
        average_weights([])
