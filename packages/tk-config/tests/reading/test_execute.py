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
        d = dict(f=lambda x: x, c=Local)
        """
    )

    cfg = Config.fromfile(path)

    assert sorted(cfg) == ["_shown_", "a", "b", "d"]
    assert cfg.b == {"c": os.sep}
    assert cfg.d.f(4) == 4
