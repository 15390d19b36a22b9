"""``BaseDataElement``: the facts about one sample, and its labels or predictions.

Facts (*metainfo*) and data are two disjoint families of attributes, each in
the order in which it was written. A field belongs to one family only, and no
field may hide a method. Conversions return new objects.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeVar

import numpy as np
import torch

from .errors import FieldNameError, FieldTypeError
from .leaves import map_leaves
from .report import element_report

_TABLES = ("_metainfo_fields", "_data_fields")

Self = TypeVar("Self", bound="BaseDataElement")


class BaseDataElement:
    """One sample's metainfo and data fields, read and written as attributes.

    ``element.name = value`` writes a data field; metainfo is written with
    ``set_metainfo``. A typed subclass defines a property ``name`` whose setter
    calls ``set_field(value, "_name", dtype=...)``; the listings then show
    ``name``.

    Args:
        metainfo: facts about the sample; copied deeply.
        **kwargs: data fields; kept as they are, not copied.
    """

    _metainfo_fields: dict[str, None]
    _data_fields: dict[str, None]

    def __init__(self, *, metainfo: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        self.__dict__["_metainfo_fields"] = {}
        self.__dict__["_data_fields"] = {}
        if metainfo is not None:
            self.set_metainfo(metainfo)
        if kwargs:
            self.set_data(kwargs)

    # ---- writing

    def set_metainfo(self, metainfo: Mapping[str, Any]) -> None:
        """Write each entry as metainfo; the values are copied deeply."""
        self._expect_dict("metainfo", metainfo)
        for name, value in copy.deepcopy(metainfo).items():
            self.set_field(value, name, field_type="metainfo")

    def set_data(self, data: Mapping[str, Any]) -> None:
        """Write each entry as a data field; the values are shared."""
        self._expect_dict("data", data)
        for name, value in data.items():
            setattr(self, name, value)

    def update(self, instance: BaseDataElement) -> None:
        """Write all fields of ``instance`` into this element."""
        if not isinstance(instance, BaseDataElement):
            raise FieldTypeError(
                f"update() takes another data element, not {type(instance).__name__}; "
                "for a dict use set_data() or set_metainfo()"
            )
        self.set_metainfo(dict(instance.metainfo_items()))
        self.set_data(dict(instance.items()))

    def set_field(
        self,
        value: Any,
        name: str,
        dtype: type | tuple[type, ...] | None = None,
        field_type: Literal["metainfo", "data"] = "data",
    ) -> None:
        """Write one field, checked.

        Args:
            value: kept as it is.
            name: attribute name.
            dtype: the value must be an instance of it.
            field_type: the family; a name lives in one of them only.

        Raises:
            FieldNameError: the name is taken by the other family, by a method
                or by the bookkeeping.
            FieldTypeError: the value is not a ``dtype``, or there is no such family.
        """
        if field_type not in ("metainfo", "data"):
            raise FieldTypeError(f"field_type={field_type!r}; use 'metainfo' or 'data'")
        if dtype is not None and not isinstance(value, dtype):
            raise FieldTypeError(
                f"field {name!r} of {type(self).__name__} takes {_type_names(dtype)}, "
                f"not {type(value).__name__}"
            )
        table, other = self._data_fields, self._metainfo_fields
        if field_type == "metainfo":
            table, other = other, table
        if name in other:
            taken = "metainfo" if field_type == "data" else "a data field"
            raise FieldNameError(
                f"{name!r} is {taken} of this {type(self).__name__} already and cannot be "
                f"{'metainfo' if field_type == 'metainfo' else 'a data field'} as well; "
                "delete it first, or use another name"
            )
        if self._is_property(name):
            object.__setattr__(self, name, value)
            if f"_{name}" in self._data_fields or f"_{name}" in self._metainfo_fields:
                return  # the setter wrote the field
        else:
            self._refuse_taken(name)
            if field_type == "data":
                value = self._checked(name, value)
            self.__dict__[name] = value
        table[name] = None

    def _checked(self, name: str, value: Any) -> Any:
        """The value to store as data field ``name``; subclasses refuse what does not fit."""
        return value

    def _refuse_taken(self, name: str) -> None:
        if name in _TABLES:
            raise FieldNameError(f"{name!r} is the bookkeeping of a data element; use another name")
        if hasattr(type(self), name):
            raise FieldNameError(
                f"{name!r} is a method or attribute of {type(self).__name__} and would be hidden "
                f"by a field of that name; use another name, {name + '_'!r} for example"
            )

    def __setattr__(self, name: str, value: Any) -> None:
        self.set_field(value, name)

    # ---- reading

    @classmethod
    def _is_property(cls, name: str) -> bool:
        """Whether ``name`` is a typed field: a property that can be written."""
        found = getattr(cls, name, None)
        return isinstance(found, property) and found.fset is not None

    def _public(self, table: dict[str, None]) -> list[str]:
        cls = type(self)
        return [
            name[1:] if name[:1] == "_" and cls._is_property(name[1:]) else name for name in table
        ]

    def keys(self) -> list[str]:
        """Names of the data fields, in the order in which they were first written."""
        return self._public(self._data_fields)

    def metainfo_keys(self) -> list[str]:
        """Names of the metainfo, in the order in which they were first written."""
        return self._public(self._metainfo_fields)

    def all_keys(self) -> list[str]:
        """Metainfo names, then data names."""
        return self.metainfo_keys() + self.keys()

    def values(self) -> list[Any]:
        """Values of the data fields."""
        return [getattr(self, name) for name in self.keys()]

    def metainfo_values(self) -> list[Any]:
        """Values of the metainfo."""
        return [getattr(self, name) for name in self.metainfo_keys()]

    def all_values(self) -> list[Any]:
        """Metainfo values, then data values."""
        return self.metainfo_values() + self.values()

    def items(self) -> Iterator[tuple[str, Any]]:
        """Name and value of each data field."""
        for name in self.keys():
            yield name, getattr(self, name)

    def metainfo_items(self) -> Iterator[tuple[str, Any]]:
        """Name and value of each metainfo."""
        for name in self.metainfo_keys():
            yield name, getattr(self, name)

    def all_items(self) -> Iterator[tuple[str, Any]]:
        """Metainfo, then data."""
        yield from self.metainfo_items()
        yield from self.items()

    @property
    def metainfo(self) -> dict[str, Any]:
        """The metainfo as a new dict."""
        return dict(self.metainfo_items())

    def get(self, key: str, default: Any = None) -> Any:
        """The field ``key``, or ``default``."""
        return getattr(self, key) if key in self else default

    def __contains__(self, name: object) -> bool:
        if name in self._data_fields or name in self._metainfo_fields:
            return True
        return name in self.all_keys()  # a typed field is stored under "_name"

    # ---- removing

    def __delattr__(self, name: str) -> None:
        if name in _TABLES:
            raise FieldNameError(f"{name!r} is the bookkeeping of a data element; it stays")
        object.__delattr__(self, name)
        self._metainfo_fields.pop(name, None)
        self._data_fields.pop(name, None)

    __delitem__ = __delattr__

    def pop(self, name: str, *default: Any) -> Any:
        """Remove a field and return its value; ``default`` where there is none.

        Raises:
            KeyError: there is no such field and no default.
        """
        if len(default) > 1:
            raise FieldTypeError(f"pop() takes a name and one default, not {1 + len(default)} more")
        if name in self:
            value = getattr(self, name)
            delattr(self, name)
            return value
        if default:
            return default[0]
        raise KeyError(f"no field {name!r}; there are {', '.join(self.all_keys()) or 'none'}")

    # ---- new objects

    def new(self: Self, *, metainfo: Mapping[str, Any] | None = None, **kwargs: Any) -> Self:
        """A new element; a family that is given replaces the whole family.

        Metainfo is copied deeply; data fields are shared with this element.
        """
        return self._with_data(kwargs or dict(self.items()), metainfo)

    def _with_data(
        self: Self, data: dict[str, Any], metainfo: Mapping[str, Any] | None = None
    ) -> Self:
        fresh = type(self)()
        fresh.set_metainfo(self.metainfo if metainfo is None else metainfo)
        fresh.set_data(data)
        return fresh

    def clone(self: Self) -> Self:
        """A deep copy: nothing is shared. Tensors are cloned, so gradients flow through."""
        return self._converted(_cloned)

    def __copy__(self: Self) -> Self:
        """A new element with its own field tables; the values are shared."""
        fresh = type(self).__new__(type(self))
        fresh.__dict__.update(self.__dict__)
        for table in _TABLES:
            fresh.__dict__[table] = dict(self.__dict__[table])
        return fresh

    # ---- conversions

    def _converted(self: Self, leaf: Callable[[Any], Any]) -> Self:
        fresh = copy.copy(self)
        for name in self._data_fields:
            if name in self.__dict__:  # not where a property keeps the value elsewhere
                fresh.__dict__[name] = map_leaves(leaf, self.__dict__[name])
        for name in self._metainfo_fields:
            if name in self.__dict__:
                fresh.__dict__[name] = copy.deepcopy(self.__dict__[name])
        return fresh

    def _call_each(self: Self, method: str, *args: Any, **kwargs: Any) -> Self:
        def leaf(value: Any) -> Any:
            convert = getattr(value, method, None)
            return value if convert is None else convert(*args, **kwargs)

        return self._converted(leaf)

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Every value with a method ``to``, moved or cast; what need not move is shared."""
        return self._call_each("to", *args, **kwargs)

    def cpu(self: Self) -> Self:
        """All values on the CPU."""
        return self._call_each("cpu")

    def cuda(self: Self, *args: Any, **kwargs: Any) -> Self:
        """All values on a CUDA device."""
        return self._call_each("cuda", *args, **kwargs)

    def detach(self: Self) -> Self:
        """All tensors cut from the graph; storage is shared."""
        return self._call_each("detach")

    def pin_memory(self: Self, *args: Any) -> Self:
        """All tensors in page-locked memory; a ``DataLoader`` with ``pin_memory=True`` calls it."""
        return self._call_each("pin_memory", *args)

    def numpy(self: Self) -> Self:
        """Tensors as arrays: cut from the graph, on the CPU."""

        def leaf(value: Any) -> Any:
            if isinstance(value, torch.Tensor):
                return value.detach().cpu().numpy()
            return value.numpy() if isinstance(value, BaseDataElement) else value

        return self._converted(leaf)

    def to_tensor(self: Self) -> Self:
        """Arrays as tensors, which share their memory."""

        def leaf(value: Any) -> Any:
            if isinstance(value, np.ndarray):
                return torch.from_numpy(value)
            return value.to_tensor() if isinstance(value, BaseDataElement) else value

        return self._converted(leaf)

    def to_dict(self) -> dict[str, Any]:
        """Both families in one dict; nested elements are dicts too."""

        def leaf(value: Any) -> Any:
            return value.to_dict() if isinstance(value, BaseDataElement) else value

        return {name: map_leaves(leaf, value) for name, value in self.all_items()}

    def __repr__(self) -> str:
        return element_report(self, list(self.metainfo_items()), list(self.items()))

    @staticmethod
    def _expect_dict(what: str, value: object) -> None:
        if not isinstance(value, Mapping):
            raise FieldTypeError(f"{what} must be a dict of names and values, not {value!r}")


def _cloned(value: Any) -> Any:
    if isinstance(value, (torch.Tensor, BaseDataElement)):
        return value.clone()
    return copy.deepcopy(value)


def _type_names(dtype: type | tuple[type, ...]) -> str:
    kinds = dtype if isinstance(dtype, tuple) else (dtype,)
    return " or ".join(kind.__name__ for kind in kinds)
