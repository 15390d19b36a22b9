from __future__ import annotations

import pytest

from tk_config import Config, ConfigParsingError, ConfigSyntaxError


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\n" + "".join(
            f"{chr(c)}: &{chr(c)} [{', '.join(['*' + chr(c - 1)] * 9)}]\n" for c in range(99, 112)
        ),
        "a: &a {x: 1}\nb: &b {<<: [*a, *a]}\n" + "".join(
            f"{chr(c)}: &{chr(c)} {{<<: [{', '.join(['*' + chr(c - 1)] * 9)}]}}\n"
            for c in range(99, 112)
        ),
        "a: " + "[" * 5000 + "]" * 5000,
        "a: !!python/object/apply:os.system ['true']",
    ],
    ids=["shared references", "merged references", "nesting", "a tag that calls"],
)  # fmt: skip
def test_an_attack_in_yaml_is_refused(text: str) -> None:
    with pytest.raises(ConfigParsingError, match="<text>"):
        Config.fromstring(text, ".yaml")


@pytest.mark.parametrize(
    "text",
    [
        "a: 1" + ":59" * 100_000,
        "a: " + "1" * 100_000,
        "\n".join(f"{i * (2**61 - 1)}: 1" for i in range(20_000)),
    ],
    ids=["sexagesimal", "digits", "keys of equal hash"],
)
def test_numbers_that_would_take_minutes_are_refused(text: str) -> None:
    with pytest.raises(ConfigSyntaxError, match=r"<text>:1: .*(number|integers)"):
        Config.fromstring(text, ".yaml")


def test_a_long_text_and_ordinary_numbers_are_read() -> None:
    cfg = Config.fromstring(f"a: '{'1' * 5000}'\nb: 1:30\n5: c\n", ".yaml")

    assert cfg.to_dict() == {"a": "1" * 5000, "b": 90, 5: "c"}
