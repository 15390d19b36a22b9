from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from mmengine_like import write_like_mmengine
from small_states import same
from torch import nn

from tk_logging import MessageHub
from tk_optim import LinearLR, MultiStepLR, OptimWrapper
from tk_runner.checkpoint import (
    UnsafeCheckpointError,
    find_latest_checkpoint,
    load_checkpoint,
    read_checkpoint,
    save_checkpoint,
)


@pytest.fixture
def like(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A file like MMEngine's, and what was put into it."""
    path = tmp_path / "epoch_2.pth"
    return path, write_like_mmengine(path)


def test_torch_alone_refuses_such_a_file(like: tuple[Path, dict[str, Any]]) -> None:
    with pytest.raises(pickle.UnpicklingError, match="was not an allowed global"):
        torch.load(like[0])


@pytest.mark.parametrize("location", ["cpu", None, torch.device("cpu")])
def test_weights_and_states_are_what_was_written(
    like: tuple[Path, dict[str, Any]], location: Any
) -> None:
    path, written = like

    found = read_checkpoint(path, location, verify=True)

    assert list(found) == list(written)
    assert same(found["state_dict"], written["state_dict"])
    assert same(found["optimizer"], written["optimizer"])
    assert found["param_schedulers"] == written["param_schedulers"]
    assert found["state_dict"]._metadata == written["state_dict"]._metadata


def test_values_of_numpy_are_plain(like: tuple[Path, dict[str, Any]]) -> None:
    found = read_checkpoint(like[0])

    assert found["message_hub"]["runtime_info"] == {"iter": 7, "epoch": 1, "last": 0.5, "no": False}
    assert same(found["meta"]["dataset_meta"]["palette"], torch.tensor([[1, 2, 3]]))


def test_histories_go_on_in_our_hub(like: tuple[Path, dict[str, Any]]) -> None:
    hub = MessageHub.get_instance("test_histories_go_on_in_our_hub")

    hub.load_state_dict(read_checkpoint(like[0])["message_hub"])

    history = hub.get_scalar("train/loss")
    assert history.data[0].tolist() == [4.0, 2.0, 1.5]
    assert history.current() == 1.5
    assert history.mean() == pytest.approx(2.5)
    assert hub.get_info("last") == 0.5
    hub.update_info("loop_stage", "val", resumed=False)  # MMEngine resumes these, we do not
    hub.update_scalar("train/time", 0.1, resumed=False)


def test_such_a_file_saves_in_our_format(like: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    found = read_checkpoint(like[0])

    save_checkpoint(found, tmp_path / "ours.pth")

    assert same(torch.load(tmp_path / "ours.pth"), found)


def test_such_a_file_is_found_in_its_folder(like: tuple[Path, dict[str, Any]]) -> None:
    path, _ = like
    (path.parent / "last_checkpoint").write_text(str(path))  # MMEngine writes the whole path

    assert find_latest_checkpoint(path.parent) == str(path)


def test_it_goes_to_another_device(like: tuple[Path, dict[str, Any]]) -> None:
    found = read_checkpoint(like[0], map_location="meta")

    assert found["state_dict"]["0.weight"].device.type == "meta"


def test_a_file_of_torch_before_1_6_with_such_names_is_refused(tmp_path: Path) -> None:
    import mmengine_like

    with mmengine_like.importable():
        history = mmengine_like.HistoryBuffer([1.0])
        torch.save({"h": history}, tmp_path / "a.pth", _use_new_zipfile_serialization=False)

    with pytest.raises(
        UnsafeCheckpointError, match=r"a\.pth asks for mmengine\.logging.*HistoryBuffer"
    ):
        read_checkpoint(tmp_path / "a.pth")


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("mmengine") is None, reason="MMEngine is not installed here"
)
def test_a_file_of_the_real_mmengine_goes_on_in_our_parts(tmp_path: Path) -> None:
    program = Path(__file__).with_name("real_mmengine_run.py")
    subprocess.run([sys.executable, program, tmp_path], check=True, capture_output=True)
    path = find_latest_checkpoint(tmp_path)
    assert path is not None
    assert Path(path).name == "epoch_2.pth"
    net = nn.Sequential(nn.Linear(3, 1), nn.BatchNorm1d(1))
    rules = [(r"^net\.", "")]

    found = load_checkpoint(net, path, strict=True, revise_keys=rules)

    trusted = torch.load(path, weights_only=False)  # this test wrote it itself
    assert same(found["state_dict"], trusted["state_dict"])
    assert same(found["ema_state_dict"], trusted["ema_state_dict"])
    wrapper = OptimWrapper(torch.optim.SGD(net.parameters(), lr=1.0, momentum=0.9))
    wrapper.load_state_dict(found["optimizer"])
    momentum = wrapper.optimizer.state[net[0].weight]["momentum_buffer"]
    assert torch.equal(momentum, trusted["optimizer"]["state"][0]["momentum_buffer"])
    warm_up = LinearLR(wrapper, start_factor=0.5, by_epoch=False, begin=0, end=4)
    decay = MultiStepLR(wrapper, milestones=[1], by_epoch=True)
    for scheduler, state in zip((warm_up, decay), found["param_schedulers"], strict=True):
        scheduler.load_state_dict(state)
    assert decay.global_step == trusted["param_schedulers"][1]["_global_step"]
    assert wrapper.optimizer.param_groups[0]["lr"] == pytest.approx(0.01)
    hub = MessageHub.get_instance("test_a_file_of_the_real_mmengine")
    hub.load_state_dict(found["message_hub"])
    assert hub.get_info("iter") == 7
    losses = trusted["message_hub"]["log_scalars"]["train/loss"].data[0]
    assert hub.get_scalar("train/loss").data[0].tolist() == pytest.approx(losses.tolist())
