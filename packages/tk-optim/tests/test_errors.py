"""Each error is also the built-in that callers catch."""

from __future__ import annotations

import pytest

from tk_optim import InvalidSettingError, InvalidTypeError, OptimError, UnknownKeyError
from tk_optim import UnsupportedCallError as Unsupported
from tk_optim.errors import refusals


@pytest.mark.parametrize(
    ("error", "built_in"),
    [
        (InvalidSettingError, ValueError),
        (InvalidTypeError, TypeError),
        (UnknownKeyError, KeyError),
        (Unsupported, NotImplementedError),
        (Unsupported, AttributeError),
        (InvalidSettingError, AssertionError),
    ],
)
def test_an_error_is_caught_as_the_built_in_and_as_the_packages(
    error: type[Exception], built_in: type[Exception]
) -> None:
    assert issubclass(error, built_in)
    assert issubclass(error, OptimError)


def test_the_text_of_an_unknown_key_is_shown_as_it_is() -> None:
    assert str(UnknownKeyError("no 'a'")) == "no 'a'"


def test_what_settings_refuse_is_given_with_its_place() -> None:
    def settings(size: int) -> None:
        if size < 1:
            raise InvalidSettingError("too small")

    assert list(refusals("size", settings, 0)) == [("size", "too small")]
    assert list(refusals("size", settings, 1)) == []
