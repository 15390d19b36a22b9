"""Config files as MMEngine users know them: read, used, inherited, changed, and run.

Only imports differ, and what the known examples get wrong:

- ``Runner.build_from_cfg(config)`` is called ``Runner.from_cfg``.
- ``TextLoggerHook`` is called ``LoggerHook``.
- ``val_dataloader = ...`` and ``pipeline=[...]`` are unfinished lines.
- The metric ``Accuracy`` of another library is one of ours, and reads other fields.
- ``dist_cfg=dict(backend='nccl')`` needs CUDA devices, which a test cannot assume.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import toy_training
from torch import nn

from tk_config import Config, DuplicateKeyError
from tk_registry import DATASETS, MODELS, OPTIMIZERS, Registry
from tk_runner import BaseModel, InvalidSettingsError, Runner

FORMATS = {
    "config.py": """
test_int = 1
test_list = [1, 2, 3]
test_dict = dict(key1='value1', key2=0.1)
""",
    "config.json": """
{
  "test_int": 1,
  "test_list": [1, 2, 3],
  "test_dict": {"key1": "value1", "key2": 0.1}
}
""",
    "config.yml": """
test_int: 1
test_list: [1, 2, 3]
test_dict:
  key1: "value1"
  key2: 0.1
""",
}

BASES = {
    "optimizer_cfg.py": "optimizer = dict(type='SGD', lr=0.02, momentum=0.9, weight_decay=0.0001)",
    "runtime_cfg.py": "gpu_ids = [0, 1]",
}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in BASES.items():
        Path(name).write_text(text)


def read(text: str, name: str = "child.py") -> Config:
    Path(name).write_text(text)
    return Config.fromfile(name)


@pytest.mark.parametrize(("name", "text"), FORMATS.items(), ids=FORMATS)
def test_each_format_gives_the_same_values(name: str, text: str) -> None:
    cfg = read(text, name)

    assert str(cfg) == (
        f"Config (path: {name}): {{'test_int': 1, 'test_list': [1, 2, 3], "
        "'test_dict': {'key1': 'value1', 'key2': 0.1}}"
    )


def test_values_are_read_and_set_as_attributes_and_as_items() -> None:
    cfg = read(FORMATS["config.py"], "learn_read_config.py")
    assert (cfg.test_int, cfg.test_list) == (1, [1, 2, 3])
    assert cfg.test_dict == {"key1": "value1", "key2": 0.1}

    cfg.test_int = 2
    cfg["test_list"][1] = 3

    assert (cfg["test_int"], cfg["test_list"]) == (2, [1, 3, 3])
    assert cfg["test_dict"]["key1"] == cfg.test_dict.key1 == "value1"


def test_an_optimizer_is_built_from_a_config_that_was_given_its_parameters() -> None:
    text = "optimizer = dict(type='SGD', lr=0.1, momentum=0.9, weight_decay=0.0001)"
    cfg = read(text, "config_sgd.py")
    model = nn.Conv2d(1, 1, 1)
    cfg.optimizer.params = model.parameters()
    optimizer = OPTIMIZERS.build(cfg.optimizer)

    (group,) = optimizer.param_groups
    assert isinstance(optimizer, torch.optim.SGD)
    assert (group["lr"], group["momentum"], group["weight_decay"]) == (0.1, 0.9, 0.0001)
    assert len(group["params"]) == 2


def test_a_config_has_what_its_base_has() -> None:
    cfg = read("_base_ = ['optimizer_cfg.py']\nmodel = dict(type='ResNet', depth=50)")

    assert str(cfg.optimizer) == str(
        {"type": "SGD", "lr": 0.02, "momentum": 0.9, "weight_decay": 0.0001}
    )


def test_a_config_has_what_all_of_its_bases_have() -> None:
    cfg = read(
        "_base_ = ['optimizer_cfg.py', 'runtime_cfg.py']\nmodel = dict(type='ResNet', depth=50)"
    )

    assert set(cfg) == {"model", "optimizer", "gpu_ids"}


def test_two_bases_with_one_name_are_refused() -> None:
    Path("other_cfg.py").write_text("optimizer = dict(type='Adam')")

    with pytest.raises(DuplicateKeyError, match="optimizer"):
        read("_base_ = ['optimizer_cfg.py', 'other_cfg.py']")


def test_a_key_of_an_inherited_dict_is_changed_and_the_others_stay() -> None:
    cfg = read("_base_ = ['optimizer_cfg.py', 'runtime_cfg.py']\noptimizer = dict(lr=0.01)")

    assert cfg.optimizer == {"type": "SGD", "lr": 0.01, "momentum": 0.9, "weight_decay": 0.0001}


def test_a_list_is_replaced() -> None:
    cfg = read("_base_ = ['optimizer_cfg.py', 'runtime_cfg.py']\ngpu_ids = [0]")

    assert cfg.gpu_ids == [0]


def test_delete_drops_every_inherited_key() -> None:
    cfg = read(
        "_base_ = ['optimizer_cfg.py', 'runtime_cfg.py']\n"
        "optimizer = dict(_delete_=True, type='SGD', lr=0.01)"
    )

    assert cfg.optimizer == {"type": "SGD", "lr": 0.01}


def test_values_of_the_base_are_used_by_name() -> None:
    cfg = read(
        "_base_ = ['optimizer_cfg.py', 'runtime_cfg.py']\n"
        "rate = {{_base_.optimizer.lr}}\n"
        "name = 'lr {{_base_.optimizer.lr}}'\n"
        "optimizer = dict(lr=_base_.optimizer.lr * 2)\n"
    )

    assert (cfg.rate, cfg.name, cfg.optimizer.lr) == (0.02, "lr 0.02", 0.04)


# A classifier in parts, registered by another project under a scope of its own.
PROJECT_MODELS = Registry("model", parent=MODELS, scope="mmcls")
PROJECT_DATASETS = Registry("dataset", parent=DATASETS, scope="mmcls")


@PROJECT_MODELS.register_module()
class ResNet(nn.Sequential):
    def __init__(self, depth: int) -> None:
        super().__init__(nn.Linear(8, depth), nn.ReLU())


@PROJECT_MODELS.register_module()
class LinearClsHead(nn.Linear):
    def __init__(self, num_classes: int, in_channels: int) -> None:
        super().__init__(in_channels, num_classes)


@PROJECT_MODELS.register_module()
class ImageClassifier(BaseModel):
    def __init__(self, backbone: Any, head: Any, data_preprocessor: Any = None) -> None:
        super().__init__(data_preprocessor)
        self.backbone = MODELS.build(backbone)
        self.head = MODELS.build(head)

    def forward(self, img: torch.Tensor, label: torch.Tensor, mode: str = "tensor") -> Any:
        scores = self.head(self.backbone(img))
        if mode == "loss":
            return {"loss": nn.functional.cross_entropy(scores, label)}
        return [
            {"pred_score": score, "gt_label": one} for score, one in zip(scores, label, strict=True)
        ]


@PROJECT_DATASETS.register_module()
class ImageNet(toy_training.Points):
    def __init__(self, pipeline: Any = ()) -> None:
        super().__init__()


TYPICAL = """
work_dir = './train_resnet'
default_scope = 'mmcls'
model = dict(type='ImageClassifier',
             backbone=dict(type='ResNet', depth=16),
             head=dict(type='LinearClsHead', num_classes=2, in_channels=16))
