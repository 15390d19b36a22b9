"""Data sets, samplers, batches, and loaders whose place can be saved."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .batch_order import Position as Position
    from .collate import COLLATE_FUNCTIONS as COLLATE_FUNCTIONS
    from .collate import default_collate as default_collate
    from .collate import pseudo_collate as pseudo_collate
    from .compose import Compose as Compose
    from .conversion import as_stateful as as_stateful
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
    from .sampler import DefaultSampler as DefaultSampler
    from .sampler import InfiniteSampler as InfiniteSampler
    from .sampler import ResumableSampler as ResumableSampler
    from .stateful_data_loader import StatefulDataLoader as StatefulDataLoader
    from .stateful_loader import Batch as Batch
    from .stateful_loader import StatefulLoader as StatefulLoader
    from .workers import worker_init_fn as worker_init_fn
    from .wrapped_loader import WrappedLoader as WrappedLoader
    from .wrappers import ClassBalancedDataset as ClassBalancedDataset
    from .wrappers import ConcatDataset as ConcatDataset
    from .wrappers import RepeatDataset as RepeatDataset

_MODULE_OF = {
    "AnnotationError": "errors",
    "BaseDataset": "dataset",
    "Batch": "stateful_loader",
    "COLLATE_FUNCTIONS": "collate",
    "ClassBalancedDataset": "wrappers",
    "CollateError": "errors",
    "Compose": "compose",
    "ConcatDataset": "wrappers",
    "DefaultSampler": "sampler",
    "EmptyDatasetError": "errors",
    "InfiniteSampler": "sampler",
    "LoaderSettingsError": "errors",
    "MetainfoError": "errors",
    "Position": "batch_order",
    "PositionError": "errors",
    "RepeatDataset": "wrappers",
    "ResumableSampler": "sampler",
    "SampleError": "errors",
    "StatefulDataLoader": "stateful_data_loader",
    "StatefulLoader": "stateful_loader",
    "WorkerError": "errors",
    "WrappedLoader": "wrapped_loader",
    "as_stateful": "conversion",
    "default_collate": "collate",
    "force_full_init": "initialise",
    "pseudo_collate": "collate",
    "worker_init_fn": "workers",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
