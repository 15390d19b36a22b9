from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def test_show_prints_the_resolved_config_in_any_format(files: Path, output: Any) -> None:
    assert output("show", "child.py") == "optimizer = dict(lr=0.2, type='SGD')\nsteps = [1, 2]\n"
    assert "lr: 0.2" in output("show", "child.py", "--format", "yaml")
    assert json.loads(output("show", "child.py", "--json"))["steps"] == [1, 2]
    assert output("show", "child.py", "optimizer.lr") == "0.2\n"
    assert output("show", "child.py", "optimizer") == "lr = 0.2\ntype = 'SGD'\n"
