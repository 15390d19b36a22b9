from __future__ import annotations

import json

import pytest
import torch


@pytest.fixture
def folder(toy):
    """A folder with two states of a run, weights alone and a damaged file."""
    for count in (1, 2):
        state = {
            "format_version": 1,
            "meta": {"epoch": count, "iter": 4 * count, "time": f"20250101_00000{count}"},
            "state_dict": {"w": torch.full((2, 3), float(count)), "n": torch.tensor(count)},
            "loop": {"epoch": count, "iter": 4 * count},
        }
        torch.save(state, toy.folder / f"epoch_{count}.pth")
    torch.save({"w": torch.ones(2, 3)}, toy.folder / "weights.pth")
    (toy.folder / "torn.pth").write_bytes(bytes(9))
    return toy


def test_files_are_listed_with_what_they_hold(folder) -> None:
    said = folder.run("ckpt", "ls", ".")

    lines = {line.split()[-7 if "state" in line else 0]: line for line in said.out.splitlines()}
    assert said.code == 0
    assert "*  epoch_2.pth  2      8     20250101_000002" in said.out
    assert "unreadable: torn.pth (9 bytes)" in said.out
    assert lines["weights.pth"].split()[-1] == "weights"


def test_a_checkpoint_is_shown_in_words_and_as_json(folder) -> None:
    said = folder.run("ckpt", "show", "epoch_2.pth", "--weights")
    found = json.loads(folder.run("ckpt", "show", "epoch_2.pth", "--json").out)

    assert "float32 (2, 3)" in said.out
    assert (found["iter"], found["parameters and buffers"]) == (8, "7")


def test_damaged_files_are_told_by_the_exit_code(folder) -> None:
    good = folder.run("ckpt", "verify", "epoch_1.pth", "epoch_2.pth")
    all_of_them = folder.run("ckpt", "verify", ".")

    assert (good.code, good.out.count("whole")) == (0, 2)
    assert all_of_them.code == 1
    assert "torn.pth: BAD: torn.pth (9 bytes) is torn" in all_of_them.out


def test_the_mean_and_another_form_are_written(folder) -> None:
    assert folder.run("ckpt", "average", "mean.pth", "epoch_1.pth", "epoch_2.pth").code == 0
    assert folder.run("ckpt", "convert", "mean.pth", "again.pth").code == 0

    assert torch.load(folder.folder / "again.pth")["state_dict"]["w"].unique().tolist() == [1.5]


def test_a_missing_file_is_one_sentence(folder) -> None:
    said = folder.run("ckpt", "show", "epoch_9.pth")

    assert said.code == 1
    assert "there is no checkpoint at epoch_9.pth" in said.err
    assert "Traceback" not in said.err
