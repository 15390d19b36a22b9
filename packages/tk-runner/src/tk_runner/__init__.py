"""Train, validate and test PyTorch models: runner, loops, hooks, models, data, checkpoints."""

from typing import TYPE_CHECKING

from .lazy_names import lazy_names

if TYPE_CHECKING:
    from .data import BaseDataset as BaseDataset
    from .data import ClassBalancedDataset as ClassBalancedDataset
    from .data import Compose as Compose
    from .data import ConcatDataset as ConcatDataset
    from .data import DefaultSampler as DefaultSampler
    from .data import InfiniteSampler as InfiniteSampler
    from .data import KeptLoader as KeptLoader
    from .data import PositionedLoader as PositionedLoader
    from .data import RepeatDataset as RepeatDataset
    from .data import default_collate as default_collate
    from .data import pseudo_collate as pseudo_collate
    from .data import with_position as with_position
    from .data import worker_init_fn as worker_init_fn
    from .errors import RunnerError as RunnerError
    from .structures import BaseDataElement as BaseDataElement
    from .structures import InstanceData as InstanceData
    from .structures import LabelData as LabelData
    from .structures import PixelData as PixelData

    __version__: str

# Public name to the module or sub-package that has it; one line a name, sorted.
# A new name stands here, among the imports above, and in tests/test_public_names.py.
_EXPORTS = {
    "BaseDataElement": "structures",
    "BaseDataset": "data",
    "ClassBalancedDataset": "data",
    "Compose": "data",
    "ConcatDataset": "data",
    "DefaultSampler": "data",
    "InfiniteSampler": "data",
    "InstanceData": "structures",
    "KeptLoader": "data",
    "LabelData": "structures",
    "PixelData": "structures",
    "PositionedLoader": "data",
    "RepeatDataset": "data",
    "RunnerError": "errors",
    "default_collate": "data",
    "pseudo_collate": "data",
    "with_position": "data",
    "worker_init_fn": "data",
}

__all__ = sorted(_EXPORTS)

if not TYPE_CHECKING:
    _get, __dir__ = lazy_names(__name__, _EXPORTS)

    def __getattr__(name):
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-runner")
        return _get(name)
