from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

PUBLIC = {
    "tk_runner": [
        "BaseDataElement",
        "BaseDataPreprocessor",
        "BaseDataset",
        "BaseLoop",
        "BaseModel",
        "BaseModule",
        "BaseTTAModel",
        "CheckpointLoader",
        "ClassBalancedDataset",
        "Compose",
        "ConcatDataset",
        "DefaultSampler",
        "EpochBasedTrainLoop",
        "ExponentialMovingAverage",
        "FolderInUseError",
        "Hook",
        "ImgDataPreprocessor",
        "InfiniteSampler",
        "InstanceData",
        "InvalidSettingsError",
        "IterBasedTrainLoop",
        "LabelData",
        "LogProcessor",
        "MMDistributedDataParallel",
        "MMSeparateDistributedDataParallel",
        "ModuleDict",
        "ModuleList",
        "MomentumAnnealingEMA",
        "NonFiniteLossError",
        "NotConfiguredError",
        "PixelData",
        "Priority",
        "RepeatDataset",
        "Runner",
        "RunnerError",
        "Sequential",
        "StatefulDataLoader",
        "StatefulLoader",
        "StochasticWeightAverage",
        "Stopped",
        "TestLoop",
        "ValLoop",
        "Visualizer",
        "WrappedLoader",
        "as_stateful",
        "collect_env",
        "default_collate",
        "find_latest_checkpoint",
        "get_priority",
        "get_state_dict",
        "load_checkpoint",
        "load_model",
        "load_state_dict",
        "pseudo_collate",
        "read_checkpoint",
        "save_checkpoint",
        "set_random_seed",
        "turn_on_activation_checkpointing",
        "weights_to_cpu",
        "worker_init_fn",
    ],
    "tk_runner.analysis": [
        "ActivationAnalyzer",
        "FlopAnalyzer",
        "activation_count",
        "flop_count",
        "get_model_complexity_info",
        "parameter_count",
        "parameter_count_table",
    ],
    "tk_runner.checkpoint": [
        "CheckpointError",
        "CheckpointLoader",
        "CorruptCheckpointError",
        "FORMAT_VERSION",
        "KEYS",
        "KeyMismatchError",
        "LoadReport",
        "MalformedStateError",
        "SchemeTakenError",
        "UnsafeCheckpointError",
        "average_weights",
        "check_plain",
        "convert_checkpoint",
        "find_latest_checkpoint",
        "get_state_dict",
        "load_checkpoint",
        "load_state_dict",
        "load_weights",
        "plain_values",
        "publish",
        "read_checkpoint",
        "save_checkpoint",
        "verify_checkpoint",
        "weights_of",
        "weights_to_cpu",
        "write_last_checkpoint",
    ],
    "tk_runner.data": [
        "AnnotationError",
        "BaseDataset",
        "Batch",
        "COLLATE_FUNCTIONS",
        "ClassBalancedDataset",
        "CollateError",
        "Compose",
        "ConcatDataset",
        "DefaultSampler",
        "EmptyDatasetError",
        "InfiniteSampler",
        "LoaderSettingsError",
        "MetainfoError",
        "Position",
        "PositionError",
        "RepeatDataset",
        "ResumableSampler",
        "SampleError",
        "StatefulDataLoader",
        "StatefulLoader",
        "WorkerError",
        "WrappedLoader",
        "as_stateful",
        "default_collate",
        "force_full_init",
        "pseudo_collate",
        "worker_init_fn",
    ],
    "tk_runner.hooks": [
        "CheckpointHook",
        "DistSamplerSeedHook",
        "EMAHook",
        "EarlyStoppingHook",
        "EmptyCacheHook",
        "Hook",
        "HookPoints",
        "IterTimerHook",
        "LoggerHook",
        "NaNGuardHook",
        "ParamSchedulerHook",
        "PrepareTTAHook",
        "ProfilerHook",
        "RuntimeInfoHook",
        "SyncBuffersHook",
        "VisualizationHook",
    ],
    "tk_runner.loops": [
        "BaseLoop",
        "EpochBasedTrainLoop",
        "IterBasedTrainLoop",
        "TestLoop",
        "ValLoop",
        "calc_dynamic_intervals",
    ],
    "tk_runner.strategy": [
        "BaseStrategy",
        "DDPStrategy",
        "SingleDeviceStrategy",
    ],
    "tk_runner.model": [
        "AverageMismatchError",
        "BaseAveragedModel",
        "BaseDataPreprocessor",
        "BaseInit",
        "BaseModel",
        "BaseModule",
        "BaseTTAModel",
        "Caffe2XavierInit",
        "ConstantInit",
        "ExponentialMovingAverage",
        "ImgDataPreprocessor",
        "InitializationError",
        "KaimingInit",
        "MMDistributedDataParallel",
        "MMSeparateDistributedDataParallel",
        "ModelSettingsError",
        "ModelTypeError",
        "ModelWithLoss",
        "ModuleDict",
        "ModuleList",
        "MomentumAnnealingEMA",
        "NormalInit",
        "PlainModel",
        "PretrainedInit",
        "Sequential",
        "StochasticWeightAverage",
        "TruncNormalInit",
        "UniformInit",
        "XavierInit",
        "as_trainable",
        "bias_init_with_prob",
        "caffe2_xavier_init",
        "constant_init",
        "convert_sync_batchnorm",
        "detect_anomalous_params",
        "initialize",
        "is_model_wrapper",
        "kaiming_init",
        "merge_dict",
        "normal_init",
        "parse_losses",
        "revert_sync_batchnorm",
        "stack_batch",
        "trunc_normal_init",
        "turn_on_efficient_conv_bn_eval",
        "uniform_init",
        "update_init_info",
        "xavier_init",
    ],
    "tk_runner.structures": [
        "BaseDataElement",
        "FieldNameError",
        "FieldShapeError",
        "FieldTypeError",
        "InstanceData",
        "LabelData",
        "PixelData",
    ],
    "tk_runner.visualization": [
        "BaseVisBackend",
        "ImageDrawing",
        "LocalVisBackend",
        "TensorboardVisBackend",
        "Visualizer",
        "draw_featmap",
        "draw_sample",
    ],
}


@pytest.mark.parametrize("package", PUBLIC)
def test_the_public_names_are_exactly_these(package: str) -> None:
    module = importlib.import_module(package)

    assert module.__all__ == PUBLIC[package]
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_is_there_and_bears_its_name(package: str) -> None:
    module = importlib.import_module(package)

    for name in module.__all__:
        value = getattr(module, name)
        assert getattr(value, "__name__", name) == name


@pytest.mark.parametrize("package", PUBLIC)
def test_a_type_checker_sees_the_same_names(package: str) -> None:
    source = Path(importlib.import_module(package).__file__ or "").read_text(encoding="utf-8")
    (block,) = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    seen = [
        alias.asname
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]

    assert sorted(filter(None, seen)) == PUBLIC[package]


def test_importing_the_packages_loads_no_torch() -> None:
    code = f"import sys; sys.modules['torch'] = None; import {', '.join(PUBLIC)}; dir(tk_runner)"

    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    import tk_runner

    with pytest.raises(AttributeError, match=r"'PixelDat'.*did you mean 'PixelData'"):
        tk_runner.PixelDat


def test_the_version_is_that_of_the_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    import tk_runner

    monkeypatch.setattr("importlib.metadata.version", lambda name: f"version of {name}")

    assert tk_runner.__version__ == "version of tk-runner"
