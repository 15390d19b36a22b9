"""Reading one config file and everything that it inherits from.

Each file is read once, whatever inherits it. A file gives a tree of its own keys; its
bases are put together and the tree is merged over them. The chain of files that are
being read is kept, so that a cycle is shown as one.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

from .config_dict import ConfigDict, draft_copy
from .data_only.budget import Budget
from .errors import (
    ConfigFormatError,
    ConfigParsingError,
    ConfigSyntaxError,
    ConfigWarning,
    MissingKeyError,
    UnsafeConfigError,
)
from .loaded import LoadedFile, Rules, combined, is_same, joined_uses
from .locate import find_beside, find_in_package, no_bases_of_text, refuse_outside
from .merge import merged
from .misspelt import KeyWatch
from .node import origin_in
from .origin import short_path
from .paths import value_at
from .python_file import PythonFile
from .text.data_files import read_data
from .text.templates import Templates, lift_bare
from .tree import MOST_VALUES

SUFFIXES = {".py": ".py", ".json": ".json", ".yaml": ".yaml", ".yml": ".yaml", ".toml": ".toml"}
BASE = "_base_"
DEPRECATION = "_deprecation_"
MOST_BYTES_AS_DATA = 1_000_000
MOST_VALUES_AS_DATA = 500_000
MOST_FILES_AS_DATA = 100


class Loader:
    """Reads files by one set of rules and remembers what it met.

    Attributes:
        budget: what reading as data may cost, all files together.
        used: environment variables that were read.
        secrets: secrets that were read, with their references.
        watch: knows of keys that are probably misspelt.
        deprecated: what the files say about their end.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.used: dict[str, str] = {}
        self.secrets: dict[str, str] = {}
        self.watch = KeyWatch(strict=rules.strict)
        self.remarks: list[str] = []
        self.deprecated: list[str] = []
        self.budget = Budget()
        self._done: dict[str, LoadedFile] = {}
        self._open: list[str] = []

    @property
    def is_reading_a_base(self) -> bool:
        """Whether the file at hand was named by another one."""
        return len(self._open) > 1

    # -- one file --------------------------------------------------------------------

    def load(self, path: str, asked_by: str | None = None) -> LoadedFile:
        """Read the file at an absolute path.

        Raises:
            ConfigParsingError: among others, when the file inherits itself.
        """
        key = os.path.realpath(path)
        if key in self._done:
            return self._done[key]
        if key in self._open:
            chain = [*self._open[self._open.index(key) :], key]
            raise ConfigParsingError(
                f"{asked_by or short_path(path)}: the bases form a cycle: "
                + " -> ".join(map(short_path, chain))
                + "; remove one of these steps"
            )
        if not self.rules.trusted and len(self._done) >= MOST_FILES_AS_DATA:
            raise UnsafeConfigError(
                f"{asked_by}: more than {MOST_FILES_AS_DATA} bases are too many to be read as "
                "data; load the file with trusted=True if you trust it"
            )
        self._open.append(key)
        try:
            loaded = self.read(self.source(path), path, suffix_of(path))
        finally:
            self._open.pop()
        self._done[key] = loaded
        return loaded

    def source(self, path: str) -> str:
        """Give the text of a file, which is UTF-8 whatever the locale says."""
        if not self.rules.trusted:
            if not os.path.isfile(path):  # noqa: PTH113
                raise UnsafeConfigError(f"{short_path(path)}: not a regular file")
            if os.path.getsize(path) > MOST_BYTES_AS_DATA:  # noqa: PTH202
                raise too_long(short_path(path))
        try:
            with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123
                return file.read()
        except UnicodeDecodeError as error:
            raise ConfigSyntaxError(
                f"{short_path(path)}: not UTF-8 text ({error.reason} at byte {error.start}); "
                "save the file as UTF-8"
            ) from error

    def read(self, text: str, path: str, suffix: str) -> LoadedFile:
        """Read the source of one file.

        Args:
            text: the source.
            path: absolute name of the file, or a name in angle brackets for plain text.
            suffix: the format.
        """
        shown = short_path(path)
        code, bare = lift_bare(text, suffix)
        templates = self.templates(path, bare)
        if suffix == ".py":
            loaded = PythonFile(self, path, code, templates, has_bare=bool(bare)).read()
        else:
            loaded = self._data_file(code, path, suffix, shown, templates)
        loaded.texts[path] = text
        return loaded

    def templates(self, path: str, bare: list[Any]) -> Templates:
        """Make what gives the values of one file's templates."""
        rules = self.rules
        return Templates(
            path,
            bare,
            predefined=rules.predefined and not path.startswith("<"),
            environment=os.environ if rules.trusted else None,
            substitute_environment=rules.environment,
            used=self.used,
            secrets=self.secrets,
        )

    def _data_file(
        self, code: str, path: str, suffix: str, shown: str, templates: Templates
    ) -> LoadedFile:
        found: list[LoadedFile] = []
        tree_of_base: list[ConfigDict] = []

        def base_value(dotted: str) -> Any:
            if not tree_of_base:
                raise MissingKeyError(f"{dotted!r} has no base to come from; name one in _base_")
            return draft_copy(value_at(tree_of_base[0], dotted))

        templates.base_value = base_value
        named = _bases_of_data(code, suffix)
        if named is not None:
            names = named if isinstance(named, list) else [named]
            bases = [templates.text(name) if isinstance(name, str) else name for name in names]
            found.append(self.bases(bases, path, shown))
            tree_of_base.append(found[0].tree)
        most = MOST_VALUES if self.rules.trusted else MOST_VALUES_AS_DATA
        tree = read_data(code, suffix, path, shown, templates, most)
        dict.pop(tree, BASE, None)
        return self.over_bases(LoadedFile(path, tree), found[0] if found else None)

    # -- bases -----------------------------------------------------------------------

    def bases(self, named: Any, path: str, place: str) -> LoadedFile:
        """Read the bases that a file names and put them together."""
        names = named if isinstance(named, (list, tuple)) else [named]
        loaded = []
        for name in names:
            if not isinstance(name, (str, os.PathLike)):
                raise ConfigParsingError(
                    f"{place}: `_base_` is a path or a list of paths, but holds {name!r}"
                )
            loaded.append(self._base(os.fspath(name), path, place))
        return combined(loaded, path, place)

    def _base(self, name: str, path: str, place: str) -> LoadedFile:
        if not self.rules.trusted:
            if path.startswith("<") or "::" in name:
                raise no_bases_of_text(place, name)
            refuse_outside(name, path, place)
        if "::" in name:
            loaded = self.load(str(find_in_package(name, place)), place)
            tree = draft_copy(loaded.tree)
            _set_scope(tree, name.partition("::")[0])
            return LoadedFile(
                loaded.path, tree, texts=loaded.texts, definers=loaded.definers, uses=loaded.uses
            )
        return self.load(find_beside(name, path, place), place)

    def over_bases(self, own: LoadedFile, base: LoadedFile | None) -> LoadedFile:
        """Give the keys of a file over those of its bases."""
        path = own.path
        self._note_deprecation(own)
        own.definers = {key: frozenset((path,)) for key in own.tree}
        if base is None:
            return own
        self.note_overridden_variables(own.tree, base.tree, base.uses, path)
        for key, files in base.definers.items():
            own.definers[key] = own.definers.get(key, frozenset()) | files
        own.tree = merged(base.tree, own.tree, (), self.watch)
        own.texts = {**base.texts, **own.texts}
        own.uses = joined_uses(base.uses, own.uses)
        return own

    # -- remarks ---------------------------------------------------------------------

    def _note_deprecation(self, own: LoadedFile) -> None:
        said = dict.pop(own.tree, DEPRECATION, None)
        if not isinstance(said, dict):
            return
        text = f"the config {short_path(own.path)} is deprecated"
        if said.get("expected"):
            text += f"; use {said['expected']} instead"
        if said.get("reference"):
            text += f"; more about it: {said['reference']}"
        self.deprecated.append(text)

    def note_overridden_variables(
        self, own: Any, base: ConfigDict, uses: dict[str, list[str]], path: str
    ) -> None:
        """Remark on variables that a file changes after its base has computed from them."""
        for key in own:
            if key not in uses or key not in base:
                continue
            stale = sorted({user for user in uses[key] if user != key and user not in own})
            if stale and not is_same(dict.__getitem__(own, key), dict.__getitem__(base, key)):
                self.remarks.append(
                    f"{origin_in(own, key) or short_path(path)}: {key!r} is overridden here, but "
                    f"the base ({origin_in(base, key)}) has already used it in "
                    f"{', '.join(map(repr, stale))}, which keeps the old value; override that, too"
                )

    def conclude(self) -> None:
        """Raise or warn about what was met, after the whole chain is read.

        Raises:
            MisspeltKeyError: in strict mode, listing all misspelt keys.
        """
        self.watch.conclude(stacklevel=5)
        for text in self.remarks:
            warnings.warn(text, ConfigWarning, stacklevel=4)
        for text in self.deprecated:
            warnings.warn(text, DeprecationWarning, stacklevel=4)


