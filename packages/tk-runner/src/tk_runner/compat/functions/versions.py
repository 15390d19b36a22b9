"""Versions as tuples of numbers, as code for MMEngine compares them."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

_BEFORE = {"a": -3, "b": -2, "rc": -1}


def digit_version(version_str: str, length: int = 4) -> tuple[int, ...]:
    """The release, filled up with zeros to ``length``, and two numbers for what follows it.

    The two are 0, 0 for a final release, -3, -2 or -1 with its number for a, b and rc,
    and 1 with its number for a post release. What stands behind ``+`` does not count.
    """
    if "parrots" in version_str:
        raise AssertionError(f"{version_str!r} is no version of PyTorch")
    try:
        version = Version(version_str)
    except InvalidVersion as error:
        raise AssertionError(f"{version_str!r} is not a version: {error}") from error
    release = list(version.release)[:length]
    release += [0] * (length - len(release))
    if version.is_prerelease:
        kind, number = version.pre or ("", 0)
        return (*release, _BEFORE.get(kind, -4), number)
    if version.is_postrelease:
        return (*release, 1, version.post or 0)
    return (*release, 0, 0)


def parse_version_info(version_str: str) -> tuple[int | str, ...]:
    """The parts of a version; what follows ``rc`` is kept as a text: ``(1, 0, 0, 'rc2')``."""
    parts: list[int | str] = []
    for part in version_str.split("."):
        if part.isdigit():
            parts.append(int(part))
        elif "rc" in part:
            number, _, candidate = part.partition("rc")
            parts += [int(number), f"rc{candidate}"]
    return tuple(parts)
