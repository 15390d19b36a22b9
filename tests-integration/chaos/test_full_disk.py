"""A disk that fills up at any moment: one clear error, and the run goes on where there is room."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from dying import FAILED
from run_comparison import differences
from whole_runs import last_checkpoint, trained

ENOUGH_KB = 4000
SIZES_KB = [*range(8, 200, 12), *range(200, 1200, 50)]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system in memory whose size can be changed."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0 or not _mounted(place, ENOUGH_KB):
        pytest.skip("needs root, to mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def _mounted(place: Path, size_kb: int) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_kb}k", "tmpfs", str(place)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def _resize(place: Path, size_kb: int) -> None:
    command = ["mount", "-o", f"remount,size={size_kb}k", str(place)]
    subprocess.run(command, check=True, capture_output=True)


def test_a_run_that_met_a_full_disk_goes_on_where_there_is_room(
    disk: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert trained(tmp_path / "straight") == 0
    expected = last_checkpoint(tmp_path / "straight")
    num_failed = 0

    for size_kb in SIZES_KB:
        work_dir = disk / "run"
        _resize(disk, size_kb)
        capfd.readouterr()
        status = trained(work_dir)
        told = capfd.readouterr().err
        assert status in (0, FAILED), f"{size_kb} kB: status {status}"
        if status == FAILED:
            num_failed += 1
            end = "\n".join(told.splitlines()[-2:])  # the error, and which hook raised it
            assert "No space left on device" in end, f"{size_kb} kB:\n{told}"
            assert told.count("Traceback") <= 2, f"{size_kb} kB:\n{told}"
        _resize(disk, ENOUGH_KB)
        assert trained(work_dir, resume=True) == 0, f"{size_kb} kB"
        assert differences(expected, last_checkpoint(work_dir)) == [], f"{size_kb} kB"
        subprocess.run(["rm", "-rf", str(work_dir)], check=True)

    assert 5 < num_failed < len(SIZES_KB)  # both sides were seen
