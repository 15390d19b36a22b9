"""Collectives that also work with one process; launch; devices."""

from .errors import DistError

__all__ = ["DistError"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # slow, and seldom asked

        return version("tk-dist")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
