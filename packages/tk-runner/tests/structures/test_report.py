from __future__ import annotations

from tk_runner.structures.report import element_report


def test_both_sections_are_there_also_when_empty() -> None:
    element = object()

    assert element_report(element, [], [("a", 1)]) == (
        f"<object(\n\n    META INFORMATION\n\n    DATA FIELDS\n    a: 1\n) at {id(element):#x}>"
    )
