"""Finding the state of each parameter in the saved state of an optimizer.

torch matches by position, so a layer that moved in the model would be given the
momentum of another one. Here a parameter is found by its name where both sides
know names. A state without names is matched by position where the numbers and
the shapes agree. What does not fit is refused, with the way out.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from ..errors import InvalidSettingError

logger = logging.getLogger("tk.optim")

Layout = list[list[str]]
"""The names of the parameters of each group."""

NAMES = "param_names"
KIND = "optimizer_type"
_ADDED_BY_SCHEDULES = "initial_"
_WAY_OUT = (
    "go on with the optimizer and the model that it was saved with, or load the weights alone and "
    "begin the optimizer anew"
)


@dataclass(frozen=True)
class SavedState:
    """The saved state of one optimizer: its groups, and what it kept for each parameter."""

    groups: Sequence[Mapping[str, Any]]
    state: Mapping[Any, Any]
    names: Layout | None
    kind: str | None

    @classmethod
    def of(cls, saved: Mapping[str, Any]) -> SavedState:
        """Read what ``BaseOptimWrapper.state_dict`` or a torch optimizer gave."""
        names = saved.get(NAMES)
        return cls(
            saved.get("param_groups", ()),
            saved.get("state", {}),
            None if names is None else [list(group) for group in names],
            saved.get(KIND),
        )

    @property
    def positions(self) -> list[Any]:
        """The key of each parameter's state, group by group."""
        return [key for group in self.groups for key in group["params"]]

    @property
    def lengths(self) -> list[int]:
        """Parameters of each group."""
        return [len(group["params"]) for group in self.groups]


def fit(saved: SavedState, optimizer: Optimizer, names: Layout | None) -> dict[str, Any]:
    """The saved state in the order of ``optimizer``, for its ``load_state_dict``.

    Args:
        saved: what was saved.
        optimizer: which goes on with it.
        names: its parameters' names, where they are known.

    Raises:
        InvalidSettingError: it is the state of another optimizer or of other parameters.
    """
    _refuse_another_kind(saved, optimizer)
    if saved.names is None or names is None:
        key_of = _by_position(saved, optimizer)
    else:
        key_of = _by_name(saved, optimizer, names)
    params = _params(optimizer)
    _refuse_other_shapes(saved, optimizer, params, key_of)
    state = {
        position: saved.state[key]
        for position, key in enumerate(key_of)
        if key is not None and key in saved.state
    }
    shared = {key: value for key, value in saved.state.items() if not isinstance(key, int)}
    return {"state": {**shared, **state}, "param_groups": _groups(saved, optimizer, key_of)}


def _by_name(saved: SavedState, optimizer: Optimizer, names: Layout) -> list[Any]:
    assert saved.names is not None  # noqa: S101  # the caller looked
    key_by_name = dict(zip(chain.from_iterable(saved.names), saved.positions, strict=True))
    here = list(chain.from_iterable(names))
    trains = dict(zip(here, (param.requires_grad for param in _params(optimizer)), strict=True))
    lacking = [name for name in here if name not in key_by_name and trains[name]]
    surplus = [
        name for name, key in key_by_name.items() if name not in trains and saved.state.get(key)
    ]
    if lacking or surplus:
        raise InvalidSettingError(
            f"{_misfit(optimizer)}: it has no {_some(lacking)}, and this model has no "
            f"{_some(surplus)}; {_WAY_OUT}"
        )
    return [key_by_name.get(name) for name in here]


def _by_position(saved: SavedState, optimizer: Optimizer) -> list[Any]:
    """Positions agree with all parameters, or with all but the last ones, which need no gradient.

    Formerly parameters that need no gradient were left out of the optimizer.
    """
    groups = [group["params"] for group in optimizer.param_groups]
    lengths = [*saved.lengths, *[0] * (len(groups) - len(saved.lengths))]
    fits = len(lengths) == len(groups) and all(
        length <= len(group) and not any(param.requires_grad for param in group[length:])
        for length, group in zip(lengths, groups, strict=True)
    )
    if not fits:
        raise InvalidSettingError(
            f"{_misfit(optimizer)}: it has {saved.lengths} parameters by group and this optimizer "
            f"has {[len(group) for group in groups]}; {_WAY_OUT}"
        )
    logger.info(
        "the saved state of %s has no parameter names that could be compared: it was matched by "
        "position, and numbers and shapes agree",
        type(optimizer).__name__,
    )
    keys = iter(saved.positions)
    return [
        next(keys) if index < length else None
        for length, group in zip(lengths, groups, strict=True)
        for index in range(len(group))
    ]


