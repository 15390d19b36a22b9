from __future__ import annotations

import argparse
from typing import Any

import pytest

from tk_config import DictAction


def parsed(*words: str) -> dict[str, Any]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cfg-options", nargs="+", action=DictAction)
    options: dict[str, Any] = parser.parse_args(["--cfg-options", *words]).cfg_options
    return options


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1), ("-2", -2), ("0.5", 0.5), ("1e-3", 1e-3), ("true", True), ("False", False),
        ("None", None), ("word", "word"), ("inf", float("inf")), ("", ""),
        ("a,b", ["a", "b"]), ("1,2.5,x", [1, 2.5, "x"]), ("[a,b]", ["a", "b"]), ("[1]", [1]),
        ("[]", []), ("()", ()), ("(a,b)", ("a", "b")), ("(1)", (1,)), ("(1,)", (1,)),
        ("[(a,b),(c,d)]", [("a", "b"), ("c", "d")]), ("((1,2),3)", ((1, 2), 3)),
        ("[(a,b), [1, 2], false]", [("a", "b"), [1, 2], False]),
        ("{a: 1, 'b c': [1,2]}", {"a": 1, "b c": [1, 2]}), ("{}", {}), ("{1: x}", {1: "x"}),
        ("text with blanks", "text with blanks"), ("'1'", "1"), ('"[1,2]"', [1, 2]),
        ("'a,b'", "a,b"), ("a=b", "a=b"), ("http://x.y/z?q=1", "http://x.y/z?q=1"),
        ("it's", "it's"), ("0x10", 16), ("1_000", 1000), ("C:\\new\\x", "C:\\new\\x"),
        ("hello, world and more", "hello, world and more"), ("1.2.3", "1.2.3"),
    ],
)  # fmt: skip
def test_a_value_on_the_command_line_means(text: str, value: Any) -> None:
    found = parsed(f"key={text}")["key"]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["[1,2", "(1,2]", "[(a,b), [1,2], false"])
def test_unbalanced_brackets_are_bad_usage(text: str, capsys: Any) -> None:
    with pytest.raises(SystemExit) as stopped:
        parsed(f"a={text}")

    assert stopped.value.code == 2
    assert "do not match" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["01", "007", "-01", "+00", "0012"])
def test_a_number_with_a_leading_zero_is_text(text: str) -> None:
    assert parsed(f"a={text}", f"b=[{text},1]") == {"a": text, "b": [text, 1]}


def test_other_spellings_of_numbers_are_numbers() -> None:
    words = ["a=0", "b=0.5", "c=-0.5", "d=0x1f", "e=1e-3", "f=+5", "g=0e1"]

    assert list(parsed(*words).values()) == [0, 0.5, -0.5, 31, 0.001, 5, 0.0]
