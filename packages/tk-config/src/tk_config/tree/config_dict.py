"""``ConfigDict``: a dict whose keys are also attributes.

It keeps the contract of a mapping: ``pop`` raises, ``items`` is a view, equality is
by value. Dicts, lists and tuples put into it are copied on entry, so two keys never
share a container. Lazy values of the pure-Python dialect are imported when they are read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Any, NoReturn, SupportsIndex, TypeVar

from ..errors import ConfigError, MissingKeyError
from .copies import deep_copy, plain_copy
from .frozen import FrozenList, freeze
from .merge import merge_into
from .node import ATOMS, DELETE, Node, copy_origins, origins_of, set_state
from .origin import Origin, origin_of_caller
from .paths import origin_at
from .placeholders import LAZY_TYPES
from .suggestions import suggestion

Self = TypeVar("Self", bound="ConfigDict")

_put = dict.__setitem__
_raw = dict.__getitem__
_MISSING: Any = object()


class MissingAttributeError(ConfigError, AttributeError):
    """An attribute that is no key; the nearest key is looked for only when it is shown."""

    def __init__(self, node: ConfigDict, key: str) -> None:
        super().__init__(key, obj=None)  # with obj set, Python adds no hint of its own to ours
        self._node, self._key = node, key

    def __str__(self) -> str:
        return f"the config has no key {self._key!r}; {suggestion(self._key, self._node)}"


class ConfigDict(Node):
    """A dict with attribute access, made of nested dicts, lists and tuples.

    Plain dicts and ``OrderedDict`` become ``ConfigDict``, also inside lists and tuples;
    other subclasses of dict are kept as they are. Values of the pure-Python dialect that
    name something importable are imported when they are read.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not args and not kwargs:
            return
        source = args[0] if args and isinstance(args[0], Node) else None
        if source is None:
            values = dict(*args, **kwargs)
        else:  # its lazy values stay lazy
            values = {**dict(dict.items(source)), **kwargs} if kwargs else source
        for key, value in dict.items(values):
            if value.__class__ not in ATOMS:
                value = self._adopt(value)
            _put(self, key, value)
        if source is not None:
            copy_origins(source, self)

    # -- reading ---------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        value = _raw(self, key)
        return value.build() if value.__class__ in LAZY_TYPES else value

    def __getattr__(self, name: str) -> Any:
        value = dict.get(self, name, _MISSING)
        if value is _MISSING:
            raise MissingAttributeError(self, name)
        return value.build() if value.__class__ in LAZY_TYPES else value

    def __missing__(self, key: Any) -> NoReturn:
        raise MissingKeyError(f"the config has no key {key!r}; {suggestion(key, self)}")

    def __iter__(self) -> Iterator[Any]:
        # its presence makes ``**node`` and ``dict(node)`` read through ``__getitem__``
        return dict.__iter__(self)

    def get(self, key: Any, default: Any = None) -> Any:
        """Give the value of ``key``, or the default."""
        value = dict.get(self, key, default)
        return value.build() if value.__class__ in LAZY_TYPES else value

    def items(self) -> ItemsView[Any, Any]:  # type: ignore[override]  # a view, not dict_items
        """Give a view of the items; lazy values are imported while it is iterated."""
        return _BuiltItems(self)

    def values(self) -> ValuesView[Any]:  # type: ignore[override]  # a view, not dict_values
        """Give a view of the values; lazy values are imported while it is iterated."""
        return _BuiltValues(self)

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
            origin = self.origin(path)
        except MissingKeyError:
            return None
        return None if origin is None else str(origin)

    def build_lazy(self, value: Any) -> Any:
        """Import what ``value`` names when it is a lazy placeholder; else give it back."""
        return value.build() if value.__class__ in LAZY_TYPES else value

    # -- writing ---------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._tk_frozen:
            self._refuse()
        if value.__class__ not in ATOMS:
            value = self._adopt(value)
        _put(self, key, value)
        origins_of(self).set(key, origin_of_caller())

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
        key, value = super().popitem()
        return key, self.build_lazy(value)

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
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: Any) -> Any:
        joined = self.__class__(other)
        joined.update(self)
        return joined

    # -- copies ----------------------------------------------------------------------

    def copy(self: Self) -> Self:
        """Copy this node; nested nodes are shared, and the copy is not frozen."""
        node = self.__class__.__new__(self.__class__)
        dict.update(node, self.raw_items())
        copy_origins(self, node)
        return node

    __copy__ = copy

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        return deep_copy(self, memo)  # type: ignore[no-any-return]  # of the same kind

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        state = dict(self.__dict__)
        return _restore, (self.__class__, list(self.raw_items()), state)

    def to_dict(self) -> dict[Any, Any]:
        """Give plain dicts, lists and tuples; lazy values become their dotted names."""
        plain: dict[Any, Any] = plain_copy(self, names=True)
        return plain

    def _to_lazy_dict(self) -> dict[Any, Any]:
        plain: dict[Any, Any] = plain_copy(self, names=False)
        return plain

    # -- freezing --------------------------------------------------------------------

    def freeze(self: Self) -> Self:
        """Refuse every later change of this node and of all that it holds; gives itself."""
        freeze(self)
        return self

    def unfreeze(self) -> None:
        """Raise for a frozen node, since it stays frozen; only a copy can be changed."""
        if self._tk_frozen:
            self._refuse()

    @property
    def is_frozen(self) -> bool:
        """Whether changes are refused."""
        return self._tk_frozen

    # -- inside the package ----------------------------------------------------------

    def raw_items(self) -> ItemsView[Any, Any]:
        """Give the items without importing what lazy values name."""
        return dict.items(self)

    def _adopt(self, value: Any) -> Any:
        return adopt(value)

    def _node_from(self, value: dict[Any, Any]) -> ConfigDict:
        return ConfigDict(value)


class _BuiltItems(ItemsView[Any, Any]):
    """The items of a node, lazy values built."""

    _mapping: ConfigDict

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for key, value in dict.items(self._mapping):
            yield key, value.build() if value.__class__ in LAZY_TYPES else value


class _BuiltValues(ValuesView[Any]):
    """The values of a node, lazy ones built."""

    _mapping: ConfigDict

    def __iter__(self) -> Iterator[Any]:
        for value in dict.values(self._mapping):
            yield value.build() if value.__class__ in LAZY_TYPES else value


def adopt(value: Any) -> Any:
    """Copy containers so that the tree owns them; anything else is given back."""
    kind = value.__class__
    if kind in ATOMS:
        return value
    if kind is list or kind is FrozenList:
        return [adopt(item) for item in value]
    if kind is tuple:
        return tuple([adopt(item) for item in value])
    if kind is dict or kind is OrderedDict or isinstance(value, Node):
        return ConfigDict(value)
    return value


def _restore(kind: type[ConfigDict], items: list[tuple[Any, Any]], state: dict[str, Any]) -> Any:
    node = kind.__new__(kind)
    dict.update(node, items)
    for name, value in state.items():
        set_state(node, name, value)
    return node


OWN_NAMES = frozenset(dir(ConfigDict))
"""Attributes that are not keys."""
