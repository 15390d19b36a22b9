from __future__ import annotations

import pytest

from tk_logging import errors

ALL = [kind for kind in vars(errors).values() if isinstance(kind, type)]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_is_of_the_family_and_shows_its_text_as_it_is(kind: type[Exception]) -> None:
    assert issubclass(kind, errors.LoggingError)
    assert str(kind("a 'quoted' text")) == "a 'quoted' text"


@pytest.mark.parametrize("kind", ALL[1:], ids=lambda kind: kind.__name__)
def test_every_error_is_also_the_built_in_that_callers_catch(kind: type[Exception]) -> None:
    assert issubclass(kind, (TypeError, ValueError, KeyError))
