"""What set each parameter of a model, while its weights are initialised.

A change is seen by torch's own counter of writes and by the sum of the bits, so that a
write of equal values and one through ``.data`` both count. One record belongs to
the outermost ``init_weights`` call, in a context variable.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from tk_dist import is_main_process

from ..errors import InitializationError

logger = logging.getLogger("tk.runner")
UNCHANGED = "as its constructor left it"
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_current: ContextVar[InitRecord | None] = ContextVar("tk_runner_init_record", default=None)


@dataclass
class _Sighting:
    """A parameter as it was after something may have set it."""

    source: str
    version: int
    bits: Tensor | None  # on its device; read when all of them are


class InitRecord:
    """Names of parameters to what set them last; values are read once, in the end.

    Args:
        module: the model whose weights are about to be initialised.
    """

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._params = list(module.parameters())  # kept alive, so that ids stay theirs
        self._names = {id(param): name for name, param in module.named_parameters()}
        self._seen = {id(param): [_sighting(param, UNCHANGED)] for param in self._params}

    def note(self, module: nn.Module, source: str) -> None:
        """What changed below ``module`` since the last note was set by ``source``.

        Raises:
            InitializationError: a parameter is new.
        """
        for name, param in module.named_parameters():
            if id(param) not in self._names:
                raise InitializationError(
                    f"{type(module).__name__} got the new parameter {name!r} while weights were "
                    "initialised; change parameters in place, and make them in the constructor"
                )
            self._seen[id(param)].append(_sighting(param, source))

    def lines(self) -> list[str]:
        """A line for each parameter."""
        sums = _read([one.bits for seen in self._seen.values() for one in seen])
        lines = []
        for param in self._params:
            seen = self._seen[id(param)]
            marks = [(one.version, sums[id(one.bits)]) for one in seen]
            set_by = [
                one.source
                for one, mark, before in zip(seen[1:], marks[1:], marks, strict=False)
                if mark != before
            ]
            source = set_by[-1] if set_by else UNCHANGED
            lines.append(f"{self._names[id(param)]} {_shape(param)}: {source}")
        return lines


@contextmanager
def recording(module: nn.Module) -> Iterator[None]:
    """Inside, it is recorded what sets parameters; the outermost writes it to the log."""
    if _current.get() is not None:
        yield
        return
    record = InitRecord(module)
    token = _current.set(record)
    try:
        yield
    finally:
        _current.reset(token)
    record.note(module, f"init_weights() of {type(module).__name__}")
    _write(record, type(module).__name__)


def update_init_info(module: nn.Module, init_info: str) -> None:
    """Say, inside of an ``init_weights``, what set the parameters of ``module`` just now."""
    record = _current.get()
    if record is not None:
        record.note(module, init_info)


def _write(record: InitRecord, name: str) -> None:
    """To log files where there are any, since it is long; else to the log."""
    if not is_main_process():
        return
    text = "\n  ".join([f"what set each parameter of {name}:", *record.lines()])
    files = list(_file_handlers(logger))
    if not files:
        logger.info("%s", text)
        return
    entry = logger.makeRecord(logger.name, logging.INFO, __file__, 0, text, (), None)
    for handler in files:
        if entry.levelno >= handler.level:
            handler.handle(entry)


def _file_handlers(start: logging.Logger) -> Iterator[logging.FileHandler]:
    """Those of ours; the root logger's belong to the application and get all of the log."""
    here: logging.Logger | None = start
    while here is not None and here is not here.root:
        yield from (one for one in here.handlers if isinstance(one, logging.FileHandler))
        here = here.parent if here.propagate else None


def _sighting(param: nn.Parameter, source: str) -> _Sighting:
    if has_no_shape(param):
        return _Sighting(source, 0, None)
    if param.is_meta or not param.numel() or param.is_sparse or param.is_quantized:
        return _Sighting(source, param._version, None)
    values = param.detach()
    if values.is_complex():
        values = torch.view_as_real(values)
    bits = values.contiguous().view(_BITS[values.element_size()])
    return _Sighting(source, param._version, bits.sum(dtype=torch.int64))


def _read(sums: list[Tensor | None]) -> dict[int, int]:
    """The values of all sums by the identity of their tensors; one read for each device."""
    by_device: dict[torch.device, list[Tensor]] = {}
    for one in sums:
        if one is not None:
            by_device.setdefault(one.device, []).append(one)
    found = {id(None): 0}
    for tensors in by_device.values():
        values = torch.stack(tensors).tolist()
        found.update({id(one): value for one, value in zip(tensors, values, strict=True)})
    return found


def _shape(param: nn.Parameter) -> object:
    return "(no shape yet)" if has_no_shape(param) else tuple(param.shape)


def has_no_shape(value: Any) -> bool:
    """Whether it is a tensor of a lazy module that saw no batch yet."""
    return isinstance(value, Tensor) and bool(is_lazy(value))
