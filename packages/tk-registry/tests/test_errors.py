"""Errors are told in plain text and caught as the built-ins that callers know."""

from __future__ import annotations

import pickle

import pytest

from tk_registry import errors

BUILTINS = {
    "InvalidUseError": TypeError,
    "NameClashError": KeyError,
    "RegistrationImportError": ImportError,
    "InstanceError": RuntimeError,
    "MissingTypeError": KeyError,
    "UnknownNameError": KeyError,
    "UnknownScopeError": KeyError,
    "RefusedNameError": KeyError,
    "ArgumentError": TypeError,
}


@pytest.mark.parametrize(("name", "builtin"), BUILTINS.items())
def test_each_is_a_registry_error_and_a_builtin(name: str, builtin: type) -> None:
    error = getattr(errors, name)("what went wrong")

    assert isinstance(error, errors.RegistryError)
    assert isinstance(error, builtin)
    assert str(error) == "what went wrong"
    assert str(pickle.loads(pickle.dumps(error))) == "what went wrong"


def test_the_place_comes_first() -> None:
    error = errors.ArgumentError("no such thing", origin="cfg.py:3")
    assert str(error) == "cfg.py:3: no such thing"
    error.path = "model.head"

    assert str(error) == "model.head (cfg.py:3): no such thing"
