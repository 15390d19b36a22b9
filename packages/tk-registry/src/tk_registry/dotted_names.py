"""Dotted names in a config: which objects they may reach, and how they are found.

Two conditions hold for every name. Its text lies below an allowed name, otherwise
nothing is imported for it. And the object that it leads to is a class whose own
module lies below an allowed name: what counts is the object, not the path on which
a config got there. A function is reached only where the application allowed exactly
that function by its name. The import path of something that is registered needs no
permission and is not followed here; see ``lookup.py``.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

from .errors import InvalidUseError, RefusedNameError, RegistrationImportError
from .places import full_name

# Modules whose classes, and those of their submodules, may be named.
_ALWAYS = ("torch.nn", "torch.optim")
# Single classes from modules that hold dangerous neighbours.
_ALWAYS_CLASSES = (
    "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.distributed.optim.ZeroRedundancyOptimizer",
    "torch.utils.data.BatchSampler",
    "torch.utils.data.ChainDataset",
    "torch.utils.data.ConcatDataset",
    "torch.utils.data.DataLoader",
    "torch.utils.data.DistributedSampler",
    "torch.utils.data.RandomSampler",
    "torch.utils.data.SequentialSampler",
    "torch.utils.data.Subset",
    "torch.utils.data.SubsetRandomSampler",
    "torch.utils.data.TensorDataset",
    "torch.utils.data.WeightedRandomSampler",
    "torch.utils.data.distributed.DistributedSampler",
)

_allowed: set[str] = {*_ALWAYS, *_ALWAYS_CLASSES}


def allow_names(*names: str) -> None:
    """Let configs reach classes by dotted name, for the whole process.

    Args:
        names: a module allows the classes that it and its submodules define; the
            full name of one class or function allows exactly that.
    """
    for name in names:
        if not all(map(str.isidentifier, str(name).split("."))):
            raise InvalidUseError(
                f"a dotted name such as 'my_package.models' is needed, got {name!r}"
            )
    _allowed.update(names)


def _is_allowed(name: str) -> bool:
    while name:
        if name in _allowed:
            return True
        name = name.rpartition(".")[0]
    return False


def is_allowed_text(text: str) -> bool:
    """Whether a dotted name may be followed at all."""
    return all(map(str.isidentifier, text.split("."))) and _is_allowed(text)


def refused(text: str, because: str) -> RefusedNameError:
    """The error for a dotted name that is not followed, or leads somewhere forbidden."""
    return RefusedNameError(
        f"the name {text!r} is refused: {because}; register the class under a name, or let "
        "the application call tk_registry.allow_names with its full name"
    )


def outside(text: str) -> RefusedNameError:
    """The error for a name whose text lies below no allowed name."""
    shown = sorted(_allowed - {*_ALWAYS_CLASSES})
    return refused(
        text,
        "by a dotted name, a config reaches only what is registered and classes below "
        f"{', '.join(shown)}",
    )


def resolve(text: str) -> Any | None:
    """The object at the end of an allowed dotted name, or ``None`` where there is none.

    Raises:
        RefusedNameError: it is not a class, or one that is defined elsewhere.
        RegistrationImportError: a module on the way fails to import.
    """
    parts = text.split(".")
    thing: Any = _import(parts[0], text)
    for position, part in enumerate(parts[1:], start=1):
        if part.startswith("__"):
            raise refused(text, f"{part!r} is an internal of Python")
        if not isinstance(thing, (ModuleType, type)):
            raise refused(text, f"{'.'.join(parts[:position])!r} is neither a module nor a class")
        if isinstance(thing, ModuleType):
            walked = ".".join(parts[:position])
            if thing.__name__ != walked and not _is_allowed(thing.__name__):
                raise refused(text, f"{walked!r} is really the module {thing.__name__!r}")
        thing = _step(thing, part, ".".join(parts[: position + 1]), text)
        if thing is None:
            return None
    _judge(thing, text)
    return thing


def _import(module: str, text: str) -> ModuleType | None:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name == module and "." in module:
            return None  # an ordinary unknown name, reported with its neighbours
        if error.name == module:
            raise RegistrationImportError(
                f"{text!r} needs the package {module!r}, which is not installed; "
                "install it or correct the name"
            ) from error
        raise _broken(module, text, error) from error
    except Exception as error:
        raise _broken(module, text, error) from error


def _broken(module: str, text: str, error: Exception) -> RegistrationImportError:
    return RegistrationImportError(
        f"{text!r} needs the module {module!r}, which failed to import: "
        f"{type(error).__name__}: {error}; repair that module"
    )


def _step(thing: Any, part: str, walked: str, text: str) -> Any | None:
    below = getattr(thing, part, None)
    if below is None and isinstance(thing, ModuleType) and thing.__name__ + "." + part == walked:
        return _import(walked, text)
    return below


def _judge(thing: Any, text: str) -> None:
    """Refuse what the name leads to, unless it is an allowed class or exactly allowed."""
    top = text.partition(".")[0]
    if text in _allowed and callable(thing) and not isinstance(thing, ModuleType):
        if (getattr(thing, "__module__", None) or "").partition(".")[0] == top:
            return
        raise refused(text, f"it is an alias of {full_name(thing)}")
    if not isinstance(thing, type):
        raise refused(text, f"it is not a class but {_described(thing)}")
    if not _is_allowed(thing.__module__) and not _is_named_class(thing):
        raise refused(text, f"it is an alias of {full_name(thing)}")


def _described(thing: Any) -> str:
    if isinstance(thing, ModuleType):
        return f"the module {thing.__name__}"
    if callable(thing):
        return f"the function {full_name(thing)}"
    return f"a {type(thing).__name__}"


def _is_named_class(thing: type) -> bool:
    """Whether a class is one of those that are allowed by their own full name."""
    for name in _allowed:
        module, _, last = name.rpartition(".")
        holder = sys.modules.get(module)
        if holder is not None and vars(holder).get(last) is thing:
            return True
    return False


def neighbours(text: str) -> list[str]:
    """Public classes beside the one that ``text`` fails to name, for a near-name hint."""
    module = sys.modules.get(text.rpartition(".")[0])
    if module is None:
        return []
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and not name.startswith("_")
    ]


def is_package(name: str) -> bool:
    """Whether the first part of a name means a package rather than a scope; nothing is run."""
    if name in sys.modules or any(known.startswith(f"{name}.") for known in _allowed):
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
