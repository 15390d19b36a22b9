from __future__ import annotations

import os
from typing import Any

from tk_config import (
    Config,
)


def test_dunder_names_functions_and_modules_are_no_keys(write: Any) -> None:
    path = write(
        a_py="""
        import os, math
        from collections import OrderedDict
        def helper(n):
            return dict(n=n)
        class Local:
            pass
        __hidden__ = 1
        _shown_ = 2
        a = helper(3)
        b = OrderedDict(c=os.sep)
        """
    )

    cfg = Config.fromfile(path)

    assert sorted(cfg) == ["_shown_", "a", "b"]
    assert cfg.b == {"c": os.sep}


def test_code_and_literals_run_in_the_order_of_the_file(write: Any) -> None:
    text = "a = [1]\na.append(2)\nb = a\na = a + [3]\nc = dict(n=a)\nc['m'] = b\nd = c\n"

    cfg = Config.fromfile(write(a_py=text))

    assert cfg == {
        "a": [1, 2, 3],
        "b": [1, 2],
        "c": {"n": [1, 2, 3], "m": [1, 2]},
        "d": {"n": [1, 2, 3], "m": [1, 2]},
    }
