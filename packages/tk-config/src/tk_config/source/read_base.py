"""``read_base``: the mark under which a pure-Python config imports its bases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def read_base() -> Iterator[None]:
    """Mark imports as inheritance.

    ``Config.fromfile`` reads them from the file itself and never enters the block. When
    the file is imported as an ordinary module instead, the imports are ordinary, too.
    """
    yield
