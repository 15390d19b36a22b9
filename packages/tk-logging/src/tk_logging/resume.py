"""What of a hub is saved, and how it comes back.

A saved state holds builtins and tensors only, so that it loads where loading must
not run code. What cannot be said with those is left out and named in a warning.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any

from .errors import InvalidArgumentError, ResumedFlagError, StateError
from .history import HistoryBuffer
from .plain_values import PlainConverter

logger = logging.getLogger("tk.logging")

PARTS = ("log_scalars", "runtime_info", "resumed_keys")


def state_of(
    scalars: Mapping[str, HistoryBuffer], info: Mapping[str, Any], resumed: Mapping[str, bool]
) -> dict[str, Any]:
    """What is marked to be resumed, as a new tree of builtins and detached tensors."""
    kept_info: dict[str, Any] = {}
    for key, value in info.items():
        if not resumed.get(key):
            continue
        converter = PlainConverter()
        plain = converter.of(value, key)
        if converter.refusals:
            logger.warning(
                "%s, which checkpoints do not hold, so %r is left out; record builtins, "
                "arrays or tensors, or pass resumed=False",
                *("; ".join(converter.refusals), key),
            )
        else:
            kept_info[key] = plain
    kept_scalars = {key: buffer.state_dict() for key, buffer in scalars.items() if resumed.get(key)}
    kept = {key: True for key, flag in resumed.items() if flag}
    present = kept_scalars.keys() | kept_info.keys()
    return {
        "log_scalars": kept_scalars,
        "runtime_info": kept_info,
        "resumed_keys": {key: True for key in kept if key in present},
    }


def taken_over(value: Any, key: str) -> Any:
    """A copy of a saved fact; the object itself, with a warning, where it cannot be copied."""
    converter = PlainConverter()
    plain = converter.of(value, key)
    if not converter.refusals:
        return plain
    refusals = "; ".join(converter.refusals)
    logger.warning("%s, which cannot be copied; the object itself is taken over", refusals)
    return value


def checked_state(state: object) -> Mapping[str, Mapping[str, Any]]:
    """``state`` if it has the form of a hub's.

    Raises:
        StateError: it has not; the text says what is missing.
    """
    if not isinstance(state, Mapping):
        raise StateError(
            f"the state of a message hub is a dict with {', '.join(PARTS)}, "
            f"got {type(state).__name__}"
        )
    missing = [part for part in PARTS if not isinstance(state.get(part), Mapping)]
    if missing:
        raise StateError(
            f"the state of a message hub lacks {', '.join(missing)}; it has "
            f"{', '.join(map(str, state)) or 'nothing'}. Pass what state_dict() returned"
        )
    return state


def history_of(key: str, saved: object) -> HistoryBuffer | None:
    """The saved history of one scalar; None, with a warning, where it is none."""
    if isinstance(saved, HistoryBuffer):
        saved = saved.state_dict()
    try:
        return HistoryBuffer.from_state_dict(saved)
    except StateError as error:
        logger.warning("the saved scalar %r is not a history and is skipped: %s", key, error)
        return None


def check_flag(flags: Mapping[str, bool], key: object, resumed: object) -> None:
    """Make sure that ``key`` may be recorded with the flag ``resumed``.

    Raises:
        ResumedFlagError: it was recorded with the other one before.
    """
    if not isinstance(key, str):
        raise InvalidArgumentError(f"a key is a str, got {type(key).__name__}: {key!r:.80}")
    if not isinstance(resumed, bool):
        raise InvalidArgumentError(f"resumed is True or False, got {resumed!r:.80}")
    before = flags.get(key, resumed)
    if before is not resumed:
        raise ResumedFlagError(
            f"{key!r} was recorded with resumed={before} before and with resumed={resumed} "
            "now; pass the same in every call"
        )


def loadable_flags(saved: Mapping[str, bool], known: Collection[str]) -> dict[str, bool]:
    """The saved flags of keys that are known; a warning names what is odd about the others."""
    flags = {}
    for key, flag in saved.items():
        if key not in known:
            logger.warning("resumed_keys names %r, of which nothing was saved; skipped", key)
            continue
        if not flag:
            logger.warning("%r was saved though its resumed flag is False; it is loaded", key)
        flags[key] = bool(flag)
    return flags
