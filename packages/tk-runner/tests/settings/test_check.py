from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from torch.utils.data import Dataset

from tk_config import Config
from tk_evaluator import BaseMetric
from tk_registry import DATASETS, METRICS, MODELS
from tk_runner import BaseModel, InvalidSettingsError, Runner
from tk_runner.settings.check import ConfigMistake, config_problems, runner_arguments


@MODELS.register_module()
class CheckedModel(BaseModel):
    def __init__(self, width: int) -> None:
        super().__init__()

    def forward(self, *args: Any, **kwargs: Any) -> Any: ...


@DATASETS.register_module()
class CheckedData(Dataset):
    def __init__(self, length: int = 3) -> None: ...


@METRICS.register_module()
class CheckedMetric(BaseMetric):
    def process(self, data_batch, data_samples) -> None: ...
    def compute_metrics(self, results): ...


GOOD = """
model = dict(type="CheckedModel", width=4)
work_dir = "work"
my_own_variable = 3
train_dataloader = dict(batch_size=2, dataset=dict(type="CheckedData"), sampler=dict(type="DefaultSampler"))
train_cfg = dict(by_epoch=True, max_epochs=2)
optim_wrapper = dict(type="AmpOptimWrapper", optimizer=dict(type="SGD", lr=0.1), paramwise_cfg=dict())
param_scheduler = [dict(type="LinearLR", start_factor=0.1)]
val_dataloader = dict(b=dict(dataset=dict(type="CheckedData")), a=dict(dataset=dict(type="CheckedData", length=3)))
val_evaluator = dict(a=dict(type="CheckedMetric"), b=[dict(type="CheckedMetric", prefix="b")])
default_hooks = dict(timer=None, early=dict(type="EarlyStoppingHook", monitor="x", priority=80))
custom_hooks = [dict(type="EMAHook", priority="LOW")]
visualizer = dict(type="Visualizer", vis_backends=[dict(type="LocalVisBackend", name="here")])
log_processor = dict(type="LogProcessor", window_size=5)
"""  # noqa: E501  # a config


def problems(folder: Path, text: str) -> list[ConfigMistake]:
    path = folder / "cfg.py"
    path.write_text(text.lstrip())
    return config_problems(Config.fromfile(path), runner_arguments(Runner))


def test_a_config_of_every_section_has_no_mistake(tmp_path: Path) -> None:
    assert problems(tmp_path, GOOD) == []


MISTAKES = """
type="CheckedModel" | type="CheckedModle" | model.type | 1 | 'CheckedModel'?
width=4 | widht=4 | model.widht | 1 | did you mean 'width'?
, width=4 |  | model | 1 | 'width'
width=4 | width='x' | model.width | 1 | must be int
train_dataloader = | train_dataloder = | train_dataloder | 4 | 'train_dataloader'?
batch_size=2 | batch_size=0 | train_dataloader.batch_size | 4 | a whole number of 1 or more
batch_size=2 | batch_size=2, num_workers=-1 | train_dataloader.num_workers | 4 | 0 or more, got -1
batch_size=2 | batchsize=2 | train_dataloader.batchsize | 4 | 'batch_size'?
"DefaultSampler" | "DefSampler" | train_dataloader.sampler.type | 4 | DefaultSampler
length=3 | lenght=3 | val_dataloader.a.dataset.lenght | 8 | 'length'?
"SGD" | "SDG" | optim_wrapper.optimizer.type | 6 | 'SGD'
"AmpOptimWrapper" | "AmpWrapper" | optim_wrapper.type | 6 | AmpOptimWrapper
start_factor=0.1 | start_factor='a' | param_scheduler.0.start_factor | 7 | must be float
prefix="b" | prefx="b" | val_evaluator.b.0.prefx | 9 | 'prefix'?
monitor="x" | monitr="x" | default_hooks.early.monitr | 10 | 'monitor'?
"EMAHook" | "EMAHok" | custom_hooks.0.type | 11 | 'EMAHook'?
"LocalVisBackend" | "LocalBackend" | visualizer.vis_backends.0.type | 12 | LocalVisBackend
window_size=5 | window=5 | log_processor.window | 13 | 'window_size'
"""
ROWS = [[cell.strip() for cell in row.split(" | ")] for row in MISTAKES.strip().splitlines()]


@pytest.mark.parametrize(
    ("right", "wrong", "path", "line", "message"), ROWS, ids=[row[2] for row in ROWS]
)
def test_each_mistake_is_found_where_it_stands(
    tmp_path: Path, right: str, wrong: str, path: str, line: str, message: str
) -> None:
    assert right in GOOD
    found = problems(tmp_path, GOOD.replace(right, wrong))

    (there,) = [one for one in found if one.path == path]
    assert there.origin is not None
    assert there.origin.endswith(f"cfg.py:{line}")
    assert message in there.message


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("width=4", "widht=4").replace('"SGD"', '"SDG"').replace("EMAHook", "EMA")
    (tmp_path / "cfg.py").write_text(text)
    cfg = Config.fromfile(tmp_path / "cfg.py")
    with pytest.raises(InvalidSettingsError, match="this run cannot start") as caught:
        Runner.from_cfg(cfg)

    for part in ("model.widht", "optim_wrapper.optimizer.type", "custom_hooks.0.type"):
        assert part in str(caught.value)
    assert not (tmp_path / "work").exists()


def test_parts_that_every_run_needs_are_named() -> None:
    found = config_problems(Config({}), runner_arguments(Runner))

    assert [str(one) for one in found] == [
        "the config has no 'model', which every run needs",
        "the config has no 'work_dir', which every run needs",
    ]


def test_partners_that_are_missing_are_told_before_anything_is_built(tmp_path: Path) -> None:
    found = problems(tmp_path, GOOD.replace("train_cfg =", "other ="))

    assert any("given without train_cfg" in one.message for one in found)


def test_what_is_built_already_is_left_alone() -> None:
    cfg: dict[str, Any] = {
        "model": CheckedModel(1),
        "work_dir": "work",
        "val_dataloader": {"dataset": CheckedData()},
        "val_evaluator": CheckedMetric(),
    }

    assert config_problems(Config(cfg), runner_arguments(Runner)) == []


def test_an_optimizer_in_the_place_of_its_wrapper_is_a_mistake(tmp_path: Path) -> None:
    wrong = GOOD + 'optim_wrapper = dict(type="SGD", lr=0.1)\n'

    (found,) = problems(tmp_path, wrong)

    assert "optim_wrapper has no 'optimizer'" in str(found)
    assert "cfg.py:14: " in str(found)
