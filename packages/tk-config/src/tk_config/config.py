"""``Config``: a tree with its source text, its file name, and the origin of every value.

Everything that a ``ConfigDict`` can do, a ``Config`` can; this class adds reading,
writing and overriding. How each of them works is told in ``load.py``,
``source_text.py`` and ``overrides.py``; what reads and writes is imported on use, since
it takes longer to import than all the rest.
"""

from __future__ import annotations

import copy
import os
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import ConfigFormatError, MergeError
from .options.dict_action import CommandLineOptions
from .tree.config_dict import ConfigDict
from .tree.mapping import TreeMapping, refuse_reserved
from .tree.origin import COMMAND_LINE, OVERRIDE, Origin, make_origin, origin_of_caller
from .tree.overrides import Override
from .tree.secret import hidden, secrets_in, secrets_of
from .tree.spelling import SpellingCheck, report_misspelt

if TYPE_CHECKING:
    from pathlib import Path

    from .reading.load import LoadedConfig


class Config(TreeMapping):
    """A config: a tree of dicts with attribute access that knows where it comes from.

    Args:
        cfg_dict: the values.
        cfg_text: source text; read from ``filename`` when that is given alone.
        filename: file the values come from.
        env_variables: environment variables that were used.
        format_python_code: accepted for compatibility; no formatter is needed.

    Raises:
        TypeError: ``cfg_dict`` is no mapping.
        ReservedKeyError: a top-level key is one of ``filename``, ``text``, ``pretty_text``,
            ``env_variables``.
    """

    _filename: str | None
    _text: str
    _env_variables: dict[str, str]
    _secrets: dict[str, str]

    def __init__(
        self,
        cfg_dict: Mapping[Any, Any] | None = None,
        cfg_text: str | None = None,
        filename: str | Path | None = None,
        env_variables: Mapping[str, str] | None = None,
        format_python_code: bool = True,
    ) -> None:
        if cfg_dict is None:
            cfg_dict = {}
        elif not isinstance(cfg_dict, Mapping):
            raise TypeError(f"cfg_dict must be a dict, not {type(cfg_dict).__name__}")
        if isinstance(cfg_dict, Config):
            cfg_dict = cfg_dict._cfg_dict
        tree = cfg_dict if isinstance(cfg_dict, ConfigDict) else ConfigDict(cfg_dict)
        refuse_reserved(tree)
        if cfg_text is None:
            cfg_text = _text_of(filename) if filename else ""
        self._set(tree, cfg_text, filename, dict(env_variables or {}))

    def _set(
        self,
        tree: ConfigDict,
        text: str,
        filename: str | Path | None,
        env_variables: dict[str, str],
        secrets: dict[str, str] | None = None,
        imported: dict[str, Any] | None = None,
    ) -> None:
        state = self.__dict__
        state["_cfg_dict"] = tree
        state["_text"] = text
        state["_filename"] = None if filename is None else str(filename)
        state["_env_variables"] = env_variables
        state["_secrets"] = secrets or {}
        state["_imported"] = imported or {}

    # -- reading ---------------------------------------------------------------------

    @staticmethod
    def fromfile(
        filename: str | Path,
        use_predefined_variables: bool = True,
        import_custom_modules: bool = True,
        use_environment_variables: bool = True,
        lazy_import: bool | None = None,
        format_python_code: bool = True,
        *,
        trusted: bool = True,
        strict: bool = False,
        root: str | Path | None = None,
    ) -> Config:
        """Read a ``.py``, ``.yaml``, ``.json`` or ``.toml`` config with all its bases.

        Args:
            filename: the file.
            use_predefined_variables: replace ``{{fileDirname}}`` and its like.
            import_custom_modules: import what ``custom_imports`` names.
            use_environment_variables: replace ``{{$NAME:default}}``.
            lazy_import: True for the pure-Python dialect, False for the text dialect,
                None to decide by what the file says.
            format_python_code: accepted for compatibility; no formatter is needed.
            trusted: whether Python of the file may run. False reads it as data, with bounds
                on size and time: no import, no environment, bases only below ``root``.
            strict: raise for keys of an heir that are one typing mistake away from a key
                of its base, instead of a warning.
            root: with ``trusted=False``, the folder in which all bases must lie. None is the
                outermost folder called ``configs`` around the file, else its package, else its
                working copy (the folder with ``.git``), else its own folder.

        Raises:
            FileNotFoundError: the file, or a base, does not exist.
            ConfigFormatError: the ending is none of the formats.
            ConfigParsingError: the file cannot be understood; names file and line.
            UnsafeConfigError: with ``trusted=False``, it holds more than data.
        """
        from .reading.load import load_file
        from .reading.source_file import Rules, suffix_of

        path = os.path.abspath(filename)  # noqa: PTH100  # pathlib is several times slower
        if not os.path.isfile(path):  # noqa: PTH113
            raise _not_a_file(filename, path)
        suffix_of(path)
        rules = Rules(
            trusted,
            strict,
            lazy_import,
            use_predefined_variables,
            use_environment_variables,
            None if root is None else os.path.realpath(root),
        )
        loaded = load_file(path, str(filename), rules)
        if trusted and import_custom_modules and not loaded.is_lazy:
            from .reading.custom_imports import import_named

            import_named(loaded.tree)
        return _from_loaded(loaded, loaded.text, str(filename))

    @staticmethod
    def fromstring(cfg_str: str, file_format: str, *, trusted: bool = False) -> Config:
        """Read the text of a config, as data unless it is said to be trusted.

        Args:
            cfg_str: the text.
            file_format: ``".py"``, ``".yaml"``, ``".yml"``, ``".json"`` or ``".toml"``.
            trusted: whether its Python may run, and bases be read from the current folder.

        Raises:
            ConfigFormatError: the format is none of these.
            ConfigParsingError: the text cannot be understood; names the line.
            UnsafeConfigError: it holds more than data.
        """
        from .reading.load import load_text
        from .reading.source_file import Rules, suffix_of

        loaded = load_text(cfg_str, suffix_of(f"text{file_format}"), Rules(trusted=trusted))
        return _from_loaded(loaded, cfg_str, None)

    @staticmethod
    def auto_argparser(description: str | None = None) -> tuple[ArgumentParser, Config]:
        """Make a parser with one option for each key of the config named on the command line.

        Returns:
            The parser, and the config that its positional argument names.
        """
        from .options.dict_action import add_args

        first = ArgumentParser(description=description, add_help=False, allow_abbrev=False)
        first.add_argument("config", help="config file path")
        cfg = Config.fromfile(first.parse_known_args()[0].config)
        parser = ArgumentParser(description=description, allow_abbrev=False)
        parser.add_argument("config", help="config file path")
        add_args(parser, cfg._cfg_dict)
        return parser, cfg

    # -- what is known about it ------------------------------------------------------

    @property
    def filename(self) -> str | None:
        """File that the config was read from."""
        return self._filename

    @filename.setter
    def filename(self, value: str | Path | None) -> None:
        self.__dict__["_filename"] = None if value is None else str(value)

    @property
    def text(self) -> str:
        """Source of all files that were read, bases first."""
        return self._text

    @property
    def env_variables(self) -> dict[str, str]:
        """Environment variables that were used; secrets are shown as their references."""
        return self._env_variables

    @property
    def pretty_text(self) -> str:
        """The values as Python source; what cannot be written is shown, never an error."""
        from .writing.python_text import python_source, show_unwritable

        return python_source(self._cfg_dict, self._shown_as_references, show_unwritable)

    @property
    def _shown_as_references(self) -> dict[str, str]:
        """Secrets by real text: those the config was given, and those of the environment.

        Code of a config may have read the environment by any way; its secrets are looked up
        when something is shown, and never stored.
        """
        return {**secrets_of(os.environ), **self._secrets}

    def origin(self, path: str = "") -> Origin | None:
        """Tell where the value at a dotted path was set; see :meth:`ConfigDict.origin`."""
        return self._cfg_dict.origin(path)

    def __config_origin__(self, path: str) -> str | None:
        """Tell where a value comes from as ``"file:line"``, or None; never raises."""
        return self._cfg_dict.__config_origin__(path)

    # -- writing ---------------------------------------------------------------------

    def dump(self, file: str | Path | None = None) -> str | None:
        """Write the resolved values so that they load back equal.

        Args:
            file: target, whose ending gives the format; written atomically. None returns
                the text, in the format of the file that was read (Python without one).

        Raises:
            DumpError: a value cannot be written; names its key.
            ConfigFormatError: the ending is none of the formats, or TOML.
        """
        from .reading.source_file import suffix_of

        name = file if file is not None else self._filename
        suffix = ".py" if name is None else suffix_of(str(name))
        text = self.dump_text(".py" if suffix == ".toml" and file is None else suffix)
        if file is None:
            return text
        from tk_fileio import atomic_write

        with atomic_write(file, mode="w") as stream:
            stream.write(text)
        return None

    def dump_text(self, suffix: str) -> str:
        """Give the text that :meth:`dump` writes in one format, such as ``".yaml"``."""
        if suffix == ".py":
            from .writing.python_text import python_source

            return python_source(self._cfg_dict, self._shown_as_references)
        from .writing.data_text import data_text

        return data_text(self._cfg_dict, suffix, self._shown_as_references)

    @staticmethod
    def diff(cfg1: str | Path | Config, cfg2: str | Path | Config) -> str:
        """Give the differences of two configs as a unified diff of their pretty texts."""
        from .writing.diff import text_diff

        first, second = (
            cfg if isinstance(cfg, Config) else Config.fromfile(cfg) for cfg in (cfg1, cfg2)
        )
        return text_diff(first.pretty_text, second.pretty_text)

    def to_dict(self, keep_imported: bool = False) -> dict[Any, Any]:
        """Give plain dicts; lazy values as dotted names.

        Args:
            keep_imported: whether names that the file imports are keys, too.
        """
        plain = self._cfg_dict.to_dict()
        if keep_imported:
            plain = {**ConfigDict(self._imported).to_dict(), **plain}
        return plain

    def _to_lazy_dict(self, keep_imported: bool = False) -> dict[Any, Any]:
        """Give plain dicts; lazy values stay placeholders. MMEngine's scripts call it."""
        plain = self._cfg_dict._to_lazy_dict()
        return {**self._imported, **plain} if keep_imported else plain

    # -- changing --------------------------------------------------------------------

    def merge_from_dict(
        self, options: Mapping[str, Any], allow_list_keys: bool = True, *, strict: bool = False
    ) -> None:
        """Set values by dotted paths, such as ``{"model.stages.0.depth": 3}``.

        Digits are positions in lists, ``+`` appends to one, the value ``"_delete_"`` removes
        what the path names. A dict is merged; ``_delete_=True`` in it replaces instead.

        Args:
            options: values by path.
            allow_list_keys: whether digits may address lists.
            strict: raise for a new key that is one typing mistake away from an existing one,
                instead of a warning.

        Raises:
            MergeError: a dict meets a plain value, or a list when that is not allowed.
            MissingKeyError: a position is past the end of its list.
            MisspeltKeyError: in strict mode.
        """
        if not isinstance(options, Mapping):
            raise MergeError(f"options must be a dict of dotted paths, not {options!r}")
        if strict:  # nothing is changed when one of them is refused
            check = copy.deepcopy(self)._merge(options, allow_list_keys)
            report_misspelt(check.problems, strict=True, stacklevel=3)
        check = self._merge(options, allow_list_keys)
        report_misspelt(check.problems, strict=False, stacklevel=3)

    def _merge(self, options: Mapping[str, Any], allow_list_keys: bool) -> SpellingCheck:
        check = SpellingCheck()
        typed = isinstance(options, CommandLineOptions)
        caller = None if typed else origin_of_caller(OVERRIDE)
        for path, value in options.items():
            if typed:
                value = hidden(value, path)
                self.__dict__["_secrets"] = {**self._secrets, **secrets_in(value)}
            origin = caller or make_origin(COMMAND_LINE, f"{path}={value!r}", None)
            override = Override(
                path, value, origin, allow_list_keys=allow_list_keys, on_new_key=check
            )
            override.apply(self._cfg_dict)
        return check

    def freeze(self) -> Config:
        """Refuse every later change of the values; gives itself."""
        self._cfg_dict.freeze()
        return self

    # -- copies ----------------------------------------------------------------------

    def copy(self) -> Config:
        """Copy the config; nested nodes are shared."""
        return self._with_tree(self._cfg_dict.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Config:
        return self._with_tree(copy.deepcopy(self._cfg_dict, memo))

    def _with_tree(self, tree: ConfigDict) -> Config:
        cfg = Config.__new__(Config)
        cfg.__dict__.update(self.__dict__)
        cfg.__dict__["_cfg_dict"] = tree
        return cfg

    def __reduce__(self) -> Any:
        return _restored, (dict(self.__dict__),)

    def __repr__(self) -> str:
        return f"Config (path: {self._filename}): {_shown(self)}"


def _text_of(filename: str | Path) -> str:
    with open(filename, encoding="utf-8") as file:  # noqa: PTH123  # pathlib takes 3 ms to import
        return file.read()


def _shown(cfg: Config) -> str:
    from .tree.secret import masked

    return masked(repr(cfg._cfg_dict), cfg._shown_as_references)


def _from_loaded(loaded: LoadedConfig, text: str, filename: str | None) -> Config:
    refuse_reserved(loaded.tree)
    cfg = Config.__new__(Config)
    cfg._set(loaded.tree, text, filename, loaded.env_variables, loaded.secrets, loaded.imported)
    return cfg


def _not_a_file(filename: str | Path, path: str) -> OSError:
    if os.path.isdir(path):  # noqa: PTH112
        return ConfigFormatError(
            f"{filename} is a folder, not a config file; name a file in it that ends in .py, "
            ".yaml, .yml, .json or .toml"
        )
    if os.path.exists(path):  # noqa: PTH110
        return ConfigFormatError(f"{filename} is not a regular file, so it is not read as a config")
    return FileNotFoundError(f"the config file {filename} does not exist; looked for {path}")


def _restored(state: dict[str, Any]) -> Config:
    cfg = Config.__new__(Config)
    cfg.__dict__.update(state)
    return cfg
