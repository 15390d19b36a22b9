from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from small_states import same, state_after, write_state

from tk_runner.checkpoint import CheckpointError, convert_checkpoint, read_checkpoint


def test_weights_alone_go_into_a_file_of_torch(tmp_path: Path) -> None:
    convert_checkpoint(write_state(tmp_path, 3), tmp_path / "weights.pth")

    found = torch.load(tmp_path / "weights.pth")
    assert set(found) == {"meta", "state_dict"}
    assert same(found["state_dict"], state_after(3)["state_dict"])


def test_weights_go_to_safetensors_and_back(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors")
    shared = torch.arange(4.0)
    state = {"meta": {"iter": 3}, "state_dict": {"a": shared, "tied": shared, "t": torch.eye(3).T}}
    torch.save(state, tmp_path / "iter_3.pth")
    convert_checkpoint(tmp_path / "iter_3.pth", tmp_path / "weights.safetensors")

    with safetensors.safe_open(tmp_path / "weights.safetensors", "pt") as file:
        assert json.loads(file.metadata()["meta"])["iter"] == 3
    convert_checkpoint(tmp_path / "weights.safetensors", tmp_path / "back.pth")
    back = read_checkpoint(tmp_path / "back.pth")["state_dict"]
    assert same({name: back[name] for name in state["state_dict"]}, state["state_dict"])


def test_what_is_no_tensor_does_not_go_into_safetensors(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    torch.save({"state_dict": {"extra": [1]}}, tmp_path / "a.pth")

    with pytest.raises(CheckpointError, match=r"can hold tensors only.*extra; write a \.pth file"):
        convert_checkpoint(tmp_path / "a.pth", tmp_path / "a.safetensors")


def test_a_file_is_not_converted_into_itself(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)

    with pytest.raises(CheckpointError, match="into itself"):
        convert_checkpoint(path, path)
    assert read_checkpoint(path)["meta"]["iter"] == 1
