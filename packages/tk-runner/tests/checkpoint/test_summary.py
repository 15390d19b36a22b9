from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
import torch
from small_states import state_after, write_state

from tk_runner.checkpoint import CheckpointError, CorruptCheckpointError, save_checkpoint
from tk_runner.checkpoint.summary import Summary, read_summary


def test_a_summary_has_the_counts_and_the_time(tmp_path: Path) -> None:
    path = write_state(tmp_path, 7, time="20250102_030405")

    assert read_summary(path) == Summary(7, 0, "20250102_030405", is_resumable=True, is_plain=True)


def test_weights_alone_are_not_resumable(tmp_path: Path) -> None:
    torch.save(state_after(5)["state_dict"], tmp_path / "a.pth")

    assert read_summary(tmp_path / "a.pth") == Summary(0, 0, "", is_resumable=False, is_plain=True)


def test_a_summary_comes_from_a_store_too(memory: str) -> None:
    save_checkpoint(state_after(3), f"{memory}/iter_3.pth")

    assert read_summary(f"{memory}/iter_3.pth").iter == 3


def test_another_content_or_version_is_an_error_with_the_file(tmp_path: Path) -> None:
    torch.save([1], tmp_path / "list.pth")
    save_checkpoint({"format_version": 99}, tmp_path / "new.pth")

    with pytest.raises(CorruptCheckpointError, match=r"list\.pth holds a list"):
        read_summary(tmp_path / "list.pth")
    with pytest.raises(CheckpointError, match=r"new\.pth has format version 99"):
        read_summary(tmp_path / "new.pth")


def test_a_file_that_asks_for_more_than_tensors_is_not_plain(tmp_path: Path) -> None:
    torch.save({"loop": {}, "owner": PurePosixPath("a")}, tmp_path / "a.pth")

    assert not read_summary(tmp_path / "a.pth").is_plain
