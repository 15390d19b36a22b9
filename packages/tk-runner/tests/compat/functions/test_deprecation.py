"""Decorators for names that go away."""

from __future__ import annotations

import pytest

from tk_runner.compat.functions.deprecation import deprecated_api_warning, deprecated_function


@deprecated_api_warning({"old": "new"}, cls_name="Thing")
def call(new: int = 0) -> int:
    return new


@deprecated_function("1.0", "2.0", "use call")
def outdated() -> int:
    """What it did."""
    return 5


def test_an_old_name_is_taken_for_the_new_one() -> None:
    with pytest.warns(DeprecationWarning, match=r"'old' of Thing\.call is called 'new' now"):
        assert call(old=3) == 3
    assert call(new=4) == 4


def test_both_names_at_once_are_an_error() -> None:
    with pytest.raises(AssertionError, match="'old' and 'new', which are one argument"):
        call(old=1, new=2)


def test_an_outdated_function_warns_and_says_so_in_its_docstring() -> None:
    with pytest.warns(DeprecationWarning, match=r"outdated is deprecated since 1\.0 .*use call"):
        assert outdated() == 5
    assert "deprecated:: 1.0" in (outdated.__doc__ or "")
