from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from tk_config import Config, Secret
from tk_config.commands.main import main

REAL = "hunter2-very-real"


TEXT = """
token = '{{$TKC_TOKEN!secret}}'
url = 'https://{{$TKC_TOKEN!secret}}@host'
plain = 'x' + token
"""


@pytest.fixture
def cfg(write: Any, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setenv("TKC_TOKEN", REAL)
    return Config.fromfile(write(a_py=TEXT))


def test_a_secret_is_the_real_text_for_whoever_uses_it(cfg: Config) -> None:
    assert cfg.token == REAL
    assert cfg.url == f"https://{REAL}@host"
    assert isinstance(cfg.token, Secret)


def test_a_secret_is_never_shown(cfg: Config, capsys: Any) -> None:
    shown = [
        repr(cfg), cfg.pretty_text, cfg.text, cfg.dump_text(".yaml"), cfg.dump_text(".json"),
        str(cfg.dump()), str(cfg.env_variables), repr(cfg.token), Config.diff(cfg, Config()),
    ]  # fmt: skip
    for args in (["show"], ["show", "--json"], ["show", "--format", "yaml"]):
        main([args[0], str(cfg.filename), *args[1:]])
    for key in ("token", "plain"):
        main(["why", str(cfg.filename), key])
    main(["diff", str(cfg.filename), str(cfg.filename)])
    shown.append(capsys.readouterr().out)

    assert not [text for text in shown if REAL in text]
    assert "{{$TKC_TOKEN!secret}}" in shown[1]


def test_a_dump_with_references_loads_the_secret_again(cfg: Config, tmp_path: Any) -> None:
    for name in ("b.py", "b.yaml", "b.json"):
        cfg.dump(tmp_path / name)

        assert Config.fromfile(tmp_path / name) == cfg


def test_copies_and_pickles_stay_secret(cfg: Config) -> None:
    for other in (copy.deepcopy(cfg), copy.copy(cfg), pickle.loads(pickle.dumps(cfg))):
        assert other == cfg
        assert REAL not in repr(other)


def test_a_secret_may_have_a_default(write: Any) -> None:
    cfg = Config.fromfile(
        write(a_py="t = {{$TKC_TOKEN!secret:none}}\nu = '{{$TKC_TOKEN!secret:x}}'\n")
    )

    assert cfg.u == "x"
