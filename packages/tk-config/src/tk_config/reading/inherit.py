"""Inheritance: what a file says itself, put over what its bases say.

Both functions here are pure: they take what was read and give a new result, in which
every key knows its origins and which files set it. Reading files, and asking for bases,
is the work of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import DuplicateKeyError
from ..tree.config_dict import ConfigDict
from ..tree.draft import DraftDict
from ..tree.merge import merged
from ..tree.node import Node, origin_of, origins_of
from ..tree.origin import short_path
from ..tree.spelling import SpellingCheck

BASE = "_base_"
DEPRECATION = "_deprecation_"


@dataclass(frozen=True)
class BaseRequest:
    """The bases that a file asks for while it is read.

    Attributes:
        names: paths relative to the file, ``package::file``, or dotted modules.
        place: ``"file:line"`` that asks, for errors.
        are_modules: whether the names are dotted modules.
    """

    names: Sequence[Any]
    place: str
    are_modules: bool = False


@dataclass
class FileValues:
    """What one file says itself.

    Attributes:
        tree: its keys; in the pure-Python dialect those of its bases as well.
        is_lazy: whether it is of the pure-Python dialect.
        imported: names that it imports or defines, which are no keys.
        uses: per name, the top-level keys whose values were computed from it.
        written: in the pure-Python dialect, the keys that the file sets itself.
        changed_base: values of the bases, where the code of the file may have changed them.
    """

    tree: ConfigDict
    is_lazy: bool = False
    imported: dict[str, Any] = field(default_factory=dict)
    uses: dict[str, list[str]] = field(default_factory=dict)
    written: ConfigDict | None = None
    changed_base: ConfigDict | None = None


@dataclass(frozen=True)
class Inherited:
    """A file, or several bases together, with all that it inherits.

    Attributes:
        path: absolute name of the file.
        tree: the values; never changed from here on.
        is_lazy: whether the file is of the pure-Python dialect.
        texts: sources by file name, bases first.
        imported: names that the file imports or defines.
        setters: per top-level key, the files that set it.
        uses: per name, the top-level keys whose values were computed from it.
        misspelt: keys that are probably misspelt.
        remarks: what works, but probably not as meant.
        deprecated: what the files say about their end.
    """

    path: str
    tree: ConfigDict
    is_lazy: bool = False
    texts: dict[str, str] = field(default_factory=dict)
    imported: dict[str, Any] = field(default_factory=dict)
    setters: dict[Any, frozenset[str]] = field(default_factory=dict)
    uses: dict[str, list[str]] = field(default_factory=dict)
    misspelt: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    deprecated: tuple[str, ...] = ()


def inherit(path: str, text: str, own: FileValues, bases: Sequence[Inherited]) -> Inherited:
    """Put what a file says over what its bases say.

    Args:
        path: absolute name of the file.
        text: its source.
        own: what it says itself.
        bases: what it inherits; in the text dialect at most one, the bases together.
    """
    deprecated = [text for base in bases for text in base.deprecated]
    deprecated += _deprecation(own.tree, path)
    remarks = [text for base in bases for text in base.remarks]
    misspelt = [text for base in bases for text in base.misspelt]
    setters = dict.fromkeys(own.tree, frozenset((path,)))
    uses, tree = own.uses, own.tree
    texts: dict[str, str] = {}
    for base in bases:
        texts.update(base.texts)
        uses = _joined_uses(uses, base.uses)
        remarks += _stale_values(own.written or own.tree, base, path)
        if not own.is_lazy:
            for key, files in base.setters.items():
                setters[key] = setters.get(key, frozenset()) | files
            check = SpellingCheck()
            tree = merged(own.changed_base or base.tree, own.tree, (), check)
            misspelt += check.problems
    texts[path] = text
    return Inherited(
        path, tree, own.is_lazy, texts, own.imported, setters, uses,
        _once(misspelt), _once(remarks), _once(deprecated),
    )  # fmt: skip


def combine(bases: Sequence[Inherited], path: str, place: str) -> Inherited:
    """Put the bases of one file together.

    A key that two bases inherit from the same file is no conflict: the base that changed
    it wins.

    Raises:
        DuplicateKeyError: two bases set the same key; names both places.
    """
    if len(bases) == 1:
        return bases[0]
    tree = DraftDict.__new__(DraftDict)
    both = Inherited(path, tree)
    uses: dict[str, list[str]] = {}
    for base in bases:
        for key, value in dict.items(base.tree):
            files = base.setters.get(key, frozenset((base.path,)))
            if key in tree and not _replaces(both, base, key, files, place):
                both.setters[key] |= files
                continue
            dict.__setitem__(tree, key, value)
            both.setters[key] = files
            if (origin := origin_of(base.tree, key)) is not None:
                origins_of(tree).put(key, origin)
        uses = _joined_uses(uses, base.uses)
        both.texts.update(base.texts)
        both.imported.update(base.imported)
    return replace(
        both,
        uses=uses,
        misspelt=_once([text for base in bases for text in base.misspelt]),
        remarks=_once([text for base in bases for text in base.remarks]),
        deprecated=_once([text for base in bases for text in base.deprecated]),
    )


def _replaces(
    both: Inherited, base: Inherited, key: Any, files: frozenset[str], place: str
) -> bool:
    """Tell whether ``base`` has changed a key that the bases before it have as well."""
    earlier = both.setters[key]
    if earlier <= files:
        return True
    values = dict.__getitem__(base.tree, key), dict.__getitem__(both.tree, key)
    if not files <= earlier and not (earlier & files and is_same(*values)):
        raise DuplicateKeyError(
            f"{place}: two bases set {key!r}: {origin_of(both.tree, key)} and "
            f"{origin_of(base.tree, key)}; keep it in one of them"
        )
    return False


def with_scope(base: Inherited, tree: ConfigDict, scope: str) -> Inherited:
    """Give a base of a package, whose outermost dicts with a ``type`` get a ``_scope_``.

    Args:
        base: what was read.
        tree: a copy of its tree, which is changed.
        scope: name of the package.
    """
    _set_scope(tree, scope)
    return replace(base, tree=tree, is_lazy=False, imported={})


def is_same(first: Any, second: Any) -> bool:
    """Tell whether two values are equal; one that cannot be compared is not."""
    try:
        return bool(first == second)
    except Exception:  # a value whose comparison fails is not the same
        return False


def _set_scope(value: Any, scope: str) -> None:
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


def _deprecation(tree: ConfigDict, path: str) -> list[str]:
    said = dict.pop(tree, DEPRECATION, None)
    if not isinstance(said, dict):
        return []
    text = f"the config {short_path(path)} is deprecated"
    if said.get("expected"):
        text += f"; use {said['expected']} instead"
    if said.get("reference"):
        text += f"; more about it: {said['reference']}"
    return [text]


def _stale_values(own: Node, base: Inherited, path: str) -> list[str]:
    """Remark on variables that a file changes after its base has computed from them."""
    remarks = []
    for key in dict.keys(own) & base.uses.keys() & dict.keys(base.tree) if base.uses else ():
        stale = sorted({user for user in base.uses[key] if user != key and user not in own})
        if stale and not is_same(dict.__getitem__(own, key), dict.__getitem__(base.tree, key)):
            remarks.append(
                f"{origin_of(own, key) or short_path(path)}: {key!r} is overridden here, but "
                f"the base ({origin_of(base.tree, key)}) has already used it in "
                f"{', '.join(map(repr, stale))}, which keeps the old value; override that, too"
            )
    return sorted(remarks)


def _joined_uses(first: dict[str, list[str]], second: dict[str, list[str]]) -> dict[str, list[str]]:
    if not first or not second:
        return first or second
    joined = dict(first)
    for name, keys in second.items():
        joined[name] = [*joined.get(name, ()), *keys]
    return joined


def _once(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
