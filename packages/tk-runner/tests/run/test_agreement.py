from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tk_runner.checkpoint import CheckpointError, CorruptCheckpointError
from tk_runner.run import agreement
from tk_runner.run.agreement import check_that_all_ranks_see, verify_once


@pytest.fixture
def two_machines(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Rank 1 answers what the list holds; rank 0 is this process."""
    answers: list[Any] = []
    monkeypatch.setattr(agreement, "get_world_size", lambda: 2)
    monkeypatch.setattr(agreement, "all_gather_object", lambda own: [own, *answers])
    return answers


def test_a_file_that_a_rank_does_not_see_is_said_with_the_machine(
    tmp_path: Path, two_machines: list[Any]
) -> None:
    (tmp_path / "a.pth").write_bytes(b"123")
    two_machines.append(("there", None))

    with pytest.raises(CheckpointError, match="rank 1 on there: no such file") as caught:
        check_that_all_ranks_see(str(tmp_path / "a.pth"))

    assert "put work_dir on a file system that all machines share" in str(caught.value)


def test_a_file_that_all_ranks_see_is_fine(tmp_path: Path, two_machines: list[Any]) -> None:
    (tmp_path / "a.pth").write_bytes(b"123")
    two_machines.append(("there", 3))

    check_that_all_ranks_see(str(tmp_path / "a.pth"))
    two_machines[0] = ("there", 4)
    with pytest.raises(CheckpointError, match="rank 1 on there: 4 bytes"):
        check_that_all_ranks_see(str(tmp_path / "a.pth"))


def test_damage_that_rank_0_finds_is_raised_on_the_others_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def receive(objects: list[Any]) -> None:
        objects[0] = "a.pth is damaged"

    monkeypatch.setattr(agreement, "is_main_process", lambda: False)
    monkeypatch.setattr(agreement, "broadcast_object_list", receive)

    with pytest.raises(CorruptCheckpointError, match=r"a\.pth is damaged"):
        verify_once(str(tmp_path / "a.pth"))
