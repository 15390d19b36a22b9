"""Functions and methods that a config read as data may call.

A list, not a rule: what is not here is refused. Each pays for its result before it is
made, and none reaches anything but its arguments.
"""

from __future__ import annotations

import copy
import datetime
import math
import pathlib
import string
from collections.abc import Callable
from typing import Any

from ..tree.copies import deep_copy
from ..tree.draft import is_inherited
from ..tree.merge import merge_into
from ..tree.node import Node, origins_of
from ..tree.origin import Origin
from .budget import Budget, OverBudgetError, check_format, check_hashes

_WORDS: dict[type, str] = {
    str: """capitalize casefold count endswith find format index isalnum isalpha isdecimal
        isdigit isidentifier islower isnumeric isupper join lower lstrip partition removeprefix
        removesuffix replace rfind rindex rpartition rsplit rstrip split splitlines startswith
        strip swapcase title upper""",
    list: "append clear copy count extend index insert pop remove reverse sort",
    tuple: "count index",
    dict: "clear copy get items keys merge pop popitem setdefault update values",
    set: """add copy difference discard intersection issubset issuperset remove
        symmetric_difference union update""",
    frozenset: "difference intersection issubset issuperset union",
    float: "is_integer",
}
METHODS = {kind: frozenset(words.split()) for kind, words in _WORDS.items()}

_OVER_ITEMS = frozenset(METHODS[set] - {"add", "copy", "discard", "remove"} | {"extend"})
"""Methods of lists and sets that take what their arguments hold, not the arguments."""

CONSTANTS: dict[str, Any] = {
    "datetime.timezone.utc": datetime.timezone.utc,
    "math.e": math.e,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "math.pi": math.pi,
    "math.tau": math.tau,
}
"""Values that stand for themselves when a config imports and names them."""

_CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    "datetime.date": datetime.date,
    "datetime.datetime": datetime.datetime,
    "datetime.time": datetime.time,
    "datetime.timedelta": datetime.timedelta,
    "datetime.timezone": datetime.timezone,
    "pathlib.Path": pathlib.Path,
    "pathlib.PurePath": pathlib.PurePath,
    "pathlib.PurePosixPath": pathlib.PurePosixPath,
    "pathlib.PureWindowsPath": pathlib.PureWindowsPath,
}


def items_of(value: Any, budget: Budget) -> list[Any]:
    """List what a value holds, paying for each item.

    Raises:
        TypeError: it is no container.
    """
    if isinstance(value, dict):
        budget.spend(len(value))
        return list(dict.keys(value))
    if isinstance(value, (str, list, tuple, set, frozenset, range)):
        budget.spend(len(value))
        return list(value)
    raise TypeError(f"a {type(value).__name__} cannot be iterated over")


