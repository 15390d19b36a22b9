"""Checkpoint files with anything in them: plain values or one of our errors, and no code."""

from __future__ import annotations

import io
import os
import pickle
import pickletools
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tk_runner import find_latest_checkpoint, read_checkpoint
from tk_runner.checkpoint import CheckpointError, check_plain, verify_checkpoint

many = settings(
    max_examples=600,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
OPCODES = [code.code.encode("latin-1") for code in pickletools.opcodes]


class Canary:
    """Leaves a file where it is unpickled as Python does it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The records of a real archive."""
    path = tmp_path_factory.mktemp("good") / "good.pth"
    state = {"state_dict": {"w": torch.arange(6.0)}, "meta": {"iter": 3, "epoch": 1}, "loop": {}}
    torch.save(state, path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(records: dict[str, bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in records.items():
            archive.writestr(name, content)
    return path


def read_or_refuse(path: Path) -> None:
    for action in (read_checkpoint, verify_checkpoint):
        try:
            content = action(str(path))
        except CheckpointError:
            continue
        if content is not None:
            check_plain(content)
    find_latest_checkpoint(path.parent)


@many
@given(program=st.lists(st.one_of(st.sampled_from(OPCODES), st.binary(max_size=4)), max_size=40))
def test_any_program_of_opcodes(
    program: list[bytes], good: dict[str, bytes], tmp_path: Path
) -> None:
    name = next(name for name in good if name.endswith("data.pkl"))
    content = b"\x80\x02" + b"".join(program) + b"."
    read_or_refuse(written({**good, name: content}, tmp_path / "file.pth"))
    (tmp_path / "plain.pth").write_bytes(content)
    read_or_refuse(tmp_path / "plain.pth")


@many
@given(data=st.data())
def test_a_real_file_with_bytes_changed(
    data: st.DataObject, good: dict[str, bytes], tmp_path: Path
) -> None:
    content = bytearray(written(good, tmp_path / "file.pth").read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "file.pth").write_bytes(content)
    read_or_refuse(tmp_path / "file.pth")


@many
@given(data=st.data())
def test_a_pickle_with_opcodes_changed(
    data: st.DataObject, good: dict[str, bytes], tmp_path: Path
) -> None:
    name = next(name for name in good if name.endswith("data.pkl"))
    content = bytearray(good[name])
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    read_or_refuse(written({**good, name: bytes(content)}, tmp_path / "file.pth"))


def _everywhere(canary: Canary) -> list[Any]:
    return [canary, {"state_dict": canary}, {"meta": {"iter": canary}}, [[(canary,)]], {canary: 1}]


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_hidden_call_never_runs(
    place: int, protocol: int, good: dict[str, bytes], tmp_path: Path
) -> None:
    canary = Canary(tmp_path / "canary")
    stream = io.BytesIO()
    pickle.Pickler(stream, protocol=protocol).dump(_everywhere(canary)[place])
    name = next(name for name in good if name.endswith("data.pkl"))
    (tmp_path / "bare.pth").write_bytes(stream.getvalue())

    read_or_refuse(written({**good, name: stream.getvalue()}, tmp_path / "file.pth"))
    read_or_refuse(tmp_path / "bare.pth")

    assert not canary.path.exists()
