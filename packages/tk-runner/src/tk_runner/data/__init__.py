"""Data sets, samplers, batches, and loaders with an exact position."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .batch_order import Position as Position
    from .collate import COLLATE_FUNCTIONS as COLLATE_FUNCTIONS
    from .collate import default_collate as default_collate
    from .collate import pseudo_collate as pseudo_collate
    from .compose import Compose as Compose
    from .dataset import BaseDataset as BaseDataset
    from .errors import AnnotationError as AnnotationError
    from .errors import CollateError as CollateError
    from .errors import EmptyDatasetError as EmptyDatasetError
    from .errors import LoaderSettingsError as LoaderSettingsError
    from .errors import MetainfoError as MetainfoError
    from .errors import PositionError as PositionError
    from .errors import SampleError as SampleError
    from .errors import WorkerError as WorkerError
    from .initialise import force_full_init as force_full_init
    from .kept_loader import KeptLoader as KeptLoader
    from .positioned_loader import PositionedLoader as PositionedLoader
    from .rebuild import with_position as with_position
    from .sampler import DefaultSampler as DefaultSampler
    from .sampler import InfiniteSampler as InfiniteSampler
    from .sampler import ResumableSampler as ResumableSampler
    from .workers import worker_init_fn as worker_init_fn
    from .wrappers import ClassBalancedDataset as ClassBalancedDataset
    from .wrappers import ConcatDataset as ConcatDataset
    from .wrappers import RepeatDataset as RepeatDataset

_MODULE_OF = {
    "AnnotationError": "errors",
    "BaseDataset": "dataset",
    "COLLATE_FUNCTIONS": "collate",
    "ClassBalancedDataset": "wrappers",
    "CollateError": "errors",
    "Compose": "compose",
    "ConcatDataset": "wrappers",
    "DefaultSampler": "sampler",
    "EmptyDatasetError": "errors",
    "InfiniteSampler": "sampler",
    "KeptLoader": "kept_loader",
    "LoaderSettingsError": "errors",
    "MetainfoError": "errors",
    "Position": "batch_order",
    "PositionError": "errors",
    "PositionedLoader": "positioned_loader",
    "RepeatDataset": "wrappers",
    "ResumableSampler": "sampler",
    "SampleError": "errors",
    "WorkerError": "errors",
    "default_collate": "collate",
    "force_full_init": "initialise",
    "pseudo_collate": "collate",
    "with_position": "rebuild",
    "worker_init_fn": "workers",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
