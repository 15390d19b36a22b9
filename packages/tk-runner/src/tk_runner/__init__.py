"""Train, validate and test PyTorch models: runner, loops, hooks, models, data, checkpoints."""

from .errors import RunnerError

__all__ = ["RunnerError"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version  # slow, and seldom asked

        return version("tk-runner")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
