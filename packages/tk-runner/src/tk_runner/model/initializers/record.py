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

import torch
from torch import nn

from tk_dist import is_main_process

from ..errors import InitializationError
from .layer import has_no_shape

logger = logging.getLogger("tk.runner")
UNCHANGED = "as its constructor left it"
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_current: ContextVar[InitRecord | None] = ContextVar("tk_runner_init_record", default=None)


class InitRecord:
    """Names of parameters to what set them last.

    Args:
        module: the model whose weights are about to be initialised.
    """

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._names = {id(param): name for name, param in module.named_parameters()}
        self._params = list(module.parameters())  # kept alive, so that ids stay theirs
        self._marks = {id(param): _mark(param) for param in self._params}
        self.sources = dict.fromkeys(self._names.values(), UNCHANGED)

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
            mark = _mark(param)
            if mark != self._marks[id(param)]:
                self._marks[id(param)] = mark
                self.sources[self._names[id(param)]] = source

    def lines(self) -> list[str]:
        """A line for each parameter."""
        shapes = {name: _shape(param) for name, param in self._module.named_parameters()}
        return [f"{name} {shapes.get(name)}: {source}" for name, source in self.sources.items()]


@contextmanager
def recording(module: nn.Module) -> Iterator[InitRecord]:
    """The record of the running initialisation; the outermost writes it to the log in the end."""
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    record = InitRecord(module)
    token = _current.set(record)
    try:
        yield record
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


def _mark(param: nn.Parameter) -> tuple[int, int] | None:
    if has_no_shape(param):
        return None
    version = param._version
    if param.is_meta or not param.numel() or param.is_sparse or param.is_quantized:
        return version, 0
    values = param.detach()
    if values.is_complex():
        values = torch.view_as_real(values)
    bits = values.contiguous().view(_BITS[values.element_size()])
    return version, int(bits.sum(dtype=torch.int64))


def _shape(param: nn.Parameter) -> object:
    return "(no shape yet)" if has_no_shape(param) else tuple(param.shape)
