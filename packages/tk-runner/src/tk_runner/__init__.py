"""Train, validate and test PyTorch models: runner, loops, hooks, models, data, checkpoints."""

from typing import TYPE_CHECKING

from .lazy_names import lazy_names

if TYPE_CHECKING:
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
    "InstanceData": "structures",
    "LabelData": "structures",
    "PixelData": "structures",
    "RunnerError": "errors",
}

__all__ = sorted(_EXPORTS)

if not TYPE_CHECKING:
    _get, __dir__ = lazy_names(__name__, _EXPORTS)

    def __getattr__(name):
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-runner")
        return _get(name)
