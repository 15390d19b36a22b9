"""Overrides by dotted path: ``{"model.stages.0.depth": 3}``.

Digits are positions in lists and tuples, ``+`` appends, the value ``"_delete_"`` removes.
Only the nodes on the path are touched, so the cost does not depend on the config's size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import MergeError
from .config_dict import ConfigDict, adopt
from .merge import OnNewKey, dict_over_plain, merge_into
from .node import DELETE, origin_of, origins_of
from .origin import Origin
from .paths import first_key, position

APPEND = "+"


class Override:
    """One value on its way to a dotted path.

    Args:
        path: where it goes.
        value: what is set; a dict is merged into a dict.
        origin: who sets it.
        allow_list_keys: whether digits may address lists.
        on_new_key: told of each key that did not exist.
    """

    def __init__(
        self,
        path: str,
        value: Any,
        origin: Origin,
        *,
        allow_list_keys: bool = True,
        on_new_key: OnNewKey | None = None,
    ) -> None:
        self._path = path
        self._value = value
        self._origin = origin
        self._allow_list_keys = allow_list_keys
        self._on_new_key = on_new_key

    def apply(self, root: ConfigDict) -> None:
        """Set the value in ``root``.

        Raises:
            MergeError: the path leads through a plain value, or a dict meets one.
            MissingKeyError: a position is past the end of its list, or what is to be
                removed does not exist.
        """
        self._in_dict(root, self._path, ())

    def _in_dict(self, node: ConfigDict, rest: str, done: tuple[Any, ...]) -> None:
        if node._tk_frozen:
            node._refuse()
        key, rest = first_key(node, rest)
        if not rest:
            self._set_key(node, key, done)
            return
        if key not in node:
            self._new_key(node, key, done)
            dict.__setitem__(node, key, ConfigDict())
            origins_of(node).set(key, self._origin)
        child = dict.__getitem__(node, key)
        if isinstance(child, ConfigDict):
            self._in_dict(child, rest, (*done, key))
        elif isinstance(child, (list, tuple)):
            dict.__setitem__(node, key, self._in_list(child, rest, (*done, key), node, (key,)))
        else:
            raise dict_over_plain((*done, key), child, self._origin, origin_of(node, key))

    def _set_key(self, node: ConfigDict, key: Any, done: tuple[Any, ...]) -> None:
        if self._is_removal():
            del node[key]
            return
        if isinstance(self._value, Mapping) or key not in node:
            merge_into(
                node,
                {key: self._value},
                self._origin,
                path=done,
                on_new_key=self._on_new_key,
            )
            return
        dict.__setitem__(node, key, node._adopt(self._value))
        origins_of(node).set(key, self._origin)

    def _in_list(
        self,
        items: list[Any] | tuple[Any, ...],
        rest: str,
        done: tuple[Any, ...],
        owner: ConfigDict,
        trail: tuple[Any, ...],
    ) -> list[Any] | tuple[Any, ...]:
        """Set the value in a list; gives the list, or a new tuple."""
        if not self._allow_list_keys:
            raise MergeError(
                f"{self._path}: {'.'.join(map(str, done))!r} is a list, and allow_list_keys=False "
                "forbids positions in lists; give the whole list"
            )
        changed = items if isinstance(items, list) else list(items)
        word, _, rest = rest.partition(".")
        if word == APPEND and not rest:
            changed.append(adopt(self._value))
            self._length_changed(owner, trail)
        else:
            index = position(word, items, self._path)
            self._set_item(changed, index, rest, done, owner, (*trail, index % len(changed)))
        return changed if isinstance(items, list) else tuple(changed)

    def _set_item(
        self,
        changed: list[Any],
        index: int,
        rest: str,
        done: tuple[Any, ...],
        owner: ConfigDict,
        trail: tuple[Any, ...],
    ) -> None:
        item = changed[index]
        if rest:
            if isinstance(item, ConfigDict):
                self._in_dict(item, rest, (*done, index))
            elif isinstance(item, (list, tuple)):
                changed[index] = self._in_list(item, rest, (*done, index), owner, trail)
            else:
                raise dict_over_plain((*done, index), item, self._origin, None)
        elif self._is_removal():
            del changed[index]
            self._length_changed(owner, trail[:-1])
        elif isinstance(self._value, Mapping) and isinstance(item, ConfigDict):
            if self._value.get(DELETE):
                changed[index] = adopt({k: v for k, v in self._value.items() if k != DELETE})
                origins_of(owner).set_item(trail, self._origin)
            else:
                merge_into(item, self._value, self._origin, path=(*done, index))
        else:
            changed[index] = adopt(self._value)
            origins_of(owner).set_item(trail, self._origin)

    def _length_changed(self, owner: ConfigDict, trail: tuple[Any, ...]) -> None:
        if len(trail) == 1:
            origins_of(owner).set(trail[0], self._origin)
        else:
            origins_of(owner).set_item(trail, self._origin)

    def _is_removal(self) -> bool:
        return isinstance(self._value, str) and self._value == DELETE

    def _new_key(self, node: ConfigDict, key: Any, done: tuple[Any, ...]) -> None:
        if self._on_new_key is not None:
            self._on_new_key(done, key, node, {key: None})
