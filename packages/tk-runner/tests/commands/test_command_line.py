from __future__ import annotations

import subprocess
import sys

import pytest

from tk_runner.commands.command_line import SUBCOMMANDS


@pytest.mark.parametrize("words", [["--help"], ["train", "--help"], ["--version"]], ids=str)
def test_help_loads_no_torch(words: list[str]) -> None:
    code = (
        "import sys; from tk_runner.__main__ import main\n"
        f"try: main({words!r})\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'numpy', 'rich'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_help_names_every_subcommand(toy) -> None:
    said = toy.run("--help")

    assert said.code == 0
    assert all(name in said.out for name in SUBCOMMANDS)


def test_a_misspelt_subcommand_names_the_nearest(toy) -> None:
    said = toy.run("trian", "cfg.py")

    assert said.code == 2
    assert "did you mean 'train'?" in said.err


def test_options_are_not_abbreviated(toy) -> None:
    assert toy.run("train", "cfg.py", "--work", "x").code == 2


def test_a_config_that_was_taken_for_the_path_of_resume_is_explained(toy) -> None:
    said = toy.run("train", "--resume", "cfg.py")

    assert said.code == 2
    assert "write the config before --resume" in said.err
