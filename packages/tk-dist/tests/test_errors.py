"""Each error is also the built-in one that callers catch, and survives pickling."""

from __future__ import annotations

import pickle

import pytest

import tk_dist

KINDS = [
    ("DataTypeError", TypeError),
    ("DeviceError", ValueError),
    ("GroupError", RuntimeError),
    ("LauncherError", ValueError),
    ("MissingVariableError", KeyError),
    ("PeerFailedError", RuntimeError),
    ("RankError", ValueError),
    ("RankFailedError", RuntimeError),
    ("ReduceOpError", ValueError),
    ("ResultsError", ValueError),
    ("ShapeError", ValueError),
]


@pytest.mark.parametrize(("name", "builtin"), KINDS)
def test_an_error_is_also_a_built_in_one(name: str, builtin: type[Exception]) -> None:
    error = getattr(tk_dist, name)("the text")

    assert isinstance(error, (tk_dist.DistError, builtin))
    assert issubclass(type(error), builtin)
    assert str(error) == "the text"
    assert str(pickle.loads(pickle.dumps(error))) == "the text"


def test_the_rank_that_failed_survives_pickling() -> None:
    error = tk_dist.RankFailedError("text", rank=3, traceback_text="where")
    copy = pickle.loads(pickle.dumps(error))

    assert (copy.rank, copy.traceback_text) == (3, "where")