def _groups(saved: SavedState, optimizer: Optimizer, key_of: Sequence[Any]) -> list[dict[str, Any]]:
    """Each group with the saved options of its parameters, or with its own where these differ."""
    options_by_key = {
        key: {name: value for name, value in group.items() if name not in ("params", NAMES)}
        for group in saved.groups
        for key in group["params"]
    }
    groups = []
    start = 0
    for index, group in enumerate(optimizer.param_groups):
        stop = start + len(group["params"])
        saved_options = [options_by_key[key] for key in key_of[start:stop] if key is not None]
        options = {name: value for name, value in group.items() if name not in ("params", NAMES)}
        if saved_options and all(each == saved_options[0] for each in saved_options):
            options = saved_options[0]
        elif saved_options:
            logger.warning(
                "parameter group %d of %s holds parameters that were saved with different "
                "options, so it keeps the options of this run",
                index, type(optimizer).__name__,
            )  # fmt: skip
        groups.append({**options, "params": list(range(start, stop))})
        start = stop
    return groups


def _refuse_another_kind(saved: SavedState, optimizer: Optimizer) -> None:
    """By the name of the class; where it was not saved, by options that only one side has."""
    kind = type(optimizer).__name__
    if saved.kind is not None and saved.kind != kind:
        raise InvalidSettingError(
            f"{_misfit(optimizer)}: it is the state of {saved.kind}; {_WAY_OUT}"
        )
    theirs = {
        key
        for group in saved.groups
        for key in group
        if not key.startswith(_ADDED_BY_SCHEDULES) and key != NAMES
    }
    ours = {key for group in optimizer.param_groups for key in group}
    # One side alone may have more where versions of torch differ.
    if saved.kind is None and theirs - ours and optimizer.defaults.keys() - theirs:
        raise InvalidSettingError(
            f"{_misfit(optimizer)}: it has the options {', '.join(sorted(theirs - ours))}, which "
            f"are those of another optimizer; {_WAY_OUT}"
        )


def _refuse_other_shapes(
    saved: SavedState, optimizer: Optimizer, params: Sequence[Tensor], key_of: Sequence[Any]
) -> None:
    for position, (param, key) in enumerate(zip(params, key_of, strict=True)):
        kept = saved.state.get(key, {}) if key is not None else {}
        values = kept.values() if isinstance(kept, Mapping) else ()
        shapes = [
            tuple(value.shape)
            for value in values
            if isinstance(value, Tensor) and value.ndim == param.ndim and param.ndim
        ]
        if shapes and not _fit_together(shapes, tuple(param.shape)):
            raise InvalidSettingError(
                f"{_misfit(optimizer)}: parameter {position} has the shape {tuple(param.shape)} "
                f"and its saved state {shapes[0]}; {_WAY_OUT}"
            )


def _fit_together(shapes: Sequence[tuple[int, ...]], wanted: tuple[int, ...]) -> bool:
    """One has the shape of the parameter, or several are reductions of it (as Adafactor keeps)."""
    if wanted in shapes:
        return True
    is_reduced = all(
        size in (1, full) for shape in shapes for size, full in zip(shape, wanted, strict=True)
    )
    return is_reduced and len(shapes) > 1


def _params(optimizer: Optimizer) -> list[Tensor]:
    return [param for group in optimizer.param_groups for param in group["params"]]


def _misfit(optimizer: Optimizer) -> str:
    return f"the saved state does not fit {type(optimizer).__name__}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "") or "others"


def options_of(groups: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A copy of the options of each group."""
    left_out = ("params", NAMES)
    return [
        {
            name: float(value) if isinstance(value, Tensor) else value
            for name, value in group.items()
            if name not in left_out and not name.startswith(_ADDED_BY_SCHEDULES)
        }
        for group in groups
    ]


def report_changes(
    optimizer: Optimizer, before: Sequence[Mapping[str, Any]], driven: Collection[str]
) -> None:
    """Warn of options that loading a state has changed.

    Args:
        optimizer: as it is after loading.
        before: ``options_of`` its groups before.
        driven: options that schedules write, so that nobody has to care for them.
    """
    groups_of: dict[str, list[int]] = {}
    after = options_of(optimizer.param_groups)
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        changed = [name for name in old if name in new and name not in driven]
        texts = [
            f"{name}={new[name]} (this run's setting is {old[name]})"
            for name in changed
            if old[name] != new[name]
        ]
        if texts:
            groups_of.setdefault(", ".join(texts), []).append(index)
    if groups_of:
        listed = "; ".join(f"group {groups[0]}{_and_more(groups)}: {text}"
                           for text, groups in groups_of.items())  # fmt: skip
        logger.warning(
            "%s goes on with the options that were saved, where this run's settings differ: %s. "
            "To use the new ones, load the weights alone and begin the optimizer anew",
            type(optimizer).__name__, listed,
        )  # fmt: skip


def _and_more(groups: Sequence[int]) -> str:
    return f" and {len(groups) - 1} more" if len(groups) > 1 else ""
