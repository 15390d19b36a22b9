"""Dicts while their file is executed."""

from __future__ import annotations

from typing import Any

from tk_config import Config, LazyObject


def test_a_written_dict_is_updated_like_a_plain_one_and_an_inherited_one_is_merged(
    write: Any,
) -> None:
    write(base_py="old = dict(x=dict(a=1))\n")
    path = write(
        child_py="_base_ = './base.py'\nnew = dict(x=dict(a=1))\n"
        "new.update(x=dict(b=2))\n_base_.old.update(x=dict(b=2))\n"
    )

    cfg = Config.fromfile(path)

    assert cfg.new == {"x": {"b": 2}}
    assert cfg.old == {"x": {"a": 1, "b": 2}}


def test_values_put_into_a_draft_are_shared_until_the_file_is_read(write: Any) -> None:
    cfg = Config.fromfile(write(a_py="a = [1]\nb = dict(c=a)\na.append(2)\n"))
    cfg.a.append(3)

    assert cfg.b.c == [1, 2]


def test_lazy_values_stay_placeholders_while_the_file_is_read(write: Any) -> None:
    path = write(a_py="from tkc_nowhere import X\na = dict(t=X)\nb = [a.t, a['t'], a.get('t')]\n")

    assert Config.fromfile(path).b == [LazyObject("tkc_nowhere", "X")] * 3
