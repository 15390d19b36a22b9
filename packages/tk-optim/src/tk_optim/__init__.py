"""Optimizer wrappers, parameter-wise options and parameter schedules."""

from .errors import OptimError

__all__ = ["OptimError"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # slow, and seldom asked

        return version("tk-optim")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
