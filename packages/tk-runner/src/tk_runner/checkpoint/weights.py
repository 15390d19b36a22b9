"""Weights into a model, with a report of what did not fit and what may help."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from tk_registry import did_you_mean

from .errors import CheckpointError, KeyMismatchError
from .read import read_checkpoint
from .weight_names import clean_names, like

default_logger = logging.getLogger("tk.runner")
KeyRules = Sequence[tuple[str, str]]
# What torch.compile puts before the names of a compiled module, and what wrappers for several
# devices put before all names.
WITHOUT_COMPILER: KeyRules = ((r"(^|\.)_orig_mod\.", r"\1"),)
WITHOUT_WRAPPER: KeyRules = (*WITHOUT_COMPILER, (r"^module\.", ""))
# Files from before torch 0.4 have no such counters, and training does not need them.
_OPTIONAL = "num_batches_tracked"
_SHOWN = 8


@dataclass
class LoadReport:
    """What fitted and what did not.

    Attributes:
        loaded: how many entries of the model were taken from the file.
        expected: how many the model has.
        missing: those that the file does not have.
        unexpected: those of the file that the model does not have.
        mismatched: those of another shape, each with both shapes.
        failed: reasons of modules that refused what they were given.
    """

    loaded: int = 0
    expected: int = 0
    missing: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    mismatched: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether every weight of the model was in the file and nothing else."""
        return not (self.missing or self.unexpected or self.mismatched or self.failed)

    def __str__(self) -> str:
        lines = [f"{self.loaded} of {self.expected} weights loaded"]
        for title, names in (
            ("missing in the file", self.missing),
            ("not in the model", self.unexpected),
            ("of another shape", self.mismatched),
            ("refused", self.failed),
        ):
            if names:
                more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
                lines.append(f"{len(names)} {title}: {', '.join(names[:_SHOWN])}{more}")
        return "\n  ".join([*lines, *self._hints()])

    def _hints(self) -> list[str]:
        """What the missing ones may be called in the file."""
        if not (self.missing and self.unexpected):
            return []
        if prefix := _common_prefix(self.missing, self.unexpected):
            pattern = prefix.replace(".", r"\.")
            rule = f"revise_keys=[(r'^{pattern}', '')]"
            return [f"the names of the file begin with {prefix!r}; pass {rule}"]
        hints = []
        for name in self.missing[:_SHOWN]:
            hint = did_you_mean(name, self.unexpected, "", cutoff=0.75)
            if hint:
                hints.append(f"the file has no {name!r}; {hint} Rename it with revise_keys")
        return hints


def _common_prefix(missing: list[str], unexpected: list[str]) -> str:
    """What stands before most of the missing names in the file; empty where nothing does."""
    ends = [one for one in unexpected if one.endswith(f".{missing[0]}")]
    if not ends:
        return ""
    prefix = min(ends, key=len)[: -len(missing[0])]
    there = set(unexpected)
    found = sum(prefix + name in there for name in missing)
    return prefix if found * 2 > len(missing) else ""


def load_state_dict(
    module: nn.Module,
    state_dict: Mapping[str, Any],
    strict: bool = False,
    logger: logging.Logger | None = None,
) -> LoadReport:
    """Take the weights that fit; report the others.

    Weights of another shape are left out, unless ``strict``. Wrappers inside of
    ``module`` need not be in the names. Hooks that modules registered around
    loading run as in torch.

    Raises:
        KeyMismatchError: ``strict``, and something does not fit; the model is as it was.
    """
    own = module.state_dict()
    clean = clean_names(module, own)
    inner = {short: name for name, short in clean.items()}
    report = LoadReport(expected=len(own))
    fitting = like(state_dict)
    for name, value in state_dict.items():
        place = name if name in own else inner.get(name, name)
        if (problem := _misfit(own.get(place), value)) is None:
            fitting[place] = value
        else:
            report.mismatched.append(f"{name} {problem}")
    if strict:
        _refuse_misfits(own, fitting, report)
    missing, unexpected = _take(module, own, fitting, report)
    wrong = {
        inner.get(text.partition(" ")[0], text.partition(" ")[0]) for text in report.mismatched
    }
    report.missing = [
        clean.get(name, name)
        for name in missing
        if name not in wrong and not name.endswith(_OPTIONAL)
    ]
    report.unexpected = unexpected
    report.loaded = len(fitting) - len(report.unexpected)
    if not report.is_complete:
        if strict:
            raise KeyMismatchError(f"the weights do not fit the model:\n  {report}")
        (logger or default_logger).warning("%s", report)
    return report


