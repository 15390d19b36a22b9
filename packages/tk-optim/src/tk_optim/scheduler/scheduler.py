"""``_ParamScheduler``: a window, a position, and the curve between them.

The value is a pure function of the position: the only state is how many steps
were counted. The optimizer is written to, never patched. Formulas are in
``curves.py``, how several schedules share one value in ``../chain.py``.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, TypeVar

from torch.optim import Optimizer

from tk_registry import check_values, count, value_rules

from ..chain import Chain, Link, Target, chain_of
from ..counts import is_count
from ..errors import InvalidSettingError, InvalidTypeError, UnknownKeyError
from .curves import INF, Curve

logger = logging.getLogger("tk.optim")

Self = TypeVar("Self", bound="_ParamScheduler")


def end_is_given(end: int) -> Iterator[tuple[str, str]]:
    """The problem of a schedule that goes from begin to end, where there is no end."""
    if end >= INF:
        sentence = (
            "the schedule goes from begin to end and end is not given, so it would stand still; "
            "give end, the number of steps that call step()"
        )
        yield "end", sentence


def _window_problems(begin: int, end: int) -> Iterator[tuple[str, str]]:
    if end <= begin:
        yield (
            "end",
            f"end={end} is not after begin={begin}, so the schedule has no step; raise end",
        )


@value_rules(_window_problems, last_step=count(-1))
class _ParamScheduler:
    """Drives one entry of an optimizer's parameter groups, in epochs or iterations.

    A subclass stores its own settings, then calls this constructor, which
    asks it for its curve with ``_curve()`` and applies step 0.

    Args:
        optimizer: a torch optimizer, or a wrapper that has one as ``.optimizer``.
        param_name: entry of the groups: ``lr``, ``momentum``, ``weight_decay``, ...
        begin: first step of the window, counted since this schedule was built.
        end: step after the last one of the window. Before the window the value
            is left alone, after it the last one stays.
        last_step: -1, or the step inside the window to go on after; the groups
            must then hold ``initial_<param_name>``.
        by_epoch: whether the caller calls ``step`` once an epoch or once an
            iteration; only callers look at it.
        verbose: log each new value.
        count_updates: count the steps that the optimizer took, not the calls of
            ``step``: with gradient accumulation a group of batches is one step,
            and a step that mixed precision skipped is none. Needs a wrapper.
    """

    need_val_args: ClassVar[bool] = False
    epoch_arguments: ClassVar[tuple[str, ...]] = ()
    """Own arguments that count steps, which a conversion to iterations multiplies."""

    def __init__(
        self,
        optimizer: Any,
        param_name: str,
        begin: int = 0,
        end: int = INF,
        last_step: int = -1,
        by_epoch: bool = True,
        verbose: bool = False,
        *,
        count_updates: bool = False,
    ) -> None:
        self.optimizer = optimizer
        self.param_name = param_name
        self.begin = begin
        self.end = end
        self.by_epoch = by_epoch
        self.verbose = verbose
        self.count_updates = count_updates
        self.epoch_length: int | None = None
        self._inner = inner = _torch_optimizer(optimizer)
        check_values(_ParamScheduler, locals(), InvalidSettingError)
        self._seen_updates = self._updates() if count_updates else 0
        self._chain: Chain = chain_of(inner, self._target(inner), resumed=last_step != -1)
        position = 0 if last_step == -1 else begin + last_step + 1
        self._link = Link(self._curve(), begin, end, by_epoch, position)
        self._chain.add(self._link)
        self._last_value: list[float] = []
        self._write()

    def _curve(self) -> Curve:
        raise NotImplementedError(
            f"{type(self).__name__} has no curve: define _curve() and return a callable of "
            "(step, start, base, group); MMEngine's _get_value(), which went from value to "
            "value, is not used"
        )

    def _target(self, optimizer: Optimizer) -> Target:
        return Target(self.param_name, self.param_name)

    @property
    def _span(self) -> int:
        """Steps from the first to the last of the window."""
        return self.end - self.begin - 1

    @property
    def last_step(self) -> int:
        """The step inside the window where the schedule stands; -1 before the window."""
        inside = self._link.inside(self._link.position)
        return -1 if inside is None else inside

    @property
    def global_step(self) -> int:
        """Steps counted since the schedule was built, inside the window or not."""
        return self._link.position

    @property
    def base_values(self) -> list[float]:
        """The values the optimizer was built with, by group."""
        return list(self._chain.bases)

    def step(self) -> None:
        """Count one step and write the value that belongs there."""
        if self.count_updates:
            self._count_updates()
        else:
            self._link.position += 1
        self._write()

    def move_to(self, step: int) -> None:
        """Stand where ``step`` calls of ``step()`` lead, and write the value that belongs there."""
        if not is_count(step, 0):
            raise InvalidSettingError(f"step={step!r}: give the number of steps done, 0 or more")
        self._link.position = step
        if self.count_updates:
            self._seen_updates = self._updates()
        self._write()

    def get_last_value(self) -> list[float]:
        """What this schedule wrote last, by group."""
        return list(self._last_value)

    def state_dict(self) -> dict[str, Any]:
        """The position, and what tells this schedule from others, as builtins."""
        converted = {} if self.epoch_length is None else {"epoch_length": self.epoch_length}
        return {
            "type": type(self).__name__,
            "param_name": self.param_name,
            "global_step": self.global_step,
            "last_step": self.last_step,
            "by_epoch": self.by_epoch,
            "settings": self._settings(),
            **converted,
        }

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go to the saved position; the settings stay those of this object.

        A schedule that was made longer, or otherwise changed, follows its new
        shape from there; the change is logged. One that was converted from
        epochs goes on after as many epochs as were done, however long they are
        now. States that MMEngine wrote are read as well.
        """
        saved = next((key for key in ("global_step", "_global_step") if key in state_dict), None)
        if saved is None:
            raise UnknownKeyError(
                f"the state of {type(self).__name__} has no 'global_step'; it holds "
                f"{', '.join(map(str, state_dict)) or 'nothing'}: give what state_dict() returned"
            )
        self.move_to(self._in_own_steps(int(state_dict[saved]), state_dict))
        before, now = state_dict.get("settings"), self._settings()
        if before is not None and before != now:
            logger.info(
                "%s goes on at step %d with settings that changed: %s, was %s",
                type(self).__name__,
                self.global_step,
                now,
                before,
            )

    def print_value(self, is_verbose: bool, group: int, value: float) -> None:
        """Log the value of a group, when asked to."""
        if is_verbose:
            logger.info("%s of group %d is now %.4e", self.param_name, group, value)

    @classmethod
    def build_iter_from_epoch(
        cls: type[Self],
        *args: Any,
        begin: int = 0,
        end: float = INF,
        by_epoch: bool = True,
        epoch_length: int | None = None,
        **kwargs: Any,
    ) -> Self:
        """Build the schedule with every number of epochs turned into iterations.

        Args:
            args: as for the constructor.
            begin: in epochs.
            end: in epochs, which may be a fraction; left alone when it is not given.
            by_epoch: must be true: there is nothing to convert otherwise.
            epoch_length: iterations of one epoch.
            kwargs: as for the constructor; those that count epochs are converted.
        """
        if not by_epoch:
            raise InvalidSettingError(
                f"{cls.__name__} counts iterations already (by_epoch=False) and cannot be "
                "converted to them; remove convert_to_iter_based or by_epoch"
            )
        if epoch_length is None or epoch_length <= 0:
            raise InvalidSettingError(
                f"epoch_length={epoch_length}: to convert epochs to iterations give the "
                "iterations of one epoch, 1 or more"
            )
        names = [*inspect.signature(cls).parameters]
        kwargs.update(zip(names, args, strict=False))
        for name in cls.epoch_arguments:
            if kwargs.get(name) is not None:
                kwargs[name] = _times(kwargs[name], epoch_length)
        last = INF if end == INF else round(end * epoch_length)
        built = cls(begin=begin * epoch_length, end=last, by_epoch=False, **kwargs)
        built.epoch_length = epoch_length
        return built

    def _require_end(self) -> None:
        for _, problem in end_is_given(self.end):
            raise InvalidSettingError(f"{type(self).__name__}: {problem}")

    def _settings(self) -> dict[str, Any]:
        curve = self._link.curve
        own = curve.settings() if isinstance(curve, Curve) else {}
        return {"begin": self.begin, "end": self.end, **own}

    def _in_own_steps(self, position: int, state: Mapping[str, Any]) -> int:
        """A saved position in the steps of this schedule."""
        saved_by_epoch = bool(state.get("by_epoch", self.by_epoch))
        length, saved_length = self.epoch_length, state.get("epoch_length")
        if saved_by_epoch == self.by_epoch:
            return round(position * length / saved_length) if length and saved_length else position
        if saved_by_epoch and length:
            return position * length
        if self.by_epoch and saved_length:
            return position // int(saved_length)
        units = {True: "epochs", False: "iterations"}
        raise InvalidSettingError(
            f"the saved position of {type(self).__name__} counts {units[saved_by_epoch]} and this "
            f"schedule counts {units[self.by_epoch]}; resume with the unit it was saved with, or "
            "convert with build_iter_from_epoch"
        )

    def _updates(self) -> int:
        count = getattr(self.optimizer, "update_count", None)
        if count is None:
            raise InvalidTypeError(
                f"count_updates=True needs an optimizer wrapper, which counts its updates; got a "
                f"bare {type(self.optimizer).__name__}: wrap it in OptimWrapper"
            )
        if self.by_epoch:
            raise InvalidSettingError(
                "count_updates=True counts steps of the optimizer, not epochs; "
                "set by_epoch=False and give begin, end and lengths in updates"
            )
        return int(count)

    def _count_updates(self) -> None:
        updates = self._updates()
        self._link.position += updates - self._seen_updates
        self._seen_updates = updates

    def _write(self) -> None:
        values = self._chain.write(self._inner.param_groups)
        if self.verbose and values != self._last_value:
            for group, value in enumerate(values):
                self.print_value(True, group, value)
        self._last_value = values


def _torch_optimizer(optimizer: Any) -> Optimizer:
    inner = optimizer if isinstance(optimizer, Optimizer) else getattr(optimizer, "optimizer", None)
    if not isinstance(inner, Optimizer):
        raise InvalidTypeError(
            f"a schedule drives a torch optimizer or a wrapper of one; got "
            f"{type(optimizer).__name__}: pass the optimizer, or one wrapper of several"
        )
    return inner


def _times(steps: Any, factor: int) -> Any:
    return [step * factor for step in steps] if isinstance(steps, (list, tuple)) else steps * factor
