from __future__ import annotations

from pathlib import Path

import pytest
import torch
from archives import after_a_history, call, name, number, numbers, storage, write_archive

from tk_runner.checkpoint import CorruptCheckpointError, read_checkpoint


def test_a_tensor_that_repeats_one_value_into_terabytes_is_refused(tmp_path: Path) -> None:
    torch.save({"state_dict": {"w": torch.zeros(1).expand(2**40)}}, tmp_path / "a.pth")

    with pytest.raises(CorruptCheckpointError, match=r"a\.pth \(\d+ bytes\) holds tensors"):
        read_checkpoint(tmp_path / "a.pth")


def test_many_tensors_that_repeat_values_are_refused_together(tmp_path: Path) -> None:
    repeated = torch.zeros(1).expand(2**17)  # half of what a small file may repeat
    torch.save({"state_dict": [repeated.view(2**17) for _ in range(3)]}, tmp_path / "a.pth")

    with pytest.raises(CorruptCheckpointError, match="repeat few values"):
        read_checkpoint(tmp_path / "a.pth")


def test_a_tensor_that_repeats_values_within_bounds_is_read(tmp_path: Path) -> None:
    torch.save({"state_dict": {"w": torch.ones(3, 1).expand(3, 4)}}, tmp_path / "a.pth")

    assert read_checkpoint(tmp_path / "a.pth")["state_dict"]["w"].tolist() == [[1.0] * 4] * 3


def test_a_file_like_mmengines_cannot_repeat_values_either(tmp_path: Path) -> None:
    tensor = call(
        name("torch._utils", "_rebuild_tensor_v2"),
        storage("0", 1), number(0), numbers(2**30), numbers(0), b"\x89", b"N",
    )  # fmt: skip
    path = write_archive(tmp_path / "a.pth", after_a_history(tensor), {"data/0": bytes(4)})

    with pytest.raises(CorruptCheckpointError, match="repeats its few values"):
        read_checkpoint(path)
