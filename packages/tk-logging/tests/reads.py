"""Counting, exactly, how often a device is read."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

_METHODS = {
    *("item", "tolist", "numpy", "cpu", "__float__", "__int__", "__bool__", "__index__"),
    *("__array__", "__complex__", "__contains__", "nonzero", "equal", "allclose"),
}


class _Operators(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if "_local_scalar_dense" in str(func) or "is_nonzero" in str(func):
            self.reads.append(str(func))
        return func(*args, **(kwargs or {}))


class CountReads(TorchFunctionMode):
    """Records every call that makes the host wait for a tensor's values."""

    def __init__(self) -> None:
        super().__init__()
        self._operators = _Operators()
        self._calls: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        kwargs = kwargs or {}
        to_host = name == "to" and "cpu" in map(str, (*args[1:], *kwargs.values()))
        if name in _METHODS or to_host:
            before = len(self._operators.reads)
            result = func(*args, **kwargs)
            del self._operators.reads[before:]  # the same read, seen again from below
            self._calls.append(name)
            return result
        return func(*args, **kwargs)

    def __enter__(self) -> CountReads:
        super().__enter__()
        self._operators.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._operators.__exit__(*error)
        super().__exit__(*error)

    @property
    def reads(self) -> int:
        """How often something was read so far."""
        return len(self._calls) + len(self._operators.reads)


def tensor(value: float, **kwargs: Any) -> torch.Tensor:
    """A tensor without dimensions."""
    return torch.tensor(value, **kwargs)