def suffix_of(path: str) -> str:
    """Give the format of a file name.

    Raises:
        ConfigFormatError: its ending is none of the formats.
    """
    suffix = os.path.splitext(path)[1].lower()  # noqa: PTH122
    if suffix not in SUFFIXES:
        raise ConfigFormatError(
            f"{short_path(path)}: {suffix or 'no ending'!r} is no config format; "
            "use .py, .yaml, .yml, .json or .toml"
        )
    return SUFFIXES[suffix]


def too_long(shown: str) -> UnsafeConfigError:
    """Build the error for a text that is too long to be read as data."""
    return UnsafeConfigError(
        f"{shown}: longer than {MOST_BYTES_AS_DATA} bytes, which is too long to be read as data; "
        "load the file with trusted=True if you trust it"
    )


def _bases_of_data(code: str, suffix: str) -> Any:
    """Give what ``_base_`` holds in a data file, read before anything refers to it."""
    if BASE not in code:
        return None
    placeholder: Callable[..., Any] = lambda text, line=None: text  # noqa: E731
    templates: Any = type("AsWritten", (), {"text": staticmethod(placeholder)})
    try:
        return dict.get(read_data(code, suffix, "", "", templates, MOST_VALUES_AS_DATA), BASE)
    except ConfigParsingError:
        return None  # reported with its line when the file is read for real


def _set_scope(value: Any, scope: str) -> None:
    """Put ``_scope_`` into the outermost dicts that have a ``type``."""
    if isinstance(value, dict):
        if "type" in value:
            if "_scope_" not in value:
                dict.__setitem__(value, "_scope_", scope)
            return
        for item in dict.values(value):
            _set_scope(item, scope)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _set_scope(item, scope)