class Functions:
    """The functions by name, all paying from one budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.by_name: dict[str, Callable[..., Any]] = {
            "abs": lambda value: abs(self._number(value)),
            "all": lambda values: all(self._items(values)),
            "any": lambda values: any(self._items(values)),
            "bool": lambda value=False: bool(value),
            "complex": lambda *parts: complex(*map(self._number, parts)),
            "dict": self._dict,
            "divmod": lambda one, other: divmod(self._number(one), self._number(other)),
            "enumerate": lambda values, start=0: list(enumerate(self._items(values), start)),
            "float": self._float,
            "frozenset": lambda values=(): frozenset(self._hashable(values)),
            "int": self._int,
            "len": len,
            "list": lambda values=(): self._items(values),
            "max": lambda *values, **kw: max(*self._compared(values), **kw),
            "min": lambda *values, **kw: min(*self._compared(values), **kw),
            "range": range,
            "reversed": lambda values: self._items(values)[::-1],
            "round": self._round,
            "set": lambda values=(): set(self._hashable(values)),
            "slice": slice,
            "sorted": lambda values, reverse=False: sorted(
                self._items(self._pay(values)), reverse=bool(reverse)
            ),
            "str": lambda value="": self._pay(str(self._pay(value))),
            "sum": self._sum,
            "tuple": lambda values=(): tuple(self._items(values)),
            "zip": lambda *values: list(zip(*map(self._items, values))),  # noqa: B905
        }
        self.by_dotted_name: dict[str, Callable[..., Any]] = {
            "collections.OrderedDict": self._dict,
            "copy.copy": lambda value: copy.copy(self._pay(value)),
            "copy.deepcopy": lambda value: deep_copy(self._pay(value), {}),
            **{name: self._paying(constructor) for name, constructor in _CONSTRUCTORS.items()},
        }

    def _paying(self, constructor: Callable[..., Any]) -> Callable[..., Any]:
        """Let a constructor of the standard library pay for its arguments."""
        return lambda *args, **kw: constructor(*self._pay(args), **self._pay(kw))

    def method(self, owner: Any, name: str, line: Origin) -> Callable[..., Any] | None:
        """Give a method of a value, or None when it is not on the list.

        Args:
            owner: the value.
            name: of the method.
            line: origin of keys that it sets.
        """
        kind = next((kind for kind in METHODS if isinstance(owner, kind)), None)
        if kind is None or name not in METHODS[kind]:
            return None
        if kind is dict:
            return lambda *args, **kw: self._dict_method(owner, name, line, args, kw)
        if kind is str:
            return lambda *args, **kw: self._text_method(owner, name, args, kw)

        def call(*args: Any, **kw: Any) -> Any:
            self._pay((*args, *kw.values()))
            if name not in ("append", "insert", "add"):
                self._pay(owner)
            if name in _OVER_ITEMS:
                args = tuple(
                    self._items(arg) if isinstance(arg, (dict, range)) else arg for arg in args
                )
            if kind is set or kind is frozenset:
                for arg in args:
                    if isinstance(arg, (list, tuple)):
                        check_hashes(arg)
            return getattr(owner, name)(*args, **kw)

        return call

    def _dict_method(
        self, owner: Any, name: str, line: Origin, args: tuple[Any, ...], kw: dict[str, Any]
    ) -> Any:
        self._pay((*args, *kw.values()))
        if name in ("items", "keys", "values"):
            self._budget.spend(len(owner))
            return list(getattr(dict, name)(owner))
        if name in ("update", "merge"):
            other = self._dict(*args, **kw)
            if isinstance(owner, Node) and (name == "merge" or is_inherited(owner)):
                merge_into(owner, other, line, dict_over_value=name == "update")
                return None
            dict.update(owner, other)
            if isinstance(owner, Node):
                for key in other:
                    origins_of(owner).set(key, line)
            return None
        if name == "copy":
            self._budget.spend(len(owner))
            return owner.copy()
        if name == "setdefault" and isinstance(owner, Node) and args[0] not in owner:
            origins_of(owner).set(args[0], line)
        return getattr(dict, name)(owner, *args, **kw)

    def _text_method(self, owner: str, name: str, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        self._budget.spend(len(owner))
        if name == "join":
            args = (self._items(*args),)
            self._budget.spend(len(owner) * len(args[0]))
        self._pay((*args, *kw.values()))
        if name == "replace":
            self._budget.spend((owner.count(args[0]) + 1) * len(args[1]))
        if name == "format":
            _check_fields(owner)
            cost = self._budget.cost_of((args, kw))  # each field may write all of them
            self._budget.spend(owner.count("{") * (1000 + cost))
        return self._pay(getattr(str, name)(owner, *args, **kw))

    def _items(self, values: Any) -> list[Any]:
        return items_of(values, self._budget)

    def _pay(self, value: Any) -> Any:
        return self._budget.pay_for(value)

    def _hashable(self, values: Any) -> list[Any]:
        items = self._items(self._pay(values))
        check_hashes(items)
        return items

    def _compared(self, values: tuple[Any, ...]) -> list[Any]:
        self._pay(values)
        return [
            self._items(value) if isinstance(value, (dict, range)) else value for value in values
        ]

    def _number(self, value: Any) -> Any:
        if isinstance(value, (int, float, complex)):
            return value
        raise TypeError(f"a number is needed, not a {type(value).__name__}")

    def _round(self, value: Any, digits: int | None = None) -> Any:
        if digits is not None and abs(digits) > 400:
            raise OverBudgetError("a rounding to more than 400 digits")
        return round(self._number(value), digits)

    def _int(self, value: Any = 0, base: int | None = None) -> int:
        if isinstance(value, str) and len(value) > 1000:
            raise OverBudgetError("a text of more than 1000 digits")
        if isinstance(value, str):
            return int(value) if base is None else int(value, base)
        return int(self._number(value))

    def _float(self, value: Any = 0.0) -> float:
        if isinstance(value, str) and len(value) > 1000:
            raise OverBudgetError("a text of more than 1000 digits")
        return float(value if isinstance(value, str) else self._number(value))

    def _sum(self, values: Any, start: Any = 0) -> Any:
        return sum((self._number(value) for value in self._items(values)), self._number(start))

    def _dict(self, *args: Any, **kw: Any) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for source in args:
            pairs = dict.items(source) if isinstance(source, dict) else self._items(source)
            self._budget.spend(len(pairs))
            check_hashes([pair[0] for pair in pairs])
            made.update(pairs)
        made.update(kw)
        return made


def _check_fields(text: str) -> None:
    """Refuse fields that reach into attributes or items, and huge widths."""
    for _, field, spec, _ in string.Formatter().parse(text):
        if field and ("." in field or "[" in field or field[:1] == "_"):
            raise OverBudgetError(f"the field {field!r} of a format reaches into its argument")
        if spec:
            check_format(spec)
            if "{" in spec:
                raise OverBudgetError("a format is nested in a format")
