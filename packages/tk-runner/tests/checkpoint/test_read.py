from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from small_states import same, state_after, write_state
from torch import nn

from tk_runner.checkpoint import (
    FORMAT_VERSION,
    CheckpointError,
    CorruptCheckpointError,
    UnsafeCheckpointError,
    read_checkpoint,
    save_checkpoint,
)


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("location", ["cpu", None, torch.device("cpu")])
def test_a_file_reads_back_unchanged(
    tmp_path: Path, mmap: bool, verify: bool, location: object
) -> None:
    path = write_state(tmp_path, 1)

    assert same(read_checkpoint(path, location, verify, mmap=mmap), state_after(1))


def test_a_device_gets_the_tensors_of_a_mapped_file(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)

    found = read_checkpoint(path, map_location="meta")

    assert found["state_dict"]["weight"].device.type == "meta"
    assert found["state_dict"]["weight"].shape == (3, 4)


def test_writing_to_a_mapped_tensor_does_not_change_the_file(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)

    read_checkpoint(path)["state_dict"]["weight"].zero_()

    assert same(read_checkpoint(path, verify=True), state_after(1))


def test_a_mapped_file_may_be_removed_or_replaced(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)
    found = read_checkpoint(path)

    write_state(tmp_path, 2, path.name)
    os.remove(path)

    assert same(found, state_after(1))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no checkpoint at .*iter_1\.pth"):
        read_checkpoint(tmp_path / "iter_1.pth")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"):
        read_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is torn or no checkpoint"),
        (b"not a checkpoint at all", "is no checkpoint"),
        (bytes(500), "is no checkpoint"),
        (b"PK\x03\x04" + bytes(500), "is torn or no checkpoint"),
        (b"\x80\x02}q\x00", "is torn or no checkpoint"),
    ],
)
def test_what_is_no_checkpoint_is_told_with_its_name(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "a.pth"
    path.write_bytes(content)

    with pytest.raises(CorruptCheckpointError, match=rf"a\.pth.* {reason}"):
        read_checkpoint(path)


def test_a_truncated_file_is_told_without_asking_for_a_check(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)
    path.write_bytes(path.read_bytes()[:1500])

    with pytest.raises(CorruptCheckpointError, match=r"iter_1\.pth \(1500 bytes\) is torn"):
        read_checkpoint(path)


def test_something_else_than_a_dict_is_told(tmp_path: Path) -> None:
    torch.save([1, 2], tmp_path / "a.pth")

    with pytest.raises(CorruptCheckpointError, match=r"a\.pth holds a list, not a dict"):
        read_checkpoint(tmp_path / "a.pth")


def test_a_file_of_torch_before_1_6_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.pth"
    torch.save(state_after(1), path, _use_new_zipfile_serialization=False)

    assert same(read_checkpoint(path), state_after(1))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_refused_class_is_named(tmp_path: Path, protocol: int) -> None:
    path = tmp_path / "a.pth"
    torch.save({"x": np.random.default_rng(0)}, path, pickle_protocol=protocol)

    with pytest.raises((UnsafeCheckpointError, CorruptCheckpointError), match=r"a\.pth"):
        read_checkpoint(path)


def test_a_device_that_is_none_is_told_before_reading(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)

    with pytest.raises(CheckpointError, match="map_location='gpu' is no device"):
        read_checkpoint(path, map_location="gpu")


def test_a_device_that_is_not_here_is_no_damage(tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    path = write_state(tmp_path, 1)

    with pytest.raises(CheckpointError, match="no CUDA device here; use 'cpu'") as caught:
        read_checkpoint(path, map_location="cuda")

    assert not isinstance(caught.value, CorruptCheckpointError)


@pytest.mark.cuda
def test_tensors_go_to_the_device_that_is_asked_for(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)

    found = read_checkpoint(path, map_location="cuda")

    assert found["state_dict"]["weight"].is_cuda
    assert torch.equal(found["state_dict"]["weight"].cpu(), state_after(1)["state_dict"]["weight"])


def test_a_folder_that_may_not_be_read_stays_an_error_of_the_system(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")

    with pytest.raises(PermissionError):
        read_checkpoint(path)


def test_a_newer_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.pth"
    save_checkpoint({**state_after(1), "format_version": 99}, path)

    with pytest.raises(CheckpointError, match=r"a\.pth has format version 99.*update tk-runner"):
        read_checkpoint(path)


def test_weights_in_safetensors_read(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    safetensors.save_file({"w": torch.ones(2)}, tmp_path / "model.safetensors")

    assert same(read_checkpoint(tmp_path / "model.safetensors"), {"w": torch.ones(2)})


def test_a_bare_pickle_is_refused_without_torchs_advice_to_load_it_unsafely(tmp_path: Path) -> None:
    (tmp_path / "a.pth").write_bytes(pickle.dumps({"state_dict": {"w": 1.0}}))

    with pytest.raises(CorruptCheckpointError, match="no checkpoint that can be loaded") as caught:
        read_checkpoint(tmp_path / "a.pth")

    assert "weights_only" not in str(caught.value)


def test_a_file_of_ours_reads_as_torch_reads_it(tmp_path: Path) -> None:
    shared = torch.arange(6.0)
    state = nn.BatchNorm1d(2).state_dict()
    values = {
        "format_version": FORMAT_VERSION,
        "state_dict": state,
        "shared": [shared, shared[2:4], shared.reshape(2, 3).T],
        "numbers": (1, -(2**70), 1.5, 2 + 3j, True, None, "text", b"bytes", b""),
        "kinds": [torch.float16, torch.device("cpu")],
        "conjugated": torch.tensor([1 + 2j]).conj(),
        "empty": torch.empty(0, 3),
        "small": [torch.tensor(1, dtype=kind) for kind in (torch.bool, torch.bfloat16)],
    }
    for left_out in ((), ("conjugated", "numbers")):  # these two only torch reads
        kept = {key: one for key, one in values.items() if key not in left_out}
        save_checkpoint(kept, tmp_path / "a.pth")
        read = read_checkpoint(tmp_path / "a.pth")

        assert same(read, torch.load(tmp_path / "a.pth"))
        assert read["state_dict"]._metadata == state._metadata
        assert read["shared"][0].data_ptr() + 8 == read["shared"][1].data_ptr()


def test_a_file_of_ours_is_read_without_torchs_slow_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_state(tmp_path, 1)
    monkeypatch.setattr(torch, "load", None)

    assert same(read_checkpoint(path), state_after(1))
