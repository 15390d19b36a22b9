from __future__ import annotations

from pathlib import Path

import pytest
import torch
from file_server import FileServer, served
from small_states import same, state_after, write_state

from tk_runner.checkpoint import CheckpointError, CorruptCheckpointError, read_checkpoint


def test_a_download_is_checked_kept_and_used_again(server: FileServer, tmp_path: Path) -> None:
    url = served(server, tmp_path)

    assert same(read_checkpoint(url), state_after(1))
    assert same(read_checkpoint(url), state_after(1))
    assert len(server.requests) == 1
    assert list((tmp_path / "home" / "checkpoints").glob("*/net-*.pth"))


def test_a_download_with_another_hash_is_refused_and_not_kept(
    server: FileServer, tmp_path: Path
) -> None:
    url = served(server, tmp_path, "net-0123abcd.pth")

    with pytest.raises(CorruptCheckpointError, match=r"expected 0123abcd, got [0-9a-f]{8};"):
        read_checkpoint(url)

    assert not list((tmp_path / "home").rglob("*.pth"))


@pytest.mark.parametrize("name", ["plain.pth", "..%2F..%2Fevil.pth", ".hidden"])
def test_a_name_from_elsewhere_stays_in_the_folder_of_downloads(
    server: FileServer, tmp_path: Path, name: str
) -> None:
    url = served(server, tmp_path, name)

    assert same(read_checkpoint(url + "?download=1#here"), state_after(1))
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and "lock" not in path.name]
    assert {path.parent.parent for path in kept if path.name != "iter_1.pth"} == {
        tmp_path / "home" / "checkpoints"
    }


def test_a_missing_download_is_named(server: FileServer) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.pth"):
        read_checkpoint(f"{server.url}/nothing.pth")


def test_an_old_torch_refuses_files_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch, memory: str, tmp_path: Path
) -> None:
    monkeypatch.setattr(torch, "__version__", "2.9.1+cpu")

    for name in (f"{memory}/a.pth", "https://example.invalid/a.pth"):
        with pytest.raises(CheckpointError, match=r"torch 2\.9\.1.* has a known hole"):
            read_checkpoint(name)
    assert same(read_checkpoint(write_state(tmp_path, 1)), state_after(1))
