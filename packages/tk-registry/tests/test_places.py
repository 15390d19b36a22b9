"""Where objects and values come from."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from tk_registry.places import full_name, origin_of, path_to, source_place


class Shown: ...


def test_the_origin_is_asked_of_the_type_not_of_the_keys() -> None:
    class Loose(dict[str, Any]):
        def __getattr__(self, name: str) -> Any:
            return lambda *_: "nonsense"

    class Knowing(dict[str, Any]):
        def __config_origin__(self, path: str) -> str | None:
            return f"a.py:{path}" if path else None

    assert origin_of(Loose(), "lr") is None
    assert origin_of({}, "lr") is None
    assert origin_of(Knowing(), "lr") == "a.py:lr"
    assert origin_of(Knowing(), "") is None


def test_a_node_is_found_by_identity() -> None:
    node: dict[str, int] = {}
    tree = {"other": {}, "stages": [({}, node)]}

    assert path_to(node, tree) == "stages.0.1"
    assert path_to({}, tree) is None


def test_a_search_ends_in_a_circle() -> None:
    circle: dict[str, Any] = {}
    circle["again"] = circle

    assert path_to({}, circle) is None


def test_names_are_full() -> None:
    assert full_name(dict) == "builtins.dict"
    assert full_name(functools.partial(functools.partial(dict), a=1)) == "builtins.dict"
    assert full_name(3) == "3"


def test_a_place_is_file_and_line_where_there_is_source() -> None:
    line = inspect.getsourcelines(Shown)[1]

    assert source_place(Shown) == f"{__file__}:{line}"
    assert source_place(functools.partial(Shown)) == f"{__file__}:{line}"
    assert source_place(source_place).endswith(
        f"places.py:{inspect.getsourcelines(source_place)[1]}"
    )
    assert source_place(dict) == "builtins.dict"
