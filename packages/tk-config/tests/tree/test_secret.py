from __future__ import annotations

import argparse
import copy
import pickle
from typing import Any

import pytest

from tk_config import Config, DictAction, Secret
from tk_config.commands.main import main
from tk_config.tree.secret import names_a_secret

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


def test_a_variable_whose_name_says_that_it_is_secret_is_never_shown(
    write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TKC_API_KEY", "sk-very-real-1")
    monkeypatch.setenv("TKC_TOKENIZER", "words")
    text = """
    import os
    a = '{{$TKC_API_KEY}}'
    b = '{{$TKC_TOKENIZER}}'
    c = os.environ['TKC_API_KEY']
    """
    cfg = Config.fromfile(write(a_py=text))

    assert cfg.a == cfg.c == "sk-very-real-1"
    assert cfg.pretty_text == "a = '{{$TKC_API_KEY}}'\nb = 'words'\nc = '{{$TKC_API_KEY}}'\n"
    assert "sk-very-real-1" not in repr(cfg) + str(cfg.env_variables) + str(cfg.dump_text(".json"))
    assert Config.fromstring(cfg.pretty_text, ".py", trusted=True) == cfg


def test_a_secret_of_the_environment_that_a_config_does_not_use_is_not_stored(
    write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TKC_UNUSED_TOKEN", "tk-unused-and-real")
    cfg = Config.fromfile(write(a_py="import os\na = 1\n"))

    assert b"unused-and-real" not in pickle.dumps(cfg)
    assert Config({"a": "tk-unused-and-real"}).pretty_text == "a = '{{$TKC_UNUSED_TOKEN!secret}}'\n"


def test_a_secret_typed_on_the_command_line_is_never_shown() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cfg-options", nargs="+", action=DictAction)
    words = ["--cfg-options", "tracker.api_key=sk-typed-1", "db={password: pw-typed-2, port: 5}"]
    cfg = Config()
    cfg.merge_from_dict(parser.parse_args(words).cfg_options)
    shown = cfg.pretty_text + repr(cfg) + str(cfg.dump_text(".json"))

    assert cfg.tracker.api_key == "sk-typed-1"
    assert cfg.db == {"password": "pw-typed-2", "port": 5}
    origins = f"{cfg.origin('tracker.api_key')} {cfg.origin('db.password')}"
    assert "typed" not in shown + origins
    assert "{{$API_KEY!secret}}" in shown


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("HF_TOKEN", True),
        ("WANDB_API_KEY", True),
        ("password", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("TOKENIZERS_PARALLELISM", False),
        ("max_tokens", False),
        ("KEYBOARD", False),
        ("author", False),
    ],
)
def test_a_name_tells_whether_its_value_is_secret(name: str, is_secret: bool) -> None:
    assert names_a_secret(name) is is_secret
