from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePosixPath

import pytest
import torch
from small_states import state_after, write_state

from tk_runner.checkpoint import (
    FORMAT_VERSION,
    find_latest_checkpoint,
    publish,
    save_checkpoint,
    write_last_checkpoint,
)
from tk_runner.checkpoint.summary import read_summary


def test_a_folder_without_checkpoints_has_none(tmp_path: Path) -> None:
    assert find_latest_checkpoint(tmp_path) is None
    assert find_latest_checkpoint(tmp_path / "missing") is None


def test_the_pointer_is_relative_to_the_folder(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    write_last_checkpoint(tmp_path, write_state(tmp_path / "inner", 1))

    assert (tmp_path / "last_checkpoint").read_text() == "inner/iter_1.pth"


def test_a_moved_and_a_copied_folder_go_on(tmp_path: Path) -> None:
    for iteration in (9, 10, 11):
        write_last_checkpoint(tmp_path / "a", write_state(tmp_path / "a", iteration))
    shutil.move(tmp_path / "a", tmp_path / "b")
    shutil.copytree(tmp_path / "b", tmp_path / "c")
    for name in ("iter_9.pth", "iter_10.pth", "iter_11.pth"):  # copied in any order
        os.utime(tmp_path / "c" / name, (1, 1_000_000 - int(name[5:-4])))

    assert find_latest_checkpoint(tmp_path / "b") == str(tmp_path / "b" / "iter_11.pth")
    (tmp_path / "c" / "last_checkpoint").unlink()
    assert find_latest_checkpoint(tmp_path / "c") == str(tmp_path / "c" / "iter_11.pth")


@pytest.mark.parametrize(
    "pointer",
    [None, b"", b"\0\0\0\0", b"\xff\xfe", b"iter_7.pth", b"/nowhere/iter_7.pth", b"a\nb"],
    ids=["gone", "empty", "zeros", "bytes", "missing file", "elsewhere", "lines"],
)
def test_a_useless_pointer_does_not_lead_to_a_fresh_start(
    tmp_path: Path, pointer: bytes | None
) -> None:
    write_state(tmp_path, 1)
    write_state(tmp_path, 2)
    if pointer is not None:
        (tmp_path / "last_checkpoint").write_bytes(pointer)

    assert find_latest_checkpoint(tmp_path) == str(tmp_path / "iter_2.pth")


@pytest.mark.parametrize("kind", ["truncated", "zeros", "empty", "foreign", "flipped"])
def test_a_bad_newest_file_is_passed_over_by_name(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    write_state(tmp_path, 1)
    newest = write_state(tmp_path, 2)
    write_last_checkpoint(tmp_path, newest)
    whole = newest.read_bytes()
    if kind == "flipped":
        at = whole.index(torch.arange(2.0, 5.0).numpy().tobytes())
        newest.write_bytes(whole[:at] + b"\x01" + whole[at + 1 :])
    else:
        contents = {"truncated": whole[:900], "zeros": bytes(900), "empty": b"", "foreign": b"GIF8"}
        newest.write_bytes(contents[kind])

    assert find_latest_checkpoint(tmp_path) == str(tmp_path / "iter_1.pth")
    assert f"passed over {newest}: {newest}" in caplog.text


def test_a_file_that_the_pointer_does_not_know_yet_is_newer(tmp_path: Path) -> None:
    write_last_checkpoint(tmp_path, write_state(tmp_path, 1))
    write_state(tmp_path, 2)  # killed before the pointer was moved

    assert find_latest_checkpoint(tmp_path) == str(tmp_path / "iter_2.pth")


def test_a_run_that_began_anew_is_not_continued_from_the_one_before(tmp_path: Path) -> None:
    write_state(tmp_path, 1000, time="20250101_000000")
    write_last_checkpoint(tmp_path, write_state(tmp_path, 100, time="20250202_000000"))

    assert find_latest_checkpoint(tmp_path) == str(tmp_path / "iter_100.pth")


def test_names_say_nothing_about_age(tmp_path: Path) -> None:
    write_state(tmp_path, 3, "model-a.pth")
    write_state(tmp_path, 2, "iter_99.pth")

    assert find_latest_checkpoint(tmp_path) == str(tmp_path / "model-a.pth")


def test_weights_alone_are_not_taken(tmp_path: Path) -> None:
    path = write_state(tmp_path, 1)
    publish(path)
    torch.save(state_after(5)["state_dict"], tmp_path / "pretrained.pth")
    save_checkpoint({"meta": {"iter": 9}, "state_dict": {}}, tmp_path / "iter_9.pth")

    assert find_latest_checkpoint(tmp_path) == str(path)


def test_the_best_file_is_taken_where_there_is_no_other(tmp_path: Path) -> None:
    best = write_state(tmp_path, 9, "best_acc_iter_9.pth")

    assert find_latest_checkpoint(tmp_path) == str(best)
    regular = write_state(tmp_path, 1)
    assert find_latest_checkpoint(tmp_path) == str(regular)


def test_files_in_another_folder_are_found_through_the_pointer(tmp_path: Path) -> None:
    work, out = tmp_path / "work", tmp_path / "out"
    work.mkdir()
    write_state(out, 1)
    newest = write_state(out, 2)
    write_last_checkpoint(work, newest)

    assert find_latest_checkpoint(work) == str(newest)
    newest.write_bytes(b"")
    assert find_latest_checkpoint(work) == str(out / "iter_1.pth")


def test_a_whole_path_in_a_copied_folder_means_the_copy(tmp_path: Path) -> None:
    original = write_state(tmp_path / "a", 1)
    (tmp_path / "a" / "last_checkpoint").write_text(str(original))
    shutil.copytree(tmp_path / "a", tmp_path / "b")

    assert find_latest_checkpoint(tmp_path / "b") == str(tmp_path / "b" / "iter_1.pth")


def test_a_pointer_that_is_a_link_is_replaced(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "last_checkpoint").symlink_to(victim)

    write_last_checkpoint(tmp_path, write_state(tmp_path, 1))

    assert victim.read_text() == "precious"
    assert not (tmp_path / "last_checkpoint").is_symlink()


def test_a_store_elsewhere_is_searched_beside_the_file_that_is_pointed_at(
    tmp_path: Path, memory: str, caplog: pytest.LogCaptureFixture
) -> None:
    from tk_fileio import put

    for iteration in (9, 10, 11):
        save_checkpoint(state_after(iteration), f"{memory}/run/iter_{iteration}.pth")
    write_last_checkpoint(tmp_path, f"{memory}/run/iter_11.pth")

    assert find_latest_checkpoint(tmp_path) == f"{memory}/run/iter_11.pth"
    put(b"torn", f"{memory}/run/iter_11.pth")
    assert find_latest_checkpoint(tmp_path) == f"{memory}/run/iter_10.pth"
    assert "iter_11.pth" in caplog.text


def test_a_folder_in_a_store_is_searched_like_one_on_a_disk(
    tmp_path: Path, memory: str, caplog: pytest.LogCaptureFixture
) -> None:
    from tk_fileio import put

    folder = f"{memory}/run"
    assert find_latest_checkpoint(folder) is None
    for iteration in (9, 11, 10):
        save_checkpoint(state_after(iteration), f"{folder}/iter_{iteration}.pth")
    save_checkpoint(state_after(12), f"{folder}/best_acc_iter_12.pth")

    assert find_latest_checkpoint(folder) == f"{folder}/iter_11.pth"
    write_last_checkpoint(folder, f"{folder}/iter_10.pth")
    put(b"torn", f"{folder}/iter_11.pth")
    assert find_latest_checkpoint(folder) == f"{folder}/iter_10.pth"
    assert f"passed over {folder}/iter_11.pth" in caplog.text


def test_a_file_in_a_store_is_named_by_its_place_in_the_pointer(memory: str) -> None:
    from tk_fileio import get_text

    write_last_checkpoint(f"{memory}/run", f"{memory}/run/iter_3.pth")

    assert get_text(f"{memory}/run/last_checkpoint") == "iter_3.pth"


@pytest.mark.parametrize("kind", ["newer version", "asks for code", "bit of the table", "gone"])
def test_a_newest_file_that_cannot_be_read_leads_to_the_one_before(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    write_state(tmp_path, 1)
    newest = write_state(tmp_path, 2)
    write_last_checkpoint(tmp_path, newest)
    if kind == "newer version":
        save_checkpoint({**state_after(2), "format_version": FORMAT_VERSION + 1}, newest)
    elif kind == "asks for code":
        torch.save({**state_after(2), "owner": PurePosixPath("a")}, newest)
    elif kind == "bit of the table":
        whole = bytearray(newest.read_bytes())
        whole[whole.rindex(b"PK\x01\x02") + 42] ^= 4  # where the last record begins
        newest.write_bytes(whole)
    else:
        newest.unlink()

    assert find_latest_checkpoint(tmp_path) == str(tmp_path / "iter_1.pth")
    assert str(newest) in caplog.text


def test_a_file_that_goes_while_its_successor_comes_leads_to_the_successor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = write_state(tmp_path, 1)
    write_last_checkpoint(tmp_path, old)

    def read_after_a_save(*args: object, **kwargs: object) -> object:
        if old.exists():  # the training saves and cleans up between our two looks
            write_last_checkpoint(tmp_path, write_state(tmp_path, 2))
            old.unlink()
        return read_summary(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr("tk_runner.checkpoint.latest.read_summary", read_after_a_save)

    assert find_latest_checkpoint(tmp_path) == str(tmp_path / "iter_2.pth")
