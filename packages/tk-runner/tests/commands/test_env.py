from __future__ import annotations

import json

import torch


def test_versions_are_shown(toy) -> None:
    said = toy.run("env")

    assert said.code == 0
    assert torch.__version__.partition("+")[0] in said.out


def test_the_report_as_json(toy) -> None:
    found = json.loads(toy.run("env", "--json").out)

    assert found["python"]
    assert found["tk-runner"]