train_dataloader = dict(dataset=dict(type='ImageNet', pipeline=[]),
                        sampler=dict(type='DefaultSampler', shuffle=True),
                        collate_fn=dict(type='default_collate'),
                        batch_size=32,
                        num_workers=0)
val_dataloader = dict(dataset=dict(type='ImageNet', pipeline=[]),
                      collate_fn=dict(type='default_collate'),
                      sampler=dict(type='DefaultSampler', shuffle=False), batch_size=32)
test_dataloader = val_dataloader
optim_wrapper = dict(
    optimizer=dict(type='SGD', lr=0.1, momentum=0.9, weight_decay=0.0001))
param_scheduler = dict(
    type='MultiStepLR', by_epoch=True, milestones=[30, 60, 90], gamma=0.1)
val_evaluator = dict(type='Accuracy')
test_evaluator = dict(type='Accuracy')
train_cfg = dict(by_epoch=True, max_epochs=3, val_begin=2, val_interval=1)
val_cfg = dict()
test_cfg = dict()
custom_hooks = [dict(type='EMAHook', priority='LOWEST')]
default_hooks = dict(
    runtime_info=dict(type='RuntimeInfoHook'),
    timer=dict(type='IterTimerHook'),
    sampler_seed=dict(type='DistSamplerSeedHook'),
    logger=dict(type='LoggerHook'),
    param_scheduler=dict(type='ParamSchedulerHook'),
    checkpoint=dict(type='CheckpointHook', interval=1),
)
env_cfg = dict(
    cudnn_benchmark=False,
    dist_cfg=dict(backend='gloo'),
    mp_cfg=dict(mp_start_method='fork')
)
log_processor = dict(type='LogProcessor', window_size=50, by_epoch=True)
log_level = 'INFO'
load_from = None
resume = False
"""


def test_a_typical_config_trains_and_tests_a_model_of_another_project() -> None:
    Path("configs").mkdir()
    config = read(TYPICAL, "configs/resnet50.py")

    runner = Runner.from_cfg(config)
    runner.train()
    metrics = runner.test()

    assert set(metrics) == {"accuracy/top1"}
    assert len(runner.message_hub.get_scalar("val/accuracy/top1").data[0]) == 2  # epochs 2 and 3
    assert {path.name for path in Path("train_resnet").glob("*.p*")} == {
        "epoch_1.pth",
        "epoch_2.pth",
        "epoch_3.pth",
        "resnet50.py",
    }


def test_from_another_file_only_the_weights_are_loaded_from() -> None:
    config = read(TYPICAL)
    Runner.from_cfg(config).train()
    config.load_from = "./train_resnet/epoch_3.pth"

    runner = Runner.from_cfg(config)
    metrics = runner.test()

    saved = torch.load(config.load_from)["state_dict"]
    assert runner.optim_wrapper is None
    assert all(torch.equal(saved[name], own) for name, own in runner.model.state_dict().items())
    assert set(metrics) == {"accuracy/top1"}


def test_resume_goes_on_from_the_newest_checkpoint() -> None:
    config = read(TYPICAL)
    Runner.from_cfg(config).train()
    config.resume = True
    config.train_cfg.max_epochs = 4

    runner = Runner.from_cfg(config)
    runner.train()

    assert runner.epoch == 4
    assert len(runner.message_hub.get_scalar("train/loss").data[0]) == 8


def test_a_hook_of_an_old_name_is_reported_with_its_line_before_anything_is_built() -> None:
    config = read(TYPICAL.replace("'LoggerHook'", "'TextLoggerHook'"))

    with pytest.raises(InvalidSettingsError, match=r"child\.py:\d+.*TextLoggerHook.*LoggerHook"):
        Runner.from_cfg(config)
