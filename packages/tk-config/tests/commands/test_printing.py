from __future__ import annotations

import json
from typing import Any

from tk_config import LazyObject, Secret
from tk_config.commands.printing import as_json, say_json, shown


def test_values_are_shown_as_source_with_secrets_as_references() -> None:
    assert shown({"a": (1, None), "b": Secret("real", "{{$B!secret}}")}) == (
        "dict(a=(1, None), b='{{$B!secret}}')"
    )
    assert shown("has real in it", {"real": "{{$B!secret}}"}) == "'has {{$B!secret}} in it'"


def test_json_holds_every_value_in_some_form(capsys: Any) -> None:
    say_json(
        as_json(
            {"a": [1, 2.5, None, True], 5: LazyObject("math", "pi"), "s": "real"}, {"real": "R"}
        )
    )

    assert json.loads(capsys.readouterr().out) == {
        "a": [1, 2.5, None, True],
        "5": "math.pi",
        "s": "R",
    }
