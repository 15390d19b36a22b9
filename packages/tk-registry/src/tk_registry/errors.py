"""The errors of tk_registry: one base, and each is also the built-in that callers catch.

Errors about a config know their place in it: ``path`` is the dotted path from the
config that was given to ``build``, ``origin`` its file and line where the config
can tell.
"""

from __future__ import annotations

from collections.abc import Collection


class RegistryError(Exception):
    """Base of every error that tk_registry raises on purpose."""

    def __str__(self) -> str:  # KeyError would show the repr of the text
        return str(self.args[0]) if self.args else ""


class InvalidUseError(RegistryError, TypeError):
    """A function of this package was called with a wrong kind of argument."""


class NameClashError(RegistryError, KeyError):
    """Two different objects, or two registries, want the same name."""


class RegistrationImportError(RegistryError, ImportError):
    """A module that registers, or that a dotted name needs, failed to import.

    Attributes:
        scopes: the scopes that the module would have registered, where that is known.
    """

    def __init__(self, message: str, *, scopes: Collection[str] = ()) -> None:
        super().__init__(message)
        self.scopes = frozenset(scopes)


class InstanceError(RegistryError, RuntimeError):
    """There is no current instance, or no way to tell which of several it is."""


class ConfigError(RegistryError):
    """Something is wrong at one place of a config."""

    def __init__(self, message: str, *, origin: str | None = None) -> None:
        super().__init__(message)
        self.path = ""
        self.origin = origin
        self.node: object = None  # the mapping that was being built

    def __str__(self) -> str:
        place = self.path
        if self.origin is not None:
            place = f"{place} ({self.origin})" if place else self.origin
        message = super().__str__()
        return f"{place}: {message}" if place else message


class MissingTypeError(ConfigError, KeyError):
    """A config to build from does not say what to build."""


class UnknownNameError(ConfigError, KeyError):
    """A name that no registry on the search path holds."""


class UnknownScopeError(UnknownNameError):
    """A scope that no registry has and no installed package announces."""


class RefusedNameError(UnknownNameError):
    """A dotted name that leads to something a config may not reach."""


class ArgumentError(ConfigError, TypeError):
    """Arguments that do not fit the signature of what is built."""
