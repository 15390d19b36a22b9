"""``ConfigDict``: a dict whose keys are also attributes.

It keeps the contract of a mapping: ``pop`` raises, ``items`` is a view, equality is
by value. Dicts, lists and tuples put into it are copied on entry, so two keys never
share a container. Where a key was set is kept by ``node.py``.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Any, NoReturn, SupportsIndex, TypeVar

from .errors import ConfigError, FrozenConfigError, MissingKeyError
from .merge import merge_into
from .near_names import hint
from .node import ATOMS, DELETE, Node, copy_origins, origin_in, set_state
from .origin import Origin, origin_of_caller
from .paths import origin_at
from .placeholders import LAZY_TYPES

Self = TypeVar("Self", bound="ConfigDict")

_put = dict.__setitem__


class MissingAttributeError(ConfigError, AttributeError):
    """An attribute that is no key; the nearest key is looked for only when it is shown."""

    def __init__(self, node: ConfigDict, key: str) -> None:
        super().__init__(key, obj=None)  # with obj set, Python adds no hint of its own to ours
        self._node, self._key = node, key

    def __str__(self) -> str:
        mend = hint(self._key, self._node, f"known: {', '.join(map(str, self._node)) or '(none)'}")
        return f"the config has no key {self._key!r}; {mend}"


class ConfigDict(Node):
    """A dict with attribute access, made of nested dicts, lists and tuples.

    Plain dicts and ``OrderedDict`` become ``ConfigDict``, also inside lists and tuples;
    other subclasses of dict are kept as they are. Values of the pure-Python dialect that
    name something importable are imported when they are read.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        if not args and not kwargs:
            return
        is_node = not kwargs and len(args) == 1 and isinstance(args[0], ConfigDict)
        if is_node:
            source = args[0]
        elif args and isinstance(args[0], ConfigDict):
            source = {**dict(args[0].raw_items()), **kwargs}
        else:
            source = dict(*args, **kwargs)
        for key, value in dict.items(source):
            if value.__class__ not in ATOMS:
                value = self._enter(value)
            _put(self, key, value)
        if isinstance(source, ConfigDict):
            copy_origins(source, self)

    # -- reading ---------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise MissingAttributeError(self, name)

    def __missing__(self, key: Any) -> NoReturn:
        raise MissingKeyError(
            f"the config has no key {key!r}; "
            + hint(str(key), self, f"known: {', '.join(map(str, self)) or '(none)'}")
        )

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(key for key in self if isinstance(key, str))]

    def origin(self, path: str = "") -> Origin | None:
        """Tell where the value at a dotted path was set, newest step first.

        Args:
            path: keys and list positions joined by dots, such as ``"a.b.0.c"``; empty is
                this node itself.

        Returns:
            The newest origin; its ``chain()`` lists what it replaced. None when nothing is
            known, as for a node built from a plain dict in code.

        Raises:
            MissingKeyError: there is no value at ``path``.
        """
        return origin_at(self, path)

    def __config_origin__(self, path: str) -> str | None:
        """Tell where a value comes from as ``"file:line"``, or None; never raises."""
        try:
            found = self.origin(path)
        except MissingKeyError:
            return None
        return None if found is None else str(found)

    def build_lazy(self, value: Any) -> Any:
        """Import what ``value`` names when it is a lazy placeholder; else give it back."""
        return value.build() if value.__class__ in LAZY_TYPES else value

    # -- writing ---------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._tk_frozen:
            self._refuse()
        if value.__class__ not in ATOMS:
            value = self._enter(value)
        _put(self, key, value)
        self._mark(key, origin_of_caller())

    def __setattr__(self, name: str, value: Any) -> None:
        if name in OWN_NAMES:
            raise AttributeError(
                f"{name!r} is a method of ConfigDict and cannot be set as an attribute; "
                f"write cfg[{name!r}] = ..."
            )
        self[name] = value

    def __delitem__(self, key: Any) -> None:
        if self._tk_frozen:
            self._refuse()
        if key not in self:
            self.__missing__(key)
        super().__delitem__(key)

    def __delattr__(self, name: str) -> None:
        if name not in self:
            raise MissingAttributeError(self, name)
        del self[name]

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Give the value of ``key``, after setting it to ``default`` when it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        """Remove a key and give its value, or the default; without one a missing key raises."""
        if self._tk_frozen:
            self._refuse()
        if key in self:
            value = self[key]
            super().__delitem__(key)
            return value
        if not default:
            self.__missing__(key)
        return default[0]

    def popitem(self) -> tuple[Any, Any]:
        """Remove the newest key and give it with its value."""
        if self._tk_frozen:
            self._refuse()
        return super().popitem()

    def clear(self) -> None:
        """Remove all keys."""
        if self._tk_frozen:
            self._refuse()
        super().clear()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Set several keys; a dict over a dict is merged into it, key by key."""
        if len(args) > 1:
            raise TypeError(
                f"update takes at most 1 positional argument, but {len(args)} are given"
            )
        if self._tk_frozen:
            self._refuse()
        merge_into(self, dict(*args, **kwargs), origin_of_caller(), dict_over_value=True)

    def merge(self, other: Mapping[Any, Any]) -> None:
        """Merge ``other`` into this node; ``_delete_=True``, also nested, drops the old content."""
        if self._tk_frozen:
            self._refuse()
        if other.get(DELETE, False):
            dict.clear(self)
        merge_into(self, other, origin_of_caller())

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Any:
        made = self.copy()
        made.update(other)
        return made

    # -- copies ----------------------------------------------------------------------

    def copy(self: Self) -> Self:
        """Copy this node; nested nodes are shared, and the copy is not frozen."""
        made = self.__class__.__new__(self.__class__)
        dict.update(made, self.raw_items())
        copy_origins(self, made)
        return made

    __copy__ = copy

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        return _deep_copy(self, memo)  # type: ignore[no-any-return]  # of the same kind

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        state = dict(self.__dict__)
        return _restore, (self.__class__, list(self.raw_items()), state)

    def to_dict(self) -> dict[Any, Any]:
        """Give plain dicts, lists and tuples; lazy values become their dotted names."""
        plain: dict[Any, Any] = _plain(self, names=True)
        return plain

    def _to_lazy_dict(self) -> dict[Any, Any]:
        plain: dict[Any, Any] = _plain(self, names=False)
        return plain

    # -- freezing --------------------------------------------------------------------

    def freeze(self: Self) -> Self:
        """Refuse every later change of this node and of all that it holds; gives itself."""
        _freeze(self)
        return self

    @property
    def is_frozen(self) -> bool:
        """Whether changes are refused."""
        return self._tk_frozen

    # -- inside the package ----------------------------------------------------------

    def raw_items(self) -> ItemsView[Any, Any]:
        """Give the items without importing what lazy values name."""
        return dict.items(self)

    def _enter(self, value: Any) -> Any:
        """Make a value that is no plain atom this node's own."""
        kind = value.__class__
        if kind in LAZY_TYPES:
            if self.__class__ is ConfigDict:
                set_state(self, "__class__", LazyConfigDict)
            return value
        return adopt(value)

    def _node_from(self, value: dict[Any, Any]) -> ConfigDict:
        return ConfigDict(value)


