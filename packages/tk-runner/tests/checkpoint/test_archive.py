from __future__ import annotations

import os
import struct
import zipfile
from pathlib import Path

import pytest
import torch
from archives import content, text, write_archive
from small_states import same, state_after, write_state

from tk_runner.checkpoint import (
    CheckpointError,
    CorruptCheckpointError,
    read_checkpoint,
    verify_checkpoint,
)


def test_a_whole_file_passes(tmp_path: Path) -> None:
    verify_checkpoint(write_state(tmp_path, 1))


@pytest.mark.parametrize("share", [0, 0.02, 0.3, 0.6, 0.9, 0.99])
def test_a_truncated_file_is_told(tmp_path: Path, share: float) -> None:
    path = write_state(tmp_path, 1)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])

    with pytest.raises(CorruptCheckpointError, match=r"iter_1\.pth \(\d+ bytes\) is torn"):
        verify_checkpoint(path)


def test_a_file_of_zeros_is_told(tmp_path: Path) -> None:
    path = tmp_path / "iter_1.pth"
    path.write_bytes(bytes(10_000))

    with pytest.raises(CorruptCheckpointError, match=r"iter_1\.pth \(10000 bytes\) is torn"):
        verify_checkpoint(path)


def test_a_flipped_bit_of_a_weight_is_told_with_its_record(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)
    whole = bytearray(path.read_bytes())
    whole[whole.index(torch.arange(1.0, 13.0).numpy().tobytes()) + 5] ^= 1
    path.write_bytes(whole)

    with pytest.raises(
        CorruptCheckpointError, match=r"iter_1\.pth is damaged: the record 'data/0'"
    ):
        verify_checkpoint(path)


def test_every_flipped_bit_is_told_or_does_no_harm(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)
    whole = path.read_bytes()
    for place in range(0, len(whole), 11):  # every part of the file is hit
        damaged = bytearray(whole)
        damaged[place] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        try:
            found = read_checkpoint(path, verify=True)
        except CheckpointError:
            continue
        assert same(found, state_after(1)), f"bit {place % 8} of byte {place}"


def test_a_missing_file_is_no_damage(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"iter_1\.pth"):
        verify_checkpoint(tmp_path / "iter_1.pth")


def test_a_bomb_is_refused_without_unpacking_it(tmp_path: Path) -> None:
    bomb = content(text("x" * 10_000_000))
    path = write_archive(tmp_path / "bomb.pth", bomb, compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000

    with pytest.raises(CorruptCheckpointError, match="is compressed, which torch never does"):
        read_checkpoint(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_records_of_one_name_are_refused(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "two.pth", content(text("x")), {"data.pkl": content(text("y"))})

    with pytest.raises(CorruptCheckpointError, match="two records have the same name"):
        read_checkpoint(path, verify=True)


def test_any_other_archive_is_no_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "photos.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../etc/passwd", b"x")

    with pytest.raises(CorruptCheckpointError, match=r"without a record data\.pkl"):
        verify_checkpoint(path)


def test_a_file_of_old_torch_has_nothing_to_compare(tmp_path: Path) -> None:
    path = tmp_path / "old.pth"
    torch.save({"a": torch.ones(2)}, path, _use_new_zipfile_serialization=False)

    with pytest.raises(CorruptCheckpointError, match="no checksums to compare"):
        verify_checkpoint(path)


def test_a_file_with_a_second_table_of_records_is_refused(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)
    whole = bytearray(path.read_bytes())
    # torch follows the offset in the locator, zipfile looks right before the locator
    decoy = whole.index(b"PK\x06\x06")
    locator = whole.index(b"PK\x06\x07")
    whole[decoy:decoy] = whole[decoy:locator]
    path.write_bytes(whole)

    with pytest.raises(CorruptCheckpointError, match="may have two tables of records"):
        read_checkpoint(path)


@pytest.mark.parametrize("tail", [b"x", struct.pack("<4s4H2IH", b"PK\x05\x06", *[0] * 7)])
def test_what_stands_behind_the_table_of_records_is_refused(tmp_path: Path, tail: bytes) -> None:
    path = write_state(tmp_path, 1)
    path.write_bytes(path.read_bytes() + tail)

    with pytest.raises(CorruptCheckpointError, match=r"iter_1\.pth"):
        read_checkpoint(path)


def test_names_that_differ_by_case_alone_are_refused(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "two.pth", content(text("x")), {"DATA.pkl": content(text("y"))})

    with pytest.raises(CorruptCheckpointError, match="two records have the same name"):
        read_checkpoint(path)


def test_a_pipe_and_a_device_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pth")

    for path in (tmp_path / "pipe.pth", Path("/dev/zero")):
        for function in (verify_checkpoint, read_checkpoint):
            with pytest.raises(CheckpointError, match="copy its content to a file"):
                function(path)  # type: ignore[operator]
