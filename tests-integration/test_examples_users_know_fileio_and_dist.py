"""Files and collectives as MMEngine users know them; only imports differ."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import torch

import tk_dist as dist
import tk_fileio as fileio
from tk_fileio import BaseFileHandler, dict_from_file, dump, list_from_file, load, register_handler


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["test.json", "test.yaml", "test.pkl"])
def test_data_goes_to_a_file_a_stream_or_a_text_and_comes_back(name: str) -> None:
    data = {"a": [1, 2.5, "three"], "b": {"c": None}}
    kind = name.rpartition(".")[2]

    dump(data, name)
    with Path(name).open("rb" if kind == "pkl" else "r") as f:
        from_stream = load(f, file_format=kind, trusted=True)

    assert load(name, trusted=True) == from_stream == data
    assert isinstance(dump(data, file_format=kind), bytes if kind == "pkl" else str)


def test_a_handler_of_ones_own_serves_a_suffix() -> None:
    @register_handler("txt_of_users")
    class TxtHandler1(BaseFileHandler):
        def load_from_fileobj(self, file):
            return file.read()

        def dump_to_fileobj(self, obj, file):
            file.write(str(obj))

        def dump_to_str(self, obj, **kwargs):
            return str(obj)

    dump("abc", "test.txt_of_users")

    assert load("test.txt_of_users") == "abc"


def test_lists_and_dicts_are_read_from_lines() -> None:
    Path("a.txt").write_text("a\nb\nc\nd\ne\n")
    Path("b.txt").write_text("1 cat\n2 dog cow\n3 panda\n")

    assert list_from_file("a.txt") == ["a", "b", "c", "d", "e"]
    assert list_from_file("a.txt", offset=2) == ["c", "d", "e"]
    assert list_from_file("a.txt", max_num=2) == ["a", "b"]
    assert list_from_file("a.txt", prefix="/mnt/") == [
        "/mnt/a",
        "/mnt/b",
        "/mnt/c",
        "/mnt/d",
        "/mnt/e",
    ]
    assert dict_from_file("b.txt") == {"1": "cat", "2": ["dog", "cow"], "3": "panda"}
    assert dict_from_file("b.txt", key_type=int) == {1: "cat", 2: ["dog", "cow"], 3: "panda"}


def test_a_checkpoint_is_read_through_a_backend() -> None:
    buffer = io.BytesIO()
    torch.save({"weight": torch.ones(2)}, buffer)
    fileio.put(buffer.getvalue(), "weights/model.pth")

    with fileio.get_local_path("weights/model.pth") as path:
        loaded = torch.load(path, weights_only=True)

    assert torch.equal(loaded["weight"], torch.ones(2))
    assert list(fileio.list_dir_or_file("weights")) == ["model.pth"]
    assert fileio.isfile(fileio.join_path("weights", "model.pth"))


def test_without_a_group_there_is_one_rank_and_collectives_change_nothing() -> None:
    data = torch.arange(2)

    assert dist.get_dist_info() == (0, 1)
    assert not dist.is_distributed()
    assert [one.tolist() for one in dist.all_gather(data)] == [[0, 1]]
    dist.all_reduce(data)
    assert data.tolist() == [0, 1]


def speak() -> dict[str, Any]:
    rank, world_size = dist.get_dist_info()
    data = torch.arange(2) + 2 * rank
    gathered = [one.tolist() for one in dist.all_gather(data)]
    summed = data.clone()
    dist.all_reduce(summed, op="sum")
    spoken = [f"from {rank}"]
    dist.broadcast_object_list(spoken, src=1)
    part = ["sample 0", "sample 2"] if rank == 0 else ["sample 1"]
    return {
        "world_size": world_size,
        "gathered": gathered,
        "summed": summed.tolist(),
        "spoken": spoken,
        "results": dist.collect_results(part, 3, device="cpu"),
    }


def test_two_ranks_speak_with_each_other() -> None:
    first, second = dist.launch(speak, 2, timeout_s=60)

    assert first.pop("results") == ["sample 0", "sample 1", "sample 2"]
    assert second.pop("results") is None
    assert (
        first
        == second
        == {
            "world_size": 2,
            "gathered": [[0, 1], [2, 3]],
            "summed": [2, 4],
            "spoken": ["from 1"],
        }
    )


def test_what_only_the_main_process_may_do_is_left_out_elsewhere() -> None:
    @dist.master_only
    def write() -> str:
        return "written"

    assert dist.launch(write, 2, timeout_s=60) == ["written", None]