class LazyConfigDict(ConfigDict):
    """A node that holds at least one lazy value; reading builds it."""

    def __getitem__(self, key: Any) -> Any:
        value = dict.__getitem__(self, key)
        return value.build() if value.__class__ in LAZY_TYPES else value

    def get(self, key: Any, default: Any = None) -> Any:
        """Give the value of ``key``, or the default."""
        value = dict.get(self, key, default)
        return value.build() if value.__class__ in LAZY_TYPES else value

    def items(self) -> ItemsView[Any, Any]:  # type: ignore[override]  # a view, not dict_items
        """Give a view of the items; lazy values are imported while it is iterated."""
        return ItemsView(self)

    def values(self) -> ValuesView[Any]:  # type: ignore[override]  # a view, not dict_values
        """Give a view of the values; lazy values are imported while it is iterated."""
        return ValuesView(self)

    def __iter__(self) -> Iterator[Any]:
        # its presence makes ``**node`` and ``dict(node)`` read through ``__getitem__``
        return dict.__iter__(self)

    def popitem(self) -> tuple[Any, Any]:
        """Remove the newest key and give it with its value."""
        key, value = super().popitem()
        return key, self.build_lazy(value)


class DraftDict(ConfigDict):
    """A node of a file that is still being executed.

    Lazy values stay placeholders, and what is put into it is shared, as in any Python
    code; the finished tree owns copies.
    """

    def _enter(self, value: Any) -> Any:
        return value

    def _node_from(self, value: dict[Any, Any]) -> ConfigDict:
        return draft_copy(value)  # type: ignore[no-any-return]  # a dict gives a node


