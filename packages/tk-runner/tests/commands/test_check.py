from __future__ import annotations

import json


def test_a_good_config_has_no_mistakes(toy) -> None:
    said = toy.run("check", "cfg.py")

    assert (said.code, said.out) == (0, "cfg.py: no mistakes found\n")
    assert not (toy.folder / "work_dirs").exists()


def test_every_mistake_is_told_with_its_line(toy) -> None:
    toy.write(model={"type": "ToyModel", "widht": 4}, val_evaluator={"type": "Toymetric"})
    said = toy.run("check", "cfg.py")

    assert said.code == 2
    assert said.out.startswith("cfg.py: 2 mistakes\n")
    assert "cfg.py:2: model.widht: " in said.out
    assert "did you mean 'ToyMetric'?" in said.out


def test_mistakes_as_json(toy) -> None:
    toy.write(model={"type": "ToyModel", "widht": 4})
    said = toy.run("check", "cfg.py", "--json")
    (found,) = json.loads(said.out)

    assert said.code == 2
    assert found["path"] == "model.widht"
    assert found["origin"].endswith("cfg.py:2")
    assert "width" in found["message"]


def test_overrides_are_checked_too(toy) -> None:
    said = toy.run("check", "cfg.py", "--cfg-options", "model.type=Nothing")

    assert said.code == 2
    assert "model.type" in said.out


def test_a_config_that_cannot_be_read_is_a_mistake(toy) -> None:
    (toy.folder / "cfg.py").write_text("model = dict(\n")
    said = toy.run("check", "cfg.py", "--json")

    assert said.code == 2
    assert "cfg.py" in json.loads(said.out)[0]["message"]
