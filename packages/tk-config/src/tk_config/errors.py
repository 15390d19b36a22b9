"""The errors of tk_config: one base, and each is also the built-in that callers catch."""

from __future__ import annotations


class ConfigError(Exception):
    """Base of every error that tk_config raises on purpose."""


class ConfigWarning(UserWarning):
    """Something in a config that works, but probably not as meant."""


class ConfigParsingError(ConfigError, RuntimeError):
    """A config file whose structure cannot be understood; the text names file and line."""


class ConfigSyntaxError(ConfigParsingError, SyntaxError):
    """A config file that is not valid in its own format; names the real file and line."""

    def __init__(self, text: str) -> None:
        SyntaxError.__init__(self, text)

    def __str__(self) -> str:
        return str(self.args[0])


class UnsafeConfigError(ConfigParsingError, ValueError):
    """Text read as data holds something that only a trusted file may hold."""


class ConfigFormatError(ConfigError, OSError):
    """A file name whose ending is none of the config formats."""


class MissingBaseError(ConfigError, FileNotFoundError):
    """A base config that is not where the inheriting file says."""


class MissingPackageError(ConfigError, ModuleNotFoundError):
    """A base config of a package that is not installed."""


class _TextOfKeyError(ConfigError, KeyError):
    """A KeyError whose text is shown as it is; KeyError alone would show its repr."""

    def __str__(self) -> str:
        return str(self.args[0])


class MissingKeyError(_TextOfKeyError):
    """A key that the config does not hold."""


class DuplicateKeyError(_TextOfKeyError):
    """The same key defined by two bases (or twice in one file)."""


class ReservedKeyError(_TextOfKeyError):
    """A top-level key that is the name of a property of ``Config``."""


class MisspeltKeyError(_TextOfKeyError):
    """A key of an override that is one typing mistake away from an existing one."""


class EnvironmentKeyError(_TextOfKeyError):
    """An environment variable that a config needs and that is not set."""


class MergeError(ConfigError, TypeError):
    """Two values that cannot be merged, such as a dict over a number."""


class FrozenConfigError(ConfigError, TypeError):
    """A change of a config that was frozen."""


class DumpError(ConfigError, TypeError, ValueError):
    """A value that cannot be written so that it loads back equal; the text names its key."""


class CustomImportError(ConfigError, ImportError):
    """A module named in ``custom_imports``, or needed by a lazy value, that cannot be imported."""
