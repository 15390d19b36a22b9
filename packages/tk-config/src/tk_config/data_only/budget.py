"""Bounds on what reading a config as data may cost.

Every step of the evaluation and every value that is made is paid for; a value costs
what it would take to write it out, shared parts counted each time. Whoever asks for
more is refused before it is made.
"""

from __future__ import annotations

import re
import time
from typing import Any

MOST_STEPS = 1_500_000
MOST_SECONDS = 5.0
MOST_BITS = 10_000
"""Of an integer; some 3,000 digits."""

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
        left, open_values, cost = self._left, [value], 0
        while open_values:
            item = open_values.pop()
            cost += 1
            if isinstance(item, (str, bytes)):
                cost += len(item)
            elif isinstance(item, dict):
                open_values.extend(dict.keys(item))
                open_values.extend(dict.values(item))
            elif isinstance(item, (list, tuple, set, frozenset)):
                open_values.extend(item)
            if cost + len(open_values) > left:
                break
        self.spend(cost + len(open_values))
        return value


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
