"""Which backend serves which address.

Classes are known by name, names by URI scheme. The built-in ones are imported
when first used; a scheme that nobody claimed goes to fsspec.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any, TypeVar, overload

from ..errors import UnknownBackendError
from ..near_names import did_you_mean
from ..uri import StrPath, parse_uri
from .backend import BaseStorageBackend

BackendClass = TypeVar("BackendClass", bound=type[BaseStorageBackend])

_HERE = "tk_fileio.backends"
_classes: dict[str, type[BaseStorageBackend] | str] = {
    "local": f"{_HERE}.local:LocalBackend",
    "http": f"{_HERE}.remote_http:HTTPBackend",
    "remote": f"{_HERE}.remote:RemoteBackend",
    "lmdb": f"{_HERE}.lmdb_store:LmdbBackend",
}
_schemes: dict[str, str] = {"": "local", "file": "local", "http": "http", "https": "http"}
_DROPPED = {
    "petrel": "the closed Petrel client is not supported; s3:// addresses are read through fsspec: "
    "pip install 'tk-fileio[remote]' s3fs, and leave 'backend' out",
    "memcached": "Memcached is not supported; use the local file system or lmdb",
    "disk": "it is called 'local' here",
}
_live: dict[object, BaseStorageBackend] = {}
_lock = Lock()


@overload
def register_backend(
    name: str,
    backend: None = None,
    force: bool = False,
    prefixes: str | Iterable[str] | None = None,
) -> Callable[[BackendClass], BackendClass]: ...
@overload
def register_backend(
    name: str,
    backend: BackendClass,
    force: bool = False,
    prefixes: str | Iterable[str] | None = None,
) -> BackendClass: ...
def register_backend(
    name: str,
    backend: BackendClass | None = None,
    force: bool = False,
    prefixes: str | Iterable[str] | None = None,
) -> BackendClass | Callable[[BackendClass], BackendClass]:
    """Make a backend known by name and by URI schemes; also a class decorator.

    Args:
        name: for ``backend_args={"backend": name}``.
        backend: the class; left out, the call is a decorator.
        force: take over a name or scheme that is in use.
        prefixes: the schemes whose addresses it serves, such as ``"s3"``.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: the name or a scheme is in use, and not ``force``.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a backend is a str, not {type(name).__name__} ({name!r})")
    schemes: list[Any] = [prefixes] if isinstance(prefixes, str) else list(prefixes or ())
    if wrong := [scheme for scheme in schemes if not isinstance(scheme, str)]:
        raise TypeError(f"prefixes are URI schemes, each a str; got {wrong!r}")

    def register(cls: BackendClass) -> BackendClass:
        given: Any = cls
        if not (isinstance(given, type) and issubclass(given, BaseStorageBackend)):
            raise TypeError(
                f"a backend is a subclass of BaseStorageBackend, not {cls!r}; "
                "derive from tk_fileio.BaseStorageBackend"
            )
        taken = [f"name {name!r}"] if name in _classes else []
        taken += [f"scheme {scheme!r}" for scheme in schemes if scheme.lower() in _schemes]
        if taken and not force:
            raise ValueError(
                f"{cls.__name__} cannot be registered: {', '.join(taken)} is in use; "
                "choose another, or take it over with force=True"
            )
        with _lock:
            _classes[name] = cls
            _schemes.update({scheme.lower(): name for scheme in schemes})
            _live.clear()  # what was made for a name or scheme may be of the old class
        return cls

    return register if backend is None else register(backend)


def get_file_backend(
    uri: StrPath | None = None,
    *,
    backend_args: Mapping[str, Any] | None = None,
    enable_singleton: bool = False,
) -> BaseStorageBackend:
    """The backend for an address, or the one that ``backend_args`` names.

    Args:
        uri: a path or URI; may be left out where a backend is named.
        backend_args: ``"backend"`` names one; all other entries go to its constructor.
        enable_singleton: whether to return the same object for the same arguments.

    Raises:
        ValueError: neither an address nor a name.
        UnknownBackendError: a name or scheme that nobody knows.
    """
    if enable_singleton and not backend_args and uri is not None:  # nearly always
        live = _live.get(_name_for_scheme(parse_uri(uri).scheme))
        if live is not None:
            return live
    arguments = dict(backend_args or {})
    name = arguments.pop("backend", None)
    if name is None:
        if uri is None:
            raise ValueError(
                "which backend? pass uri, or name one: backend_args={'backend': 'local'}"
            )
        scheme = parse_uri(uri).scheme
        name = _name_for_scheme(scheme)
    if not enable_singleton:
        return backend_class(name)(**arguments)
    key = (name, _frozen(arguments)) if arguments else name
    backend = _live.get(key)
    if backend is None:
        made = backend_class(name)(**arguments)
        with _lock:
            backend = _live.setdefault(key, made)
    return backend


def backend_class(name: str) -> type[BaseStorageBackend]:
    """The class registered under a name, imported if this is its first use."""
    try:
        found = _classes[name]
    except KeyError:
        known = sorted(_classes)
        hint = _DROPPED.get(name) or did_you_mean(
            name, known, "register yours with register_backend"
        )
        raise UnknownBackendError(
            f"no backend is called {name!r}; known: {', '.join(known)}; {hint}"
        ) from None
    if isinstance(found, str):
        module, _, attribute = found.partition(":")
        found = _classes[name] = getattr(importlib.import_module(module), attribute)
    return found


def _name_for_scheme(scheme: str) -> str:
    if scheme in _DROPPED:
        raise UnknownBackendError(f"no backend serves {scheme}://: {_DROPPED[scheme]}")
    return _schemes.get(scheme, "remote")


def _frozen(value: object) -> object:
    """A key that is equal for equal arguments, JSON or not."""
    if isinstance(value, Mapping):
        return frozenset((key, _frozen(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, (set, frozenset)):
        return frozenset(_frozen(item) for item in value)
    try:
        hash(value)
    except TypeError:
        return _Same(value)
    return (type(value), value)  # 1, True and 1.0 are different arguments


class _Same:
    """Equal for the very same object only; holding it keeps its identity from being reused."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
