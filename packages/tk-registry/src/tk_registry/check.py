"""All problems of a nested config at once, without building anything.

A mapping that has ``type`` is a component: its name must be known, its arguments must
fit the signature and the rules that are declared for them, and its values are walked in
turn, except those with a rule of their own, which are plain. Who builds a component may
add arguments (the registry knows which), and by convention a key that ends in ``_cfg``
holds settings that its owner completes: there only names and values are judged.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from .annotations import misfit
from .argument_rules import arguments_with_rules, value_problems
from .errors import ArgumentError, RegistryError, UnknownNameError
from .names import NameTree
from .places import full_name, origin_of
from .problem_report import Problem
from .scope import current_scope
from .signatures import argument_problems, parameters_of
from .tree import all_registries


class _Place(NamedTuple):
    """A value's path, and the nearest node around it that can tell file and line."""

    path: str = ""
    node: object = None
    below: str = ""

    def at(self, key: object) -> _Place:
        return _Place(_joined(self.path, key), self.node, _joined(self.below, key))

    def anchored(self, value: object) -> _Place:
        """The same place, asked of ``value`` itself from now on if it can tell."""
        if hasattr(type(value), "__config_origin__"):
            return _Place(self.path, value, "")
        return self

    def problem(self, message: str) -> Problem:
        return Problem(self.path, message, origin_of(self.node, self.below))

    def problem_of_all(self, message: str) -> Problem:
        """One that concerns the component here as a whole, which stands where its type does."""
        return Problem(self.path, message, self.at("type").problem("").origin)


def _joined(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def check(cfg: object, registry: NameTree[Any], given: Collection[str] = ()) -> list[Problem]:
    """Every problem of a config that ``registry`` would build, in the order of the config.

    Args:
        cfg: a mapping with ``type``, or a list of them.
        registry: where the names are looked up, under the scope that is current.
        given: arguments that the caller of ``build`` adds for the outermost component.
    """
    return _check_outermost(cfg, _Place(), registry, frozenset(given))


def _check_outermost(
    cfg: object, place: _Place, registry: NameTree[Any], given: frozenset[str]
) -> list[Problem]:
    place = place.anchored(cfg)
    if isinstance(cfg, Mapping):
        return _check_component(cfg, place, registry, given)
    if isinstance(cfg, (list, tuple)):
        found = []
        for position, entry in enumerate(cfg):
            found += _check_outermost(entry, place.at(position), registry, given)
        return found
    return [
        place.problem(
            f"a {registry.name} is built from a dict with the key 'type', "
            f"got {type(cfg).__name__}: {cfg!r}; write one"
        )
    ]


def _check_component(
    cfg: Mapping[str, Any],
    place: _Place,
    registry: NameTree[Any],
    given: frozenset[str],
    *,
    is_completed: bool = False,
) -> list[Problem]:
    """The problems of a mapping that must be a component, and of everything in it."""
    try:
        with registry.switch_scope_and_registry(cfg.get("_scope_")) as scoped:
            return _check_under_scope(cfg, place, scoped, given, is_completed)
    except RegistryError as error:
        return [place.at("_scope_" if "_scope_" in cfg else "type").problem(str(error))]


def _check_under_scope(
    cfg: Mapping[str, Any],
    place: _Place,
    registry: NameTree[Any],
    given: frozenset[str],
    is_completed: bool,
) -> list[Problem]:
    if "type" not in cfg:
        return [
            place.problem(f"a {registry.name} is built from a dict with the key 'type'; add it"),
            *_check_values(cfg, place, registry),
        ]
    try:
        factory, home = _resolve(cfg["type"], registry)
    except RegistryError as error:
        return [place.at("type").problem(str(error)), *_check_values(cfg, place, registry)]
    supplied = given | home.supplied
    arguments = {
        key: value
        for key, value in cfg.items()
        if key not in ("type", "_scope_") and key not in home.consumed
    }
    found = _check_arguments(factory, arguments, place, supplied, is_completed)
    plain = arguments_with_rules(factory)
    others = {key: value for key, value in arguments.items() if key not in plain}
    return found + _check_values(others, place, registry)


def _check_arguments(
    factory: Any,
    arguments: dict[str, Any],
    place: _Place,
    supplied: frozenset[str],
    is_completed: bool,
) -> list[Problem]:
    found = []
    if not is_completed:
        for problem in argument_problems(factory, arguments, supplied):
            message = f"{full_name(factory)}: {problem.message}"
            if problem.is_missing:
                found.append(place.problem_of_all(message))
            else:
                found.append(place.at(problem.argument).problem(message))
    parameters = parameters_of(factory) or {}
    unfit = set()
    for key, value in arguments.items():
        if key in parameters and parameters[key].kind is not inspect.Parameter.VAR_KEYWORD:
            wrong = misfit(value, parameters[key], factory)
            if wrong is not None:
                unfit.add(key)
                found.append(place.at(key).problem(f"{full_name(factory)}: {wrong}"))
    for argument, message in value_problems(factory, arguments, unfit=unfit, supplied=supplied):
        found.append(place.at(argument).problem(f"{full_name(factory)}: {message}"))
    return found


def _check_values(
    holder: Mapping[str, Any], place: _Place, registry: NameTree[Any]
) -> list[Problem]:
    found = []
    for key, value in holder.items():
        is_completed = str(key).endswith("_cfg")
        found += _check_value(value, place.at(key), registry, is_completed)
    return found


def _check_value(
    value: Any, place: _Place, registry: NameTree[Any], is_completed: bool
) -> list[Problem]:
    """The problems of the components at or below a value that may be anything."""
    place = place.anchored(value)
    if isinstance(value, Mapping):
        if "type" not in value:
            return _check_values(value, place, registry)
        return _check_component(value, place, registry, frozenset(), is_completed=is_completed)
    found = []
    if isinstance(value, (list, tuple)):
        for position, entry in enumerate(value):
            found += _check_value(entry, place.at(position), registry, is_completed)
    return found


def _resolve(wanted: Any, registry: NameTree[Any]) -> tuple[Any, NameTree[Any]]:
    """What ``type`` means, and the registry whose kind of thing it is.

    A component inside another may be of another kind (a model holds an optimizer), so
    all shared kinds are asked; the error is that of the registry in question.
    """
    if callable(wanted):
        return wanted, registry
    if not isinstance(wanted, str):
        raise ArgumentError(f"'type' must be a name or a callable, got {wanted!r}")
    try:
        return registry.resolve(wanted), registry
    except UnknownNameError as error:
        if type(error) is not UnknownNameError:
            raise  # a refused name or an unknown scope is so in every registry
        other = _other_kind(wanted)
        if other is None:
            raise
        return other


def _other_kind(wanted: str) -> tuple[Any, NameTree[Any]] | None:
    scope = current_scope()
    for tree in all_registries():
        if tree.parent is not None or not isinstance(tree, NameTree):
            continue
        try:
            node = tree if scope is None else tree.under(scope)
            found = node.get(wanted)
        except RegistryError:
            continue  # broken there, which is not what this name is about
        if found is not None:
            return found, node
    return None
