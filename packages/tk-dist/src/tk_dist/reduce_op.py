"""Names of reduce operations, checked also when there is nobody to reduce with."""

from __future__ import annotations

import functools

import torch

from .errors import ReduceOpError

REDUCE_OPS = ("sum", "mean", "product", "min", "max", "band", "bor", "bxor")
_KNOWN = frozenset(REDUCE_OPS)
BITWISE_OPS = frozenset({"band", "bor", "bxor"})
_LINEAR = frozenset({"sum", "mean"})


def reduce_op_name(op: str) -> str:
    """Return the operation's name in lower case, once it is known to exist.

    Raises:
        ReduceOpError: no operation is called so.
    """
    return op if op in _KNOWN else _spelled_otherwise(op)


@functools.cache
def operation_on(op: str, dtype: torch.dtype) -> str:
    """Return an operation's name in lower case, once it is known to exist and to fit a dtype.

    Raises:
        ReduceOpError: there is none of this name, or it does not fit.
    """
    name = reduce_op_name(op)
    check_op_fits(name, dtype)
    return name


def check_op_fits(name: str, dtype: torch.dtype) -> None:
    """Refuse an operation that a dtype does not have.

    Raises:
        ReduceOpError: what does not fit, and what does.
    """
    if name in BITWISE_OPS:
        if dtype.is_floating_point or dtype.is_complex:
            raise ReduceOpError(
                f"reduce operation {name!r} needs integers or booleans, but the tensor is {dtype}; "
                "convert it first"
            )
    elif dtype.is_complex and name not in _LINEAR:
        raise ReduceOpError(
            f"reduce operation {name!r} is not defined for {dtype}; use 'sum' or 'mean', "
            "or reduce the real and imaginary parts"
        )
    elif name == "mean" and dtype is torch.bool:
        raise ReduceOpError(
            "the mean of booleans is not a boolean; convert the tensor to a float first"
        )


def _spelled_otherwise(op: object) -> str:
    lowered = op.lower() if isinstance(op, str) else ""
    if lowered in _KNOWN:
        return lowered
    raise ReduceOpError(f"no reduce operation is called {op!r}; use one of {', '.join(REDUCE_OPS)}")
