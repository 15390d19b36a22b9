from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from tk_config import Config, UnsafeConfigError
from tk_registry import MODELS, RefusedNameError
from tk_runner import BaseModel, NotConfiguredError, load_model, save_checkpoint
from tk_runner.checkpoint.errors import KeyMismatchError

TEXT = "model = dict(type='InferToy', width=3)\n"


@MODELS.register_module()
class InferToy(BaseModel):
    def __init__(self, width: int = 2) -> None:
        super().__init__()
        self.net = nn.Linear(width, 1)

    def forward(self, rows, mode: str = "tensor"):
        return self.net(rows)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "a.pth"
    weights = InferToy(3).state_dict()
    meta = {"cfg": TEXT, "dataset_meta": {"classes": ["a"]}}
    save_checkpoint({"state_dict": weights, "meta": meta}, path)
    return path


@pytest.mark.parametrize("form", ["path", "text path", "config", "dict", "kept in the checkpoint"])
def test_a_config_may_come_in_every_form(tmp_path: Path, checkpoint: Path, form: str) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    cfg = {
        "path": tmp_path / "a.py",
        "text path": str(tmp_path / "a.py"),
        "config": Config.fromstring(TEXT, ".py"),
        "dict": {"model": {"type": InferToy, "width": 3}},
        "kept in the checkpoint": None,
    }[form]
    model = load_model(cfg, checkpoint, device="cpu")

    assert not model.training
    assert model.dataset_meta == {"classes": ["a"]}
    assert torch.equal(model.net.weight, load_model(None, checkpoint, "cpu").net.weight)


def test_the_model_predicts(checkpoint: Path) -> None:
    model = load_model(checkpoint=checkpoint, device="cpu")
    rows = torch.ones(2, 3)

    assert torch.equal(model.test_step({"rows": rows}), model.net(rows))


def test_weights_that_do_not_fit_are_refused(checkpoint: Path) -> None:
    with pytest.raises(KeyMismatchError, match=r"net\.weight"):
        load_model({"model": {"type": InferToy, "width": 5}}, checkpoint)


def test_a_text_in_a_checkpoint_is_never_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    text = f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n{TEXT}"
    save_checkpoint({"state_dict": {}, "meta": {"cfg": text}}, tmp_path / "a.pth")

    with pytest.raises(UnsafeConfigError):
        load_model(None, tmp_path / "a.pth")
    assert not mark.exists()


def test_a_name_in_a_checkpoint_reaches_nothing_but_registered_names(tmp_path: Path) -> None:
    text = "model = dict(type='subprocess.getoutput', cmd='true')\n"
    save_checkpoint({"state_dict": {}, "meta": {"cfg": text}}, tmp_path / "a.pth")

    with pytest.raises(RefusedNameError, match="subprocess"):
        load_model(None, tmp_path / "a.pth")


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    save_checkpoint({"state_dict": {}}, tmp_path / "a.pth")

    with pytest.raises(NotConfiguredError, match="no checkpoint is given; give cfg"):
        load_model()
    with pytest.raises(NotConfiguredError, match=r"a\.pth keeps no config; give cfg"):
        load_model(None, tmp_path / "a.pth")
    with pytest.raises(NotConfiguredError, match="no 'model'"):
        load_model({})
