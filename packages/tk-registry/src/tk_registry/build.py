"""From a mapping to an object: ``type`` says what, the other keys are its arguments.

The config is never changed. What goes wrong is told with the class, the argument
and the place in the config; errors of the built class keep their type and get a note.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from .errors import (
    ArgumentError,
    ConfigError,
    InvalidUseError,
    MissingTypeError,
    RegistryError,
    UnknownScopeError,
)
from .instances import ManagerMeta
from .names import NameTree
from .near_names import listing
from .places import full_name, origin_of, path_to
from .scope import DefaultScope, current_scope

T = TypeVar("T")


def build_from_cfg(
    cfg: Mapping[str, Any],
    registry: NameTree[T],
    default_args: Mapping[str, Any] | None = None,
) -> T:
    """Build one object.

    Args:
        cfg: ``type`` is a name or a callable, the other keys are keyword arguments.
            ``_scope_`` is the default scope for this object and what it builds.
        registry: where the name is looked up, under the scope that is current.
        default_args: fill the keys that ``cfg`` lacks.

    Raises:
        MissingTypeError: there is no ``type``.
        UnknownNameError: nothing is registered under that name.
        ArgumentError: the arguments do not fit the signature.
    """
    args = arguments(cfg, registry, default_args)
    if "_scope_" not in args:
        return _build(cfg, args, registry)
    with DefaultScope.overwrite_default_scope(args.pop("_scope_")):
        return _build(cfg, args, registry)


def arguments(
    cfg: Mapping[str, Any], registry: object, default_args: Mapping[str, Any] | None
) -> dict[str, Any]:
    """A fresh dict of ``cfg`` over ``default_args``, after checking what they are."""
    if not isinstance(registry, NameTree):
        raise InvalidUseError(f"registry must be a Registry, got {registry!r}")
    if type(cfg) is dict:
        args = cfg.copy()
    elif isinstance(cfg, Mapping):
        args = dict(cfg.items())  # items(): a config may make its values on reading
    else:
        raise InvalidUseError(
            f"a config to build a {registry.name} from must be a dict or another mapping, "
            f"got {type(cfg).__name__}: {cfg!r}"
        )
    if default_args is not None:
        if not isinstance(default_args, Mapping):
            raise InvalidUseError(
                f"default_args must be a dict, another mapping or None, got {default_args!r}"
            )
        for key, value in default_args.items():
            args.setdefault(key, value)
    return args


def take_type(args: dict[str, Any], cfg: object, registry: NameTree[T], key: str = "type") -> Any:
    """Remove ``type`` from ``args`` and return the callable that it means."""
    try:
        wanted = args.pop(key)
    except KeyError:
        error = MissingTypeError(
            f"a config to build a {registry.name} from needs the key {key!r}, "
            f"got only: {listing(map(str, args))}; add it, or give it in default_args",
            origin=origin_of(cfg, ""),
        )
        error.node = cfg
        raise error from None
    return callable_of(wanted, cfg, registry, key)


def callable_of(wanted: Any, cfg: object, registry: NameTree[T], key: str = "type") -> Any:
    """The callable that a value of ``type`` means, in the registry of the current scope."""
    if not isinstance(wanted, str):
        if not callable(wanted):
            wrong = ArgumentError(
                f"{key!r} must be the name of a {registry.name} or a callable, got {wanted!r}",
                origin=origin_of(cfg, key),
            )
            wrong.node = cfg
            raise wrong
        return wanted
    try:
        scope = current_scope()
        if scope is not None:
            registry = registry.under(scope)
        return registry.resolve(wanted)
    except RegistryError as error:
        if isinstance(error, ConfigError):
            error.node = cfg
            asked_by_scope = isinstance(error, UnknownScopeError) and origin_of(cfg, "_scope_")
            error.origin = asked_by_scope or origin_of(cfg, key)
        else:
            _add_note(error, f"while looking for the {registry.name} {wanted!r}", cfg, key)
        raise


def _build(cfg: Mapping[str, Any], args: dict[str, Any], registry: NameTree[T]) -> T:
    factory = take_type(args, cfg, registry)
    try:
        if isinstance(factory, ManagerMeta):
            return factory.get_instance(**args)  # type: ignore[attr-defined, no-any-return]
        return factory(**args)  # type: ignore[no-any-return]
    except Exception as error:
        if isinstance(error, TypeError) and not isinstance(error, ConfigError):
            _explain_arguments(error, factory, args, cfg, registry)
        _tell_place(error, factory, cfg, args, registry)
        raise


def _explain_arguments(
    error: TypeError, factory: Any, args: dict[str, Any], cfg: object, registry: NameTree[Any]
) -> None:
    """Raise a better error if the arguments do not fit; otherwise the class raised its own."""
    from .signatures import argument_problems  # loads inspect: 10 ms, and only errors need it

    found = argument_problems(factory, args)
    if not found:
        return
    first = found[0]
    better = ArgumentError(
        f"{registry.name} {full_name(factory)}: " + "; ".join(problem.message for problem in found),
        origin=origin_of(cfg, first.argument if first.argument in args else "type"),
    )
    better.node = cfg
    raise better from error


def _tell_place(
    error: Exception, factory: Any, cfg: object, args: dict[str, Any], registry: NameTree[Any]
) -> None:
    """Add to an error on its way out where in this config it happened."""
    if isinstance(error, ConfigError) and error.node is not None and error.node is not cfg:
        path = path_to(error.node, args)
        if path is not None:
            error.path = f"{path}.{error.path}" if error.path else path
            error.node = cfg
    _add_note(error, f"while building the {registry.name} {full_name(factory)}", cfg, "type")


def _add_note(error: Exception, note: str, cfg: object, key: str) -> None:
    origin = origin_of(cfg, key)
    # Python 3.10 shows no notes, but keeps them for whoever looks.
    notes = error.__dict__.setdefault("__notes__", [])
    notes.append(f"{note} ({origin})" if origin else note)
