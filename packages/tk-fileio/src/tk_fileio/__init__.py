"""One interface over storage backends and file formats."""

from .errors import FileIOError

__all__ = ["FileIOError"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # slow, and seldom asked

        return version("tk-fileio")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
