from __future__ import annotations

import pytest

from tk_runner.data import force_full_init


def test_force_full_init_needs_the_method() -> None:
    class Bare:
        @force_full_init
        def size(self) -> int:
            return 1

    with pytest.raises(AttributeError, match=r"Bare.size needs a method full_init\(\)"):
        Bare().size()


def test_force_full_init_initialises_once() -> None:
    class Counting:
        count = 0

        def full_init(self) -> None:
            self.count += 1

        @force_full_init
        def size(self) -> int:
            return self.count

    counting = Counting()

    assert (counting.size(), counting.size()) == (1, 1)
