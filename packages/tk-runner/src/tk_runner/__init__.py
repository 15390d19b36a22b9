"""Train, validate and test PyTorch models: runner, loops, hooks, models, data, checkpoints."""

from typing import TYPE_CHECKING

from .lazy_names import lazy_names

if TYPE_CHECKING:
    from .checkpoint import CheckpointLoader as CheckpointLoader
    from .checkpoint import find_latest_checkpoint as find_latest_checkpoint
    from .checkpoint import get_state_dict as get_state_dict
    from .checkpoint import load_checkpoint as load_checkpoint
    from .checkpoint import load_state_dict as load_state_dict
    from .checkpoint import read_checkpoint as read_checkpoint
    from .checkpoint import save_checkpoint as save_checkpoint
    from .checkpoint import weights_to_cpu as weights_to_cpu
    from .data import BaseDataset as BaseDataset
    from .data import ClassBalancedDataset as ClassBalancedDataset
    from .data import Compose as Compose
    from .data import ConcatDataset as ConcatDataset
    from .data import DefaultSampler as DefaultSampler
    from .data import InfiniteSampler as InfiniteSampler
    from .data import RepeatDataset as RepeatDataset
    from .data import StatefulDataLoader as StatefulDataLoader
    from .data import StatefulLoader as StatefulLoader
    from .data import WrappedLoader as WrappedLoader
    from .data import as_stateful as as_stateful
    from .data import default_collate as default_collate
    from .data import pseudo_collate as pseudo_collate
    from .data import worker_init_fn as worker_init_fn
    from .errors import FolderInUseError as FolderInUseError
    from .errors import InvalidSettingsError as InvalidSettingsError
    from .errors import NonFiniteLossError as NonFiniteLossError
    from .errors import NotConfiguredError as NotConfiguredError
    from .errors import RunnerError as RunnerError
    from .errors import Stopped as Stopped
    from .hooks import Hook as Hook
    from .hooks.priority import Priority as Priority
    from .hooks.priority import get_priority as get_priority
    from .infer import load_model as load_model
    from .log_lines.log_processor import LogProcessor as LogProcessor
    from .loops import BaseLoop as BaseLoop
    from .loops import EpochBasedTrainLoop as EpochBasedTrainLoop
    from .loops import IterBasedTrainLoop as IterBasedTrainLoop
    from .loops import TestLoop as TestLoop
    from .loops import ValLoop as ValLoop
    from .model import BaseDataPreprocessor as BaseDataPreprocessor
    from .model import BaseModel as BaseModel
    from .model import BaseModule as BaseModule
    from .model import BaseTTAModel as BaseTTAModel
    from .model import ExponentialMovingAverage as ExponentialMovingAverage
    from .model import ImgDataPreprocessor as ImgDataPreprocessor
    from .model import MMDistributedDataParallel as MMDistributedDataParallel
    from .model import MMSeparateDistributedDataParallel as MMSeparateDistributedDataParallel
    from .model import ModuleDict as ModuleDict
    from .model import ModuleList as ModuleList
    from .model import MomentumAnnealingEMA as MomentumAnnealingEMA
    from .model import Sequential as Sequential
    from .model import StochasticWeightAverage as StochasticWeightAverage
    from .model.activation_checkpointing import (
        turn_on_activation_checkpointing as turn_on_activation_checkpointing,
    )
    from .process.environment import collect_env as collect_env
    from .process.seed import set_random_seed as set_random_seed
    from .runner import Runner as Runner
    from .structures import BaseDataElement as BaseDataElement
    from .structures import InstanceData as InstanceData
    from .structures import LabelData as LabelData
    from .structures import PixelData as PixelData
    from .visualization import Visualizer as Visualizer

    __version__: str

# Public name to the module or sub-package that has it; one line a name, sorted.
# A new name stands here, among the imports above, and in tests/test_public_names.py.
_MODULE_OF = {
    "BaseDataElement": "structures",
    "BaseDataPreprocessor": "model",
    "BaseDataset": "data",
    "BaseLoop": "loops",
    "BaseModel": "model",
    "BaseModule": "model",
    "BaseTTAModel": "model",
    "CheckpointLoader": "checkpoint",
    "ClassBalancedDataset": "data",
    "Compose": "data",
    "ConcatDataset": "data",
    "DefaultSampler": "data",
    "EpochBasedTrainLoop": "loops",
    "ExponentialMovingAverage": "model",
    "FolderInUseError": "errors",
    "Hook": "hooks",
    "ImgDataPreprocessor": "model",
    "InfiniteSampler": "data",
    "InstanceData": "structures",
    "InvalidSettingsError": "errors",
    "IterBasedTrainLoop": "loops",
    "LabelData": "structures",
    "LogProcessor": "log_lines.log_processor",
    "MMDistributedDataParallel": "model",
    "MMSeparateDistributedDataParallel": "model",
    "ModuleDict": "model",
    "ModuleList": "model",
    "MomentumAnnealingEMA": "model",
    "NonFiniteLossError": "errors",
    "NotConfiguredError": "errors",
    "PixelData": "structures",
    "Priority": "hooks.priority",
    "RepeatDataset": "data",
    "Runner": "runner",
    "RunnerError": "errors",
    "Sequential": "model",
    "StatefulDataLoader": "data",
    "StatefulLoader": "data",
    "StochasticWeightAverage": "model",
    "Stopped": "errors",
    "TestLoop": "loops",
    "ValLoop": "loops",
    "Visualizer": "visualization",
    "WrappedLoader": "data",
    "as_stateful": "data",
    "collect_env": "process.environment",
    "default_collate": "data",
    "find_latest_checkpoint": "checkpoint",
    "get_priority": "hooks.priority",
    "get_state_dict": "checkpoint",
    "load_checkpoint": "checkpoint",
    "load_model": "infer",
    "load_state_dict": "checkpoint",
    "pseudo_collate": "data",
    "read_checkpoint": "checkpoint",
    "save_checkpoint": "checkpoint",
    "set_random_seed": "process.seed",
    "turn_on_activation_checkpointing": "model.activation_checkpointing",
    "weights_to_cpu": "checkpoint",
    "worker_init_fn": "data",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    _get, __dir__ = lazy_names(__name__, _MODULE_OF)

    def __getattr__(name):
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-runner")
        return _get(name)
