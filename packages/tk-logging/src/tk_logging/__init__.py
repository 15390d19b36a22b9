"""Loggers and a message hub whose scalars never stall the device."""

from .errors import LoggingError

__all__ = ["LoggingError"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # slow, and seldom asked

        return version("tk-logging")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
