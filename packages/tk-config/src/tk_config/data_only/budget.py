"""Bounds on what reading a config as data may cost.

Every step of the evaluation and every value that is made is paid for; a value costs
what it would take to write it out, shared parts counted each time. Whoever asks for
more is refused before it is made.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from pathlib import PurePath
from typing import Any

MOST_STEPS = 1_500_000
MOST_SECONDS = 5.0
MOST_BITS = 10_000
"""Of an integer; some 3,000 digits."""

_MOST_COLLISIONS = 100
_WIDTH = re.compile(r"\d{4,}")


class OverBudgetError(Exception):
    """More was asked for than the bounds allow; the text says what."""


class Budget:
    """What is left to spend on one file."""

    def __init__(self) -> None:
        self._left = MOST_STEPS
        self._deadline = time.monotonic() + MOST_SECONDS
        self._until_look = 1000

    def spend(self, amount: int = 1) -> None:
        """Pay for ``amount`` steps, characters or items.

        Raises:
            OverBudgetError: so much is not left, in steps or in time.
        """
        self._left -= amount
        if self._left < 0:
            raise OverBudgetError(f"it needs more than {MOST_STEPS} steps and values")
        self._until_look -= 1
        if self._until_look < 0:
            self._until_look = 1000
            if time.monotonic() > self._deadline:
                raise OverBudgetError(f"it takes longer than {MOST_SECONDS:g} s")

    def pay_for(self, value: Any) -> Any:
        """Pay for a value as a whole, shared parts each time; gives it back."""
        self.spend(self.cost_of(value))
        return value

    def cost_of(self, value: Any) -> int:
        """Tell what it takes to write a value out, or any number that is too much.

        Raises:
            OverBudgetError: keys in it were chosen so that their hashes are equal.
        """
        left, open_values, cost = self._left, [value], 0
        while open_values:
            item = open_values.pop()
            cost += 1
            if isinstance(item, (str, bytes)):
                cost += len(item)
            elif isinstance(item, PurePath):
                cost += len(str(item))
            elif isinstance(item, int):
                cost += item.bit_length() >> 5
            elif isinstance(item, dict):
                check_hashes(item)
                open_values.extend(dict.keys(item))
                open_values.extend(dict.values(item))
            elif isinstance(item, (list, tuple, set, frozenset)):
                if isinstance(item, (set, frozenset)):
                    check_hashes(item)
                open_values.extend(item)
            if cost + len(open_values) > left:
                break
        return cost + len(open_values)


def check_hashes(keys: Collection[Any]) -> None:
    """Refuse keys of which very many have the same hash; finding one compares it with all.

    Raises:
        OverBudgetError: there are more than chance gives.
    """
    if len(keys) <= _MOST_COLLISIONS:
        return
    by_hash: dict[int, list[Any]] = {}
    for key in keys:
        if not isinstance(key, str):  # their hashes cannot be chosen
            same = by_hash.setdefault(hash(key), [])
            if len(same) <= _MOST_COLLISIONS and (not same or key != same[0]):
                same.append(key)
    if any(len(same) > _MOST_COLLISIONS for same in by_hash.values()):
        raise OverBudgetError("more than a hundred keys have the same hash")


def check_bits(bits: int) -> None:
    """Refuse an integer of more bits than is allowed.

    Raises:
        OverBudgetError: it is too large.
    """
    if bits > MOST_BITS:
        raise OverBudgetError(f"an integer of more than {MOST_BITS} bits")


def check_format(spec: str) -> None:
    """Refuse widths of four digits and more in a format.

    Raises:
        OverBudgetError: the format asks for one.
    """
    if _WIDTH.search(spec) or "*" in spec:
        raise OverBudgetError(f"the format {spec!r} asks for a width of more than 999")
