"""Find classes by name and build them from plain dicts."""

from .errors import RegistryError

__all__ = ["RegistryError"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # slow, and seldom asked

        return version("tk-registry")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
