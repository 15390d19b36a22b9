from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader
from toy_run import NOT_VALIDATING, toy_data, toy_run

from tk_runner import Hook
from tk_runner.checkpoint import (
    CorruptCheckpointError,
    KeyMismatchError,
    MalformedStateError,
)
from tk_runner.data import PositionError


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A checkpoint after one epoch."""
    toy_run(tmp_path / "work", train_cfg={"max_epochs": 1}, **NOT_VALIDATING).train()
    return tmp_path / "work" / "epoch_1.pth"


def changed(path: Path, **entries: Any) -> str:
    """A copy of a checkpoint elsewhere, with some entries replaced."""
    target = path.parents[1] / "changed.pth"
    torch.save({**torch.load(path), **entries}, target)
    return str(target)


@pytest.mark.parametrize("setting", ["load_from", "resume"])
def test_a_flipped_bit_is_found_however_the_file_is_used(trained: Path, setting: str) -> None:
    whole = bytearray(trained.read_bytes())
    weight = torch.load(trained)["state_dict"]["net.weight"].numpy().tobytes()
    whole[whole.index(weight) + 3] ^= 1
    trained.write_bytes(whole)

    with pytest.raises(CorruptCheckpointError, match="does not have the checksum"):
        toy_run(trained.parents[1] / "b", **{setting: str(trained)}, **NOT_VALIDATING).train()


@pytest.mark.parametrize("setting", ["load_from", "resume"])
def test_a_file_of_which_no_weight_fits_is_refused(trained: Path, setting: str) -> None:
    other = changed(trained, state_dict={"backbone.weight": torch.ones(3)})

    with pytest.raises(KeyMismatchError, match=r"no weight of .*changed\.pth fits the model"):
        toy_run(trained.parents[1] / "b", **{setting: other}, **NOT_VALIDATING).train()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("loop", {"epoch": "one"}),
        ("loop", 3),
        ("message_hub", 1),
        ("hooks", {"CheckpointHook": {"best": {}}}),
        ("hooks", {"CheckpointHook": {"kept": ["../a.pth"], "best": {}}}),
        ("optimizer", {"state": 3}),
        ("ranks", [3]),
    ],
)
def test_a_malformed_entry_is_named_with_its_file(trained: Path, key: str, value: Any) -> None:
    file = changed(trained, **{key: value})
    run = toy_run(trained.parents[1] / "b", resume=file, **NOT_VALIDATING)

    with pytest.raises(Exception, match=rf"{re.escape(file)}.* entry '{key}"):
        run.train()


def test_a_state_that_another_program_wrote_says_so(trained: Path) -> None:
    file = changed(trained, loop={"epoch": []})

    with pytest.raises(MalformedStateError, match="written by another program"):
        toy_run(trained.parents[1] / "b", resume=file, **NOT_VALIDATING).train()


def test_a_damaged_folder_is_neither_resumed_nor_overwritten(trained: Path) -> None:
    trained.write_bytes(bytes(10))

    with pytest.raises(CorruptCheckpointError, match="neither goes on nor begins anew"):
        toy_run(trained.parent, resume=True, **NOT_VALIDATING).train()

    assert trained.read_bytes() == bytes(10)


def test_checkpoints_elsewhere_are_found_where_the_work_folder_is_new(tmp_path: Path) -> None:
    hooks = {"checkpoint": {"type": "CheckpointHook", "out_dir": str(tmp_path / "out")}}
    toy_run(tmp_path / "a" / "work", default_hooks=hooks, **NOT_VALIDATING).train()

    again = toy_run(tmp_path / "b" / "work", resume=True, default_hooks=hooks, **NOT_VALIDATING)
    again.train()

    assert again.iter == 12
    assert again.message_hub.get_scalar("train/loss").data[0].size == 12


def test_a_resumed_run_keeps_nothing_of_the_file_in_use(trained: Path) -> None:
    run = toy_run(
        trained.parents[1] / "b",
        resume=str(trained),
        train_cfg={"max_epochs": 2},
        **NOT_VALIDATING,
    )
    run.train()

    assert str(trained) not in Path("/proc/self/maps").read_text()


def test_checkpoints_in_a_store_are_found_and_gone_on_with(tmp_path: Path) -> None:
    store = pytest.importorskip("fsspec").filesystem("memory")
    store.store.clear()
    hook = {"type": "CheckpointHook", "out_dir": "memory://bucket", "max_keep_ckpts": 1}
    settings = {"default_hooks": {"checkpoint": hook | {"interval": 1}}, **NOT_VALIDATING}
    toy_run(tmp_path / "a" / "work", train_cfg={"max_epochs": 1}, **settings).train()

    again = toy_run(tmp_path / "b" / "work", resume=True, **settings)
    again.train()

    assert again.message_hub.get_scalar("train/loss").data[0].size == 12
    assert [path.rpartition("/")[2] for path in store.ls("/bucket/work", detail=False)] == [
        "epoch_2.pth"
    ]
    store.store.clear()


def test_the_advice_for_other_data_inside_an_epoch_can_be_followed(tmp_path: Path) -> None:
    class Stop(Hook):
        def before_train_iter(self, runner: Any, batch_idx: int, data_batch: Any = None) -> None:
            if runner.iter == 7:
                runner.stop_requests.request(75)

    work = tmp_path / "work"
    with pytest.raises(SystemExit):
        toy_run(work, custom_hooks=[Stop()], **NOT_VALIDATING).train()
    fewer = DataLoader(toy_data(), batch_sampler=[[0, 1], [2, 3]])
    with pytest.raises(PositionError, match=r"resume='<work_dir>/epoch_<n>\.pth'"):
        toy_run(work, resume=True, train_dataloader=fewer, **NOT_VALIDATING).train()

    run = toy_run(work, resume=str(work / "epoch_1.pth"), train_dataloader=fewer, **NOT_VALIDATING)
    run.train()

    assert (run.epoch, run.iter) == (2, 8)
