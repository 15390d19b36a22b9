"""Python, YAML, JSON and TOML configs with inheritance, overrides and provenance."""

import typing

from .config import Config
from .errors import (
    ConfigError,
    ConfigFormatError,
    ConfigParsingError,
    ConfigSyntaxError,
    ConfigWarning,
    CustomImportError,
    DumpError,
    DuplicateKeyError,
    EnvironmentKeyError,
    FrozenConfigError,
    MergeError,
    MissingBaseError,
    MissingKeyError,
    MissingPackageError,
    MisspeltKeyError,
    ReservedKeyError,
    UnsafeConfigError,
)
from .options.dict_action import DictAction
from .source.read_base import read_base
from .tree.config_dict import ConfigDict, MissingAttributeError
from .tree.origin import Origin
from .tree.placeholders import LazyAttr, LazyObject
from .tree.secret import Secret, masked, names_a_secret, secrets_of

__all__ = [
    "Config",
    "ConfigDict",
    "ConfigError",
    "ConfigFormatError",
    "ConfigParsingError",
    "ConfigSyntaxError",
    "ConfigWarning",
    "CustomImportError",
    "DictAction",
    "DumpError",
    "DuplicateKeyError",
    "EnvironmentKeyError",
    "FrozenConfigError",
    "LazyAttr",
    "LazyObject",
    "MergeError",
    "MissingAttributeError",
    "MissingBaseError",
    "MissingKeyError",
    "MissingPackageError",
    "MisspeltKeyError",
    "Origin",
    "ReservedKeyError",
    "Secret",
    "UnsafeConfigError",
    "masked",
    "names_a_secret",
    "read_base",
    "secrets_of",
]

if typing.TYPE_CHECKING:
    __version__: str
else:  # a type checker that saw it would take any name for public

    def __getattr__(name: str) -> str:
        if name == "__version__":
            from importlib.metadata import version  # slow, and seldom asked

            return version("tk-config")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
