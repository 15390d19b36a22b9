from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def test_why_prints_every_step_with_its_source_line(files: Path, output: Any) -> None:
    text = output("why", "child.py", "optimizer.lr", "--cfg-options", "optimizer.lr=0.3")

    assert text.splitlines() == [
        "optimizer.lr = 0.3",
        "  set by command line (optimizer.lr=0.3)",
        "  replacing child.py:2    optimizer = dict(lr=0.2)",
        "  replacing base.py:1    optimizer = dict(type='SGD', lr=0.1)",
    ]


def test_why_as_json(files: Path, output: Any) -> None:
    found = json.loads(output("why", "child.py", "steps.1", "--json"))

    assert found["value"] == 2
    assert found["origins"][0]["text"] == "base.py:2"
