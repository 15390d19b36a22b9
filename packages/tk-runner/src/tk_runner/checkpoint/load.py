"""Weights into a model, with a report of what did not fit."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from .errors import KeyMismatchError
from .read import read_checkpoint

default_logger = logging.getLogger("tk.runner")
SHOWN = 8
KeyRules = Sequence[tuple[str, str]]
WITHOUT_WRAPPER: KeyRules = ((r"^module\.", ""),)


@dataclass
class LoadReport:
    """What fitted and what did not."""

    loaded: int = 0
    missing: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    mismatched: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether every weight of the model was in the file and nothing else."""
        return not (self.missing or self.unexpected or self.mismatched)

    def __str__(self) -> str:
        lines = [f"{self.loaded} weights loaded"]
        for title, names in (
            ("missing in the file", self.missing),
            ("not in the model", self.unexpected),
            ("of another shape", self.mismatched),
        ):
            if names:
                shown = ", ".join(names[:SHOWN])
                more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
                lines.append(f"{len(names)} {title}: {shown}{more}")
        lines += self._hints()
        return "\n  ".join(lines)

    def _hints(self) -> list[str]:
        """Names of the file that are near a missing one."""
        hints = []
        for name in self.missing[:SHOWN]:
            close = difflib.get_close_matches(name, self.unexpected, n=1, cutoff=0.8)
            if close:
                hints.append(f"{name!r} may be {close[0]!r} of the file; rename with revise_keys")
        return hints


def load_state_dict(
    module: nn.Module,
    state_dict: Mapping[str, Any],
    strict: bool = False,
    logger: logging.Logger | None = None,
) -> LoadReport:
    """Take the weights that fit; report the others.

    Weights of another shape are left out, unless ``strict``. Hooks that modules
    registered around loading run as in torch.

    Raises:
        KeyMismatchError: ``strict``, and something does not fit.
    """
    own = module.state_dict()
    report = LoadReport()
    fitting = _like(state_dict)
    for name, value in state_dict.items():
        shape = getattr(own.get(name), "shape", None)
        if shape is not None and isinstance(value, torch.Tensor) and value.shape != shape:
            report.mismatched.append(f"{name} {tuple(value.shape)} for {tuple(shape)}")
        else:
            fitting[name] = value
    result = module.load_state_dict(fitting, strict=False)
    wrong = {text.partition(" ")[0] for text in report.mismatched}
    report.missing = [
        name
        for name in result.missing_keys
        if name not in wrong and not name.endswith("num_batches_tracked")
    ]
    report.unexpected = list(result.unexpected_keys)
    report.loaded = len(fitting) - len(report.unexpected)
    if not report.is_complete:
        if strict:
            raise KeyMismatchError(f"the weights do not fit the model:\n  {report}")
        (logger or default_logger).warning("%s", report)
    return report


def _like(state_dict: Mapping[str, Any]) -> dict[str, Any]:
    """An empty dict that carries the module versions of ``state_dict``."""
    empty = type(state_dict)() if isinstance(state_dict, dict) else {}
    if hasattr(state_dict, "_metadata"):
        empty._metadata = state_dict._metadata  # type: ignore[attr-defined]
    return empty


def load_weights(
    model: nn.Module,
    weights: Mapping[str, Any],
    *,
    strict: bool = False,
    revise_keys: KeyRules = WITHOUT_WRAPPER,
    logger: logging.Logger | None = None,
) -> LoadReport:
    """Rewrite the names by regular expressions, then `load_state_dict`."""
    revised = _like(weights)
    for name, value in weights.items():
        for pattern, replacement in revise_keys:
            name = re.sub(pattern, replacement, name)
        revised[name] = value
    return load_state_dict(model, revised, strict=strict, logger=logger)


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
    weights = checkpoint.get("state_dict", checkpoint)
    load_weights(model, weights, strict=strict, revise_keys=revise_keys, logger=logger)
    return checkpoint
