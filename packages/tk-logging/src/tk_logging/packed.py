"""Numbers as the text in which states of version 0.1 kept them; only read, not written any more.

``<code>:<how many>:<base 85>``, where ``code`` is ``f`` or ``d`` as in ``struct``; the
bytes of the numbers are sorted by significance and compressed.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from base64 import b85decode
from itertools import chain

from .errors import StateError


def unpack(text: str) -> list[float]:
    """The numbers in ``text``.

    Raises:
        StateError: the text has another form.
    """
    try:
        code, number, coded = text.split(":")
        if code not in ("f", "d"):
            raise ValueError(f"unknown code {code!r}")
        packed = array(code)
        size, length = packed.itemsize, int(number)
        # One byte more than announced is enough to see that the text lies.
        raw = zlib.decompressobj().decompress(b85decode(coded), size * length + 1)
        if len(raw) != size * length:
            raise ValueError(f"{length} numbers announced, {len(raw)} bytes found")
    except (ValueError, OverflowError, zlib.error) as error:
        raise StateError(f"not a packed list of numbers: {error}") from error
    planes = [raw[place * length : (place + 1) * length] for place in range(size)]
    packed.frombytes(bytes(chain.from_iterable(zip(*planes, strict=True))))
    if sys.byteorder == "big":
        packed.byteswap()
    return [float(number) for number in packed]
