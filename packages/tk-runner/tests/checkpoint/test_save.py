from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from dying import deaths
from small_states import same, state_after, write_state

from tk_logging import NotPlainError
from tk_runner.checkpoint import (
    find_latest_checkpoint,
    read_checkpoint,
    save_checkpoint,
    verify_checkpoint,
    write_last_checkpoint,
)


def test_torch_reads_the_file_in_its_safe_default(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)

    assert same(torch.load(path), state_after(1))


def test_nothing_but_the_file_is_left(tmp_path: Path) -> None:
    write_state(tmp_path, 1)

    assert os.listdir(tmp_path) == ["iter_1.pth"]


def test_values_are_made_plain_and_the_given_dict_is_not_touched(tmp_path: Path) -> None:
    given = {"best": np.float64(0.5), "weights": {"w": torch.nn.Parameter(torch.ones(2))}}

    save_checkpoint(given, tmp_path / "a.pth")

    assert type(torch.load(tmp_path / "a.pth")["best"]) is float
    assert type(given["best"]) is np.float64
    assert isinstance(given["weights"]["w"], torch.nn.Parameter)  # type: ignore[index]


def test_a_refused_value_leaves_the_old_file(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)

    with pytest.raises(NotPlainError, match=r"- hook is a function"):
        save_checkpoint({"hook": write_state}, path)

    assert same(read_checkpoint(path, verify=True), state_after(1))


def test_the_mode_is_that_of_a_plain_file(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)
    plain = tmp_path / "plain"
    plain.touch()

    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "iter_1.pth").symlink_to(victim)

    write_state(tmp_path, 1)

    assert victim.read_text() == "precious"
    assert not (tmp_path / "iter_1.pth").is_symlink()


def test_checksums_are_written_where_the_process_turned_them_off(tmp_path: Path) -> None:
    torch.serialization.set_crc32_options(False)
    try:
        path = write_state(tmp_path, 1)

        assert torch.serialization.get_crc32_options() is False
    finally:
        torch.serialization.set_crc32_options(True)
    verify_checkpoint(path)


def test_a_file_goes_to_any_store(memory: str) -> None:
    save_checkpoint(state_after(3), f"{memory}/run/iter_3.pth")

    assert same(read_checkpoint(f"{memory}/run/iter_3.pth", verify=True), state_after(3))


def test_killed_at_any_step_the_last_whole_checkpoint_is_found(tmp_path: Path) -> None:
    write_last_checkpoint(tmp_path, write_state(tmp_path, 1))
    found = []

    def save_the_next() -> None:
        write_last_checkpoint(tmp_path, write_state(tmp_path, 2))

    for _ in deaths(save_the_next):
        path = find_latest_checkpoint(tmp_path)
        assert path is not None
        content = read_checkpoint(path, verify=True)
        iteration = content["meta"]["iter"]
        assert same(content, state_after(iteration))
        found.append(iteration)
        (tmp_path / "iter_2.pth").unlink(missing_ok=True)

    assert len(found) > 20  # as many places to die
    assert found == sorted(found)  # the first until the second is in place, then the second
    assert set(found) == {1, 2}
    assert find_latest_checkpoint(tmp_path) == str(tmp_path / "iter_2.pth")


def test_killed_at_any_step_of_writing_over_a_file_it_is_the_old_one_or_the_new(
    tmp_path: Path,
) -> None:
    path = write_state(tmp_path, 1, "latest.pth")
    found = []
    for _ in deaths(lambda: save_checkpoint({"meta": {"iter": 2}}, path)):
        content = read_checkpoint(path, verify=True)
        found.append(content["meta"]["iter"])
        assert same(content, state_after(1)) or content == {"meta": {"iter": 2}}
        write_state(tmp_path, 1, path.name)

    assert set(found) == {1, 2}
    assert read_checkpoint(path) == {"meta": {"iter": 2}}


def test_what_killed_saves_left_is_gone_after_the_next_one(tmp_path: Path) -> None:
    for num_deaths, _ in enumerate(deaths(lambda: write_state(tmp_path, 2))):
        if num_deaths == 5:
            break
    assert any(name.endswith(".tk-part") for name in os.listdir(tmp_path))

    write_state(tmp_path, 3)

    assert [name for name in os.listdir(tmp_path) if name.endswith(".tk-part")] == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user may not mount a small file system")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_told_with_the_path_and_leaves_what_was_there(small_disk: Path) -> None:
    write_last_checkpoint(small_disk, write_state(small_disk, 1))
    large = {**state_after(2), "more": torch.zeros(100_000)}

    with pytest.raises(OSError, match=r"No space left on device.*iter_2\.pth"):
        save_checkpoint(large, small_disk / "iter_2.pth")

    assert sorted(os.listdir(small_disk)) == ["iter_1.pth", "last_checkpoint"]
    assert find_latest_checkpoint(small_disk) == str(small_disk / "iter_1.pth")
    write_last_checkpoint(small_disk, write_state(small_disk, 2))  # there is room for this one
    assert find_latest_checkpoint(small_disk) == str(small_disk / "iter_2.pth")


def test_a_limit_on_the_size_of_files_is_told_like_a_full_disk(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)
    large = {**state_after(2), "more": torch.zeros(100_000)}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OSError, match=r"iter_1\.pth") as caught:
            save_checkpoint(large, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)

    assert caught.value.errno == errno.EFBIG
    assert same(read_checkpoint(path, verify=True), state_after(1))
    assert os.listdir(tmp_path) == ["iter_1.pth"]