def _misfit(own: Any, value: Any) -> str | None:
    """Why a weight cannot be taken, as far as its shape says."""
    if not isinstance(own, torch.Tensor) or not isinstance(value, torch.Tensor) or is_lazy(own):
        return None
    # torch takes a vector of one for a scalar, as old files have it
    if own.shape == value.shape or (own.dim() == 0 and value.shape == (1,)):
        return None
    return f"{tuple(value.shape)} for {tuple(own.shape)}"


def _refuse_misfits(own: Mapping[str, Any], fitting: Mapping[str, Any], report: LoadReport) -> None:
    """Raise before anything is changed, where the shapes already say that it will not fit."""
    if report.mismatched:
        report.loaded = sum(name in own for name in fitting)
        raise KeyMismatchError(f"the weights do not fit the model:\n  {report}")


def _take(
    module: nn.Module, own: Mapping[str, Any], fitting: dict[str, Any], report: LoadReport
) -> tuple[list[str], list[str]]:
    """Load what is there; the missing and the unexpected names come back."""
    try:
        result = module.load_state_dict(fitting, strict=False)
    except RuntimeError as error:
        # torch took what fitted and lists the rest in its text, a line each
        report.failed = [line.strip() for line in str(error).splitlines()[1:]] or [str(error)]
        return [n for n in own if n not in fitting], [n for n in fitting if n not in own]
    return list(result.missing_keys), list(result.unexpected_keys)


def load_weights(
    model: nn.Module,
    weights: Mapping[str, Any],
    *,
    strict: bool = False,
    revise_keys: KeyRules = WITHOUT_WRAPPER,
    logger: logging.Logger | None = None,
) -> LoadReport:
    """Rewrite the names by regular expressions, then `load_state_dict`.

    Raises:
        CheckpointError: two names became one.
        KeyMismatchError: ``strict``, and something does not fit.
    """
    if [*revise_keys] == [*WITHOUT_WRAPPER] and any(
        name.startswith("module.") for name in model.state_dict()
    ):
        revise_keys = (
            WITHOUT_COMPILER  # here ``module`` is a part of the model, not a wrapper around it
        )
    return load_state_dict(model, revised(weights, revise_keys), strict=strict, logger=logger)


def revised(weights: Mapping[str, Any], rules: KeyRules) -> dict[str, Any]:
    """The weights under the names that the rules make, each rule on what the last one left.

    Raises:
        CheckpointError: two names became one.
    """
    renamed = like(weights)
    origin: dict[str, str] = {}
    for old, value in weights.items():
        name = old
        for pattern, replacement in rules:
            name = re.sub(pattern, replacement, name)
        if name in origin:
            raise CheckpointError(
                f"revise_keys makes {name!r} out of both {origin[name]!r} and {old!r}; "
                "make the patterns narrower"
            )
        origin[name] = old
        renamed[name] = value
    return renamed


def load_checkpoint(
    model: nn.Module,
    filename: str | Path,
    map_location: Any = "cpu",
    strict: bool = False,
    logger: logging.Logger | None = None,
    revise_keys: KeyRules = WITHOUT_WRAPPER,
) -> dict[str, Any]:
    """Take the weights of a file (or its ``state_dict`` entry); its whole content comes back."""
    checkpoint = read_checkpoint(filename, map_location=map_location)
    weights = weights_of(checkpoint)
    load_weights(model, weights, strict=strict, revise_keys=revise_keys, logger=logger)
    return checkpoint


def weights_of(checkpoint: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The weights in the content of a file, by choice of one part of the model alone.

    Args:
        checkpoint: what `read_checkpoint` gave.
        prefix: such as ``"backbone."``; it is cut from the names.

    Raises:
        CheckpointError: there are none, or none has the prefix.
    """
    weights = checkpoint.get("state_dict", checkpoint)
    if not isinstance(weights, Mapping):
        raise CheckpointError(f"state_dict is a {type(weights).__name__}, not a dict of weights")
    if not prefix:
        return dict(weights) if not isinstance(weights, dict) else weights
    stem = prefix if prefix.endswith(".") else f"{prefix}."
    chosen = {name[len(stem) :]: one for name, one in weights.items() if name.startswith(stem)}
    if not chosen:
        beginnings = sorted({str(name).partition(".")[0] for name in weights})
        raise CheckpointError(f"no weight begins with {stem!r}; they begin with {beginnings}")
    return chosen
