from __future__ import annotations

from pathlib import Path

import pytest
from archives import after_a_history, call, name, number, numbers, storage, text, write_archive

from tk_runner.checkpoint import CheckpointError, UnsafeCheckpointError, read_checkpoint


@pytest.mark.parametrize(
    "shape",
    [
        (0, (2,), (1,)),
        (1, (1,), (1,)),
        (0, (1, 1), (1,)),
        (-1, (1,), (1,)),
        (0, (-1,), (1,)),
        (0, (2,), (2**30,)),
        (0, (2**30, 2**30), (0, 1)),
    ],
)
def test_a_tensor_stays_inside_its_storage(
    tmp_path: Path, shape: tuple[int, tuple[int, ...], tuple[int, ...]]
) -> None:
    offset, size, stride = shape
    tensor = call(
        name("torch._utils", "_rebuild_tensor_v2"),
        storage("0", 1), number(offset), numbers(*size), numbers(*stride), b"\x89", b"N",
    )  # fmt: skip
    path = write_archive(tmp_path / "a.pth", after_a_history(tensor), {"data/0": bytes(4)})

    with pytest.raises(CheckpointError, match=r"a\.pth is no checkpoint: a tensor"):
        read_checkpoint(path)


def test_the_state_of_a_tensor_is_not_set(tmp_path: Path) -> None:
    tensor = call(
        name("torch._utils", "_rebuild_tensor_v2"),
        storage("0", 1), number(0), numbers(1), numbers(1), b"\x89", b"N",
    )  # fmt: skip
    path = write_archive(tmp_path / "a.pth", after_a_history(tensor + b"}b"), {"data/0": bytes(4)})

    with pytest.raises(UnsafeCheckpointError, match="asks for setting the state of a Tensor"):
        read_checkpoint(path)


@pytest.mark.parametrize("count", [2, -1, 2**30])
def test_a_storage_stays_inside_its_record(tmp_path: Path, count: int) -> None:
    path = write_archive(
        tmp_path / "a.pth", after_a_history(storage("0", count)), {"data/0": bytes(4)}
    )

    with pytest.raises(CheckpointError, match="data/0 has not the bytes it should"):
        read_checkpoint(path)


def test_a_tensor_with_flags_that_are_not_in_its_bytes_is_refused(tmp_path: Path) -> None:
    flags = b"}" + text("conj") + b"\x88s"
    tensor = call(
        name("torch._utils", "_rebuild_tensor_v2"),
        storage("0", 1), number(0), numbers(1), numbers(1), b"\x89", b"N", flags,
    )  # fmt: skip
    path = write_archive(tmp_path / "a.pth", after_a_history(tensor), {"data/0": bytes(4)})

    with pytest.raises(CheckpointError, match=r"flags \{'conj': True\}, which"):
        read_checkpoint(path)
