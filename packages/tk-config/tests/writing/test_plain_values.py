from __future__ import annotations

from collections import OrderedDict

from tk_config import Config


def test_a_class_in_a_config_becomes_plain_data() -> None:
    assert (
        Config({"v": {"type": OrderedDict}}).dump() == "v = dict(type='collections.OrderedDict')\n"
    )
