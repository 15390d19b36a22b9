from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def test_diff_lists_changes_with_their_places(files: Path, output: Any) -> None:
    assert output("diff", "base.py", "child.py") == "~ optimizer.lr: 0.1 -> 0.2    (child.py:2)\n"
    found = json.loads(output("diff", "base.py", "child.py", "--json"))
    assert found[0]["old_origin"] == "base.py:1"
    assert output("diff", "base.py", "base.py") == "the configs are equal\n"
