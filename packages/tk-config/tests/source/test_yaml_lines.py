from __future__ import annotations

import pytest

from tk_config import Config, ConfigParsingError


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
