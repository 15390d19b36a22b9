"""Where things come from: an object its source file, a config value its config file.

A config may know its origin: its type then has the method
``__config_origin__(path)``, which takes the dotted path of a value below that node
(``"stages.2.type"``) and returns ``"file:line"`` or ``None``. Anything that has the
method is asked; nobody has to derive from anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def origin_of(node: object, path: str) -> str | None:
    """File and line of the value at ``path`` below ``node``, where the node can tell."""
    # Looked up on the type, as Python does for its own special methods: a config
    # with attribute access would take the name for one of its keys.
    ask = getattr(type(node), "__config_origin__", None)
    if ask is None:
        return None
    origin = ask(node, path)
    return None if origin is None else str(origin)


def path_to(node: object, inside: Any, *, depth: int = 6) -> str | None:
    """Dotted path by which the very object ``node`` is reached from ``inside``, or ``None``."""
    if depth == 0:
        return None
    if isinstance(inside, Mapping):
        entries = list(inside.items())
    elif isinstance(inside, (list, tuple)):
        entries = list(enumerate(inside))
    else:
        return None
    for key, value in entries:
        if value is node:
            return str(key)
        below = path_to(node, value, depth=depth - 1)
        if below is not None:
            return f"{key}.{below}"
    return None


def full_name(thing: Any) -> str:
    """``module.QualName`` of a class or function; of a partial that of its function."""
    target = thing
    while hasattr(target, "func"):  # functools.partial, possibly of another one
        target = target.func
    name = getattr(target, "__qualname__", None)
    if name is None:
        return repr(thing)
    return f"{getattr(target, '__module__', None) or 'builtins'}.{name}"


def source_place(thing: Any) -> str:
    """``file:line`` where a class or function is written, or its full name where none is known."""
    import inspect  # 10 ms, and only errors need it

    target = thing
    while hasattr(target, "func"):
        target = target.func
    code = getattr(inspect.unwrap(target), "__code__", None)
    if code is not None:
        return f"{code.co_filename}:{code.co_firstlineno}"
    try:
        file = inspect.getsourcefile(target)
        line = inspect.getsourcelines(target)[1]
    except (OSError, TypeError):
        return full_name(thing)
    return f"{file}:{max(line, 1)}"
