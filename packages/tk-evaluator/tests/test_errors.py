from __future__ import annotations

import builtins
import pickle

import pytest

from tk_evaluator import MetricError
from tk_evaluator.errors import builtin_type, like


def is_made_from_text(kind: type) -> bool:
    return issubclass(kind, Exception) and not issubclass(kind, GROUP)


GROUP = getattr(builtins, "ExceptionGroup", ())  # new in Python 3.11
BUILT_IN = sorted(
    (kind for kind in vars(builtins).values() if isinstance(kind, type)), key=lambda k: k.__name__
)


@pytest.mark.parametrize("kind", [kind for kind in BUILT_IN if is_made_from_text(kind)])
def test_an_error_is_caught_as_the_original_type_and_as_a_metric_error(
    kind: type[Exception],
) -> None:
    error = like(kind, "what went wrong")

    assert isinstance(error, kind)
    assert isinstance(error, MetricError)
    assert str(error) == "what went wrong"


@pytest.mark.skipif(not GROUP, reason="Python 3.10 has no exception groups")
def test_a_group_of_exceptions_becomes_a_plain_metric_error() -> None:
    assert type(like(GROUP, "text")) is MetricError


def test_the_made_error_survives_pickling_as_a_metric_error() -> None:
    error = pickle.loads(pickle.dumps(like(KeyError, "text")))

    assert type(error) is MetricError
    assert str(error) == "text"


def test_the_built_in_type_of_a_users_error_is_its_nearest_base() -> None:
    class Mine(LookupError): ...

    assert builtin_type(Mine()) is LookupError
