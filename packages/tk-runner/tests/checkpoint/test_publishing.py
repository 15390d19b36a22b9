from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
import torch
from small_states import same, state_after, write_state

from tk_fileio import list_dir_or_file
from tk_runner.checkpoint import (
    CheckpointError,
    publish,
    read_checkpoint,
    save_checkpoint,
    verify_checkpoint,
)


def test_a_published_file_holds_the_chosen_keys_and_bears_its_hash(tmp_path: Path) -> None:
    path = Path(publish(write_state(tmp_path, 1)))

    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert path == tmp_path / f"iter_1-{digest[:8]}.pth"
    assert list(torch.load(path)) == ["meta", "state_dict"]
    assert same(torch.load(path)["state_dict"], state_after(1)["state_dict"])
    verify_checkpoint(path)


def test_nothing_else_is_left(tmp_path: Path) -> None:
    published = publish(write_state(tmp_path, 1))

    assert sorted(os.listdir(tmp_path)) == sorted(["iter_1.pth", Path(published).name])


def test_publishing_twice_gives_the_same_file(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)

    assert publish(path, ["state_dict"]) == publish(path, ["state_dict"])


def test_keys_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(
        CheckpointError, match=r"has none of \['ema'\]; it holds \['format_version'"
    ):
        publish(write_state(tmp_path, 1), ["ema"])


def test_a_file_in_a_store_is_published_beside_itself(memory: str) -> None:
    save_checkpoint(state_after(1), f"{memory}/run/iter_1.pth")

    published = publish(f"{memory}/run/iter_1.pth")

    assert published.rpartition("/")[2] in set(list_dir_or_file(f"{memory}/run"))
    assert list(read_checkpoint(published)) == ["meta", "state_dict"]
