"""Checkpoints damaged in every way: the run goes on from the newest whole one, or says why not."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dying import FAILED
from run_comparison import differences
from whole_runs import last_checkpoint, trained

from tk_runner import find_latest_checkpoint, read_checkpoint

NEWEST = "epoch_2.pth"


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run after its second epoch, and the last checkpoint of one that went on to the third."""
    folder = tmp_path_factory.mktemp("runs")
    assert trained(folder / "straight") == 0
    shutil.copytree(folder / "straight", folder / "stopped")
    (folder / "stopped" / "epoch_3.pth").unlink()
    (folder / "stopped" / "last_checkpoint").write_text(NEWEST)
    return folder / "stopped", last_checkpoint(folder / "straight")


def _cut(share: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * share)])

    return damage


def _zero_from(share: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        content = path.read_bytes()
        start = int(len(content) * share)
        path.write_bytes(content[:start] + bytes(len(content) - start))

    return damage


def _replace(content: bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content) and None


def _point_at_itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


DAMAGES: dict[str, Callable[[Path], None]] = {
    **{f"cut at {share:.0%}": _cut(share) for share in (0.0, 0.01, 0.3, 0.5, 0.9, 0.99, 0.9999)},
    **{f"zeros from {share:.0%}": _zero_from(share) for share in (0.0, 0.2, 0.5, 0.9, 0.99)},
    "text": _replace(b"hello\n"),
    "a pickle": _replace(b"\x80\x04N."),
    "a zip without records": _replace(b"PK\x05\x06" + bytes(18)),
    "gone": Path.unlink,
    "a link to itself": _point_at_itself,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_newest_checkpoint_is_passed_over(
    damage: Callable[[Path], None], stopped: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    source, expected = stopped
    work_dir = tmp_path / "run"
    shutil.copytree(source, work_dir)
    damage(work_dir / NEWEST)

    assert trained(work_dir, resume=True) == 0

    assert differences(expected, last_checkpoint(work_dir)) == []


@pytest.mark.parametrize("name", ["epoch_1.pth", NEWEST])
def test_any_flipped_bit_is_noticed_or_changes_nothing(
    name: str, stopped: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    work_dir = tmp_path / "run"
    shutil.copytree(stopped[0], work_dir)
    whole = (work_dir / NEWEST).read_bytes()
    as_saved = read_checkpoint(work_dir / NEWEST)
    chosen = random.Random(name)
    (work_dir / "last_checkpoint").write_text(NEWEST)
    noticed = 0

    for _ in range(400):
        damaged = bytearray(whole)
        damaged[chosen.randrange(len(damaged))] ^= 1 << chosen.randrange(8)
        (work_dir / NEWEST).write_bytes(damaged)
        found = find_latest_checkpoint(work_dir)
        assert found is not None
        if Path(found).name == NEWEST:
            assert differences(as_saved, read_checkpoint(found)) == []
        else:
            noticed += 1

    assert noticed > 300


def test_a_folder_of_which_all_checkpoints_are_damaged_is_not_begun_anew(
    stopped: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    work_dir = tmp_path / "run"
    shutil.copytree(stopped[0], work_dir)
    damaged = list(work_dir.glob("*.pth"))
    for path in damaged:
        _cut(0.5)(path)
    before = {path: path.read_bytes() for path in damaged}

    assert trained(work_dir, resume=True) == FAILED

    assert {path: path.read_bytes() for path in damaged} == before