class LiteralDict(DraftDict):
    """A dict that a file writes out: its ``update`` is that of a plain dict."""

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Set several keys, each as a whole."""
        caller = origin_of_caller()
        for source in (*args, kwargs):
            for key, value in dict(source).items():
                _put(self, key, value)
                self._mark(key, caller)


def literal_node(
    value: dict[Any, Any], site: Mapping[Any, Origin], spread: Iterable[Any] = ()
) -> LiteralDict:
    """Make the node of a dict that a file writes out.

    Args:
        value: what was written.
        site: origins of the keys written there.
        spread: dicts that were unpacked into it, whose keys keep their origins.
    """
    made = LiteralDict.__new__(LiteralDict)
    dict.update(made, dict.items(value))
    set_state(made, "_tk_shared", site)
    for other in spread:
        if isinstance(other, dict):
            for key in dict.keys(other):
                if key not in site and (origin := origin_in(other, key)):
                    made._mark(key, origin)
    return made


class FrozenList(list):  # type: ignore[type-arg]  # items are what the user wrote
    """A list of a frozen config: equal to any list of the same items, and unchangeable."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise FrozenConfigError(
            "this list belongs to a frozen config and cannot be changed; change a copy instead"
        )

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return [_deep_copy(item, memo) for item in self]

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return FrozenList, (list(self),)


def adopt(value: Any) -> Any:
    """Copy containers so that the tree owns them; anything else is given back."""
    kind = value.__class__
    if kind in ATOMS:
        return value
    if kind is dict or kind is OrderedDict or kind in NODE_TYPES:
        return ConfigDict(value)
    if kind is list or kind is FrozenList:
        return [adopt(item) for item in value]
    if kind is tuple:
        return tuple([adopt(item) for item in value])
    return value


def draft_copy(value: Any) -> Any:
    """Copy a tree for code that may change it: nodes become drafts, nothing is shared."""
    kind = value.__class__
    if kind in ATOMS:
        return value
    if kind is dict or kind is OrderedDict or kind in NODE_TYPES:
        made = DraftDict.__new__(DraftDict)
        for key, item in dict.items(value):
            _put(made, key, item if item.__class__ in ATOMS else draft_copy(item))
        if kind in NODE_TYPES:
            copy_origins(value, made)
        return made
    if kind is list or kind is FrozenList:
        return [draft_copy(item) for item in value]
    if kind is tuple:
        return tuple([draft_copy(item) for item in value])
    return value


def _deep_copy(value: Any, memo: dict[int, Any]) -> Any:
    kind = value.__class__
    if kind in ATOMS:
        return value
    if kind in NODE_TYPES:
        made = kind.__new__(kind)
        for key, item in dict.items(value):
            _put(made, key, item if item.__class__ in ATOMS else _deep_copy(item, memo))
        copy_origins(value, made)
        return made
    if kind is list or kind is FrozenList:
        return [item if item.__class__ in ATOMS else _deep_copy(item, memo) for item in value]
    if kind is tuple:
        return tuple([_deep_copy(item, memo) for item in value])
    return copy.deepcopy(value, memo)


def _plain(value: Any, *, names: bool) -> Any:
    kind = value.__class__
    if kind in ATOMS:
        return value
    if isinstance(value, ConfigDict):
        return {key: _plain(item, names=names) for key, item in dict.items(value)}
    if kind is list or kind is FrozenList:
        return [_plain(item, names=names) for item in value]
    if kind is tuple:
        return tuple([_plain(item, names=names) for item in value])
    if names and kind in LAZY_TYPES:
        return value.dotted_name
    return value


def _freeze(value: Any) -> Any:
    if isinstance(value, ConfigDict):
        for key, item in dict.items(value):
            if item.__class__ not in ATOMS:
                _put(value, key, _freeze(item))
        set_state(value, "_tk_frozen", True)
    elif value.__class__ is list:
        return FrozenList([_freeze(item) for item in value])
    elif value.__class__ is tuple:
        return tuple([_freeze(item) for item in value])
    return value


def _restore(kind: type[ConfigDict], items: list[tuple[Any, Any]], state: dict[str, Any]) -> Any:
    made = kind.__new__(kind)
    dict.update(made, items)
    for name, value in state.items():
        set_state(made, name, value)
    return made


OWN_NAMES = frozenset(dir(ConfigDict))
"""Attributes that are not keys."""
NODE_TYPES: frozenset[Any] = frozenset({ConfigDict, LazyConfigDict, DraftDict, LiteralDict})
