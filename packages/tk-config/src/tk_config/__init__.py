"""Python, YAML, JSON and TOML configs with inheritance, overrides and provenance."""

from .errors import ConfigError

__all__ = ["ConfigError"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # slow, and seldom asked

        return version("tk-config")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
