"""Dotted names in a config: which objects they may reach, and how they are found.

Two conditions hold for every name. Its text lies below an allowed name, otherwise
nothing is imported for it. And the object that it leads to is a class whose own
module lies below an allowed name: what counts is the object, not the path on which
a config got there. A function is reached only where the application allowed exactly
that function by its name.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

from .discovery import announced_packages
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

# A scope that is called like one of these is not about the package.
_SHARED_PACKAGES = {name.partition(".")[0] for name in _ALWAYS}

_allowed: set[str] = {*_ALWAYS, *_ALWAYS_CLASSES}
_packages_of_scopes: set[str] = set()


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


def allowed_names() -> frozenset[str]:
    """Everything below which a dotted name is followed."""
    return frozenset(_allowed | _live_packages())


def allow_package_of_scope(scope: str) -> None:
    """Let configs name classes of the package that is called like a registered scope."""
    if scope not in sys.stdlib_module_names and scope not in _SHARED_PACKAGES:
        _packages_of_scopes.add(scope)


def _live_packages() -> set[str]:
    # Only what is imported already: a scope's name alone must not make a file of
    # that name, which happens to lie in the working folder, run.
    return {name for name in _packages_of_scopes if name in sys.modules}


def _is_below(name: str, roots: frozenset[str]) -> bool:
    while name:
        if name in roots:
            return True
        name = name.rpartition(".")[0]
    return False


def is_allowed_text(text: str) -> bool:
    """Whether a dotted name may be followed at all."""
    if not all(map(str.isidentifier, text.split("."))):
        return False
    if _is_below(text, allowed_names()):
        return True
    return text.partition(".")[0] in announced_packages()


def refused(text: str, because: str) -> RefusedNameError:
    """The error for a dotted name that is not followed, or leads somewhere forbidden."""
    return RefusedNameError(
        f"the name {text!r} is refused: {because}; register the class under a name, or let "
        "the application call tk_registry.allow_names with its full name"
    )


def outside(text: str) -> RefusedNameError:
    """The error for a name whose text lies below no allowed name."""
    shown = sorted({*_ALWAYS, *_live_packages()} | (_allowed - {*_ALWAYS_CLASSES}))
    return refused(text, f"a config reaches dotted names only below {', '.join(shown)}")


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
            if thing.__name__ != walked and not _is_trusted(thing.__name__):
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


def _is_trusted(module: str) -> bool:
    if _is_below(module, allowed_names()):
        return True
    return module.partition(".")[0] in announced_packages()


def _judge(thing: Any, text: str) -> None:
    """Refuse what the name leads to, unless it is an allowed class or exactly allowed."""
    top = text.partition(".")[0]
    if text in _allowed and callable(thing) and not isinstance(thing, ModuleType):
        if (getattr(thing, "__module__", None) or "").partition(".")[0] == top:
            return
        raise refused(text, f"it is an alias of {full_name(thing)}")
    if not isinstance(thing, type):
        raise refused(text, f"it is not a class but {_described(thing)}")
    if not _is_trusted(thing.__module__) and not _is_named_class(thing):
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
