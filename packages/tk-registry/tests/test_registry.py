"""Building through a registry."""

from __future__ import annotations

from tk_registry import Registry


def test_build_makes_what_the_type_names() -> None:
    layers: Registry[object] = Registry("layer", scope="demo")

    @layers.register_module
    class Doubler:
        def __init__(self, times: int = 2) -> None:
            self.times = times

    built = layers.build({"type": "Doubler", "times": 3})

    assert isinstance(built, Doubler)
    assert built.times == 3
