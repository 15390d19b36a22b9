"""From the name of a file, or a text, to one tree with everything that it inherits.

The way of a value goes in one direction: a file is read into a source, the source into
values (asking for its bases on the way), values and bases into what the file inherits,
and that into the finished tree. Each file is read once, whatever inherits it.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from ..data_only.budget import Budget, OverBudgetError
from ..errors import ConfigParsingError, ConfigWarning, UnsafeConfigError
from ..source.templates import Templates
from ..tree.config_dict import ConfigDict
from ..tree.draft import inherited_copy
from ..tree.finish import finish, too_many_values
from ..tree.origin import short_path
from ..tree.spelling import report_misspelt
from .data_file import read_data
from .execute import Means
from .inherit import BaseRequest, FileValues, Inherited, combine, inherit, with_scope
from .locate import (
    find_beside,
    find_in_package,
    find_module,
    inside,
    no_bases_as_data,
    package_around,
    package_folder,
    root_for,
    split_package_path,
)
from .python_file import Reading, read_python
from .source_file import Rules, SourceFile, source_of_file, source_of_text

MOST_FILES_AS_DATA = 100


class LoadedConfig(NamedTuple):
    """A config that has been read with all its bases."""

    tree: ConfigDict
    text: str
    is_lazy: bool
    imported: dict[str, Any]
    env_variables: dict[str, str]
    secrets: dict[str, str]


def load_file(path: str, name: str, rules: Rules) -> LoadedConfig:
    """Read the file at an absolute path.

    Args:
        path: the file.
        name: how the caller names it, for errors.
        rules: what reading may do.
    """
    loader = Loader(rules)
    return _finished(loader, loader.load(path), name)


def load_text(text: str, suffix: str, rules: Rules, path: str | None = None) -> LoadedConfig:
    """Read a text.

    Args:
        text: the source.
        suffix: its format.
        rules: what reading may do.
        path: the file in which it is to stand; without one, the bases of a trusted text are
            looked for from the current folder, and a text read as data has none.
    """
    loader = Loader(rules)
    if path is None:
        path = os.path.abspath("<text>") if rules.trusted else "<text>"  # noqa: PTH100
    return _finished(loader, loader.read(source_of_text(text, path, suffix, rules)), "<text>")


def _finished(loader: Loader, read: Inherited, name: str) -> LoadedConfig:
    """Give the finished tree, after raising or warning about what was met."""
    report_misspelt(read.misspelt, strict=loader.rules.strict, stacklevel=5)
    for text in read.remarks:
        warnings.warn(text, ConfigWarning, stacklevel=4)
    for text in read.deprecated:
        warnings.warn(text, DeprecationWarning, stacklevel=4)
    tree = finish(read.tree, name, loader.rules.most_values)
    text = "\n".join(f"{path}\n{source}" for path, source in read.texts.items())
    return LoadedConfig(tree, text, read.is_lazy, read.imported, loader.used, loader.secrets)


class Loader:
    """Reads a file and its bases by one set of rules.

    Attributes:
        rules: what reading may do.
        used: environment variables that were read.
        secrets: secrets that were read, with their references.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.used: dict[str, str] = {}
        self.secrets: dict[str, str] = {}
        self._budget = Budget()
        self._root = None if rules.root is None else Path(rules.root)
        self._done: dict[str, Inherited] = {}
        self._open: list[str] = []

    def load(self, path: str, asked_by: str | None = None) -> Inherited:
        """Read the file at an absolute path, once.

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
        if not self.rules.trusted:
            if len(self._done) + len(self._open) >= MOST_FILES_AS_DATA:
                raise _too_many_files(asked_by or short_path(path))
            self._root = self._root or root_for(path)
        self._open.append(key)
        try:
            inherited = self.read(source_of_file(path, self.rules))
        finally:
            self._open.pop()
        self._done[key] = inherited
        return inherited

    def read(self, source: SourceFile) -> Inherited:
        """Read a source and the bases that it asks for."""
        templates = self._templates(source)
        if source.suffix == ".py":
            means = Means(self.rules, templates, self._budget, is_base=len(self._open) > 1)
            reading: Reading = read_python(source, means)
        else:
            reading = read_data(source, templates)
        try:
            own, bases = self._drive(reading, source)
            return inherit(source.path, source.text, own, bases)
        except RecursionError:
            raise too_many_values(source.shown, self.rules.most_values) from None
        except OverBudgetError as error:
            raise UnsafeConfigError(
                f"{source.shown}: {error}, which is refused in a config that is read as data; "
                "load the file with trusted=True if you trust it"
            ) from None

    def _drive(self, reading: Reading, source: SourceFile) -> tuple[FileValues, list[Inherited]]:
        """Answer the requests of a file until it gives its values."""
        bases: list[Inherited] = []
        try:
            request = next(reading)
            while True:
                bases.append(self.bases(request, source))
                request = reading.send(bases[-1])
        except StopIteration as end:
            return end.value, bases

    def _templates(self, source: SourceFile) -> Templates:
        return Templates(
            source.path,
            source.bare,
            predefined=self.rules.predefined and not source.is_text,
            environment=os.environ if self.rules.trusted else None,
            substitute_environment=self.rules.environment,
            used=self.used,
            secrets=self.secrets,
            pay_for=None if self.rules.trusted else self._budget.pay_for,
        )

    # -- bases -----------------------------------------------------------------------

    def bases(self, request: BaseRequest, heir: SourceFile) -> Inherited:
        """Read the bases that a file asks for and put them together."""
        if not self.rules.trusted:
            if len(request.names) > MOST_FILES_AS_DATA:
                raise _too_many_files(request.place)
            self._root = self._root or root_for(heir.path)
        bases = []
        for name in request.names:
            if not isinstance(name, (str, os.PathLike)):
                raise ConfigParsingError(
                    f"{request.place}: `_base_` is a path or a list of paths, but holds {name!r}"
                )
            base = self._base(os.fspath(name), request, heir)
            if not self.rules.trusted:
                self._budget.pay_for(base.tree)
            bases.append(base)
        return combine(bases, heir.path, request.place)

    def _base(self, name: str, request: BaseRequest, heir: SourceFile) -> Inherited:
        place = request.place
        in_package = "::" in name and not request.are_modules
        if not self.rules.trusted and heir.is_text:
            raise no_bases_as_data(place, name)
        if in_package:
            package = split_package_path(name, place)[0]
            path = str(find_in_package(name, place, self._package(package, heir, place)))
        elif request.are_modules:
            package = name.partition(".")[0]
            path = str(find_module(name, self._package(package, heir, place), place))
        else:
            path = find_beside(name, heir.path, place)
        if self._root is not None and not self.rules.trusted:
            path = inside(self._root, path, name, place)
        base = self.load(path, place)
        return with_scope(base, inherited_copy(base.tree), package) if in_package else base

    def _package(self, package: str, heir: SourceFile, place: str) -> Path:
        """Give the folder of a package; as data only that of the package around the heir."""
        if self.rules.trusted:
            return package_folder(package, place)
        return package_around(heir.path, package, place)


def _too_many_files(place: str) -> UnsafeConfigError:
    return UnsafeConfigError(
        f"{place}: more than {MOST_FILES_AS_DATA} bases are too many to be read as data; "
        "load the file with trusted=True if you trust it"
    )
