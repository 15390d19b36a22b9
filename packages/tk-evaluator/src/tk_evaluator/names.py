"""Names of results: prefixes, collisions, and finding a value by its name.

A full name is ``prefix/name``; a bare name is its last part.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tk_registry import did_you_mean

from .errors import ResultNameError


def with_prefix(prefix: str | None, results: Mapping[str, Any]) -> dict[str, Any]:
    """The results under ``prefix/name``, or as they are without a prefix."""
    if not prefix:
        return dict(results)
    return {f"{prefix}/{name}": value for name, value in results.items()}


def find_name(indicator: str, names: Collection[str]) -> str:
    """The one full name that ``indicator`` means.

    Args:
        indicator: a full name, or a bare one that is the last part of exactly
            one name.
        names: full names.

    Raises:
        ResultNameError: None or several match; the text lists the names.
    """
    if indicator in names:
        return indicator
    matches = [] if "/" in indicator else [n for n in names if n.rsplit("/", 1)[-1] == indicator]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise ResultNameError(
            f"the result name {indicator!r} is ambiguous: it fits {', '.join(sorted(matches))}; "
            "give the full name"
        )
    raise _unknown(indicator, names)


def get_metric_value(indicator: str, metrics: Mapping[str, Any]) -> Any:
    """The value of the result that ``indicator`` names.

    Args:
        indicator: a full name (``accuracy/top1``), or its last part (``top1``)
            where only one result has it.
        metrics: what an evaluation returned.

    Raises:
        ResultNameError: no result, or more than one, has that name.
    """
    return metrics[find_name(indicator, metrics)]


def _unknown(indicator: str, names: Collection[str]) -> ResultNameError:
    bare = {name.rsplit("/", 1)[-1]: name for name in names}
    hint = did_you_mean(
        indicator,
        [*names, *bare],
        "check the name and the prefix of the metric",
        shown=lambda name: repr(bare.get(name, name)),
    )
    known = ", ".join(sorted(names)) or "(there are no results)"
    return ResultNameError(f"no result is called {indicator!r}; known: {known}; {hint}")
