from __future__ import annotations

import argparse
import sys
from typing import Any

import pytest

from tk_config import Config, DictAction


def parsed(*words: str) -> dict[str, Any]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cfg-options", nargs="+", action=DictAction)
    options: dict[str, Any] = parser.parse_args(["--cfg-options", *words]).cfg_options
    return options


def test_several_words_and_several_options_add_up_and_later_ones_win() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--options", nargs="+", action=DictAction)
    args = parser.parse_args(["--options", "a=1", "b.c=2", "--options", "a=3", "d=x"])

    assert args.options == {"a": 3, "b.c": 2, "d": "x"}


def test_a_word_without_an_equals_sign_is_bad_usage(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        parsed("novalue")

    assert "is no KEY=VALUE" in capsys.readouterr().err


def test_command_line_values_are_known_as_such() -> None:
    cfg = Config({"a": {"b": 1}})
    cfg.merge_from_dict(parsed("a.b=2"))

    assert str(cfg.origin("a.b")) == "command line (a.b=2)"


def test_auto_argparser_offers_each_key(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(a_py="a = 1\nb = dict(c='x', d=[1, 2], e=True)\nf = 0.5\n")
    monkeypatch.setattr(sys, "argv", ["prog", str(path), "--a", "3", "--b.d", "4", "5", "--b.e"])
    parser, cfg = Config.auto_argparser("demo")
    args = parser.parse_args()

    assert cfg.a == 1
    assert vars(args)["a"] == 3
    assert vars(args)["b.d"] == [4, 5]
    assert vars(args)["b.e"] is True


def test_several_options_on_one_command_line_add_up() -> None:
    cfg = Config({"a": 1, "b": [{"c": 1}]})
    cfg.merge_from_dict({"a": 2, "b.0.c": 3})

    assert cfg == {"a": 2, "b": [{"c": 3}]}
