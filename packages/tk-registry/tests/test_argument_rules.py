"""Rules for values, asked by constructors and by `Registry.check`."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest

from tk_registry import (
    ArgumentError,
    InvalidUseError,
    Registry,
    Rule,
    at_least,
    between,
    check_values,
    count,
    more_than,
    one_of,
    pair_of,
    value_problems,
    value_rules,
)


def window_is_forward(begin: int, end: int) -> Iterator[tuple[str, str]]:
    if end <= begin:
        yield "end", f"end must be above begin={begin}, got {end}"


@value_rules(
    window_is_forward,
    begin=count(0),
    end=count(1),
    decay=between(0, 1),
    mode=one_of("min", "max"),
)
class Schedule:
    def __init__(
        self, begin: int = 0, end: int = 9, decay: float = 0.5, mode: str = "min", **more: Any
    ) -> None:
        check_values(Schedule, locals(), ValueError)


def messages(target: Any, **arguments: Any) -> list[str]:
    return [problem.message for problem in value_problems(target, arguments)]


@pytest.mark.parametrize(
    ("rule", "fitting", "others"),
    [
        (count(1), [1, 10**30], [0, -1, 1.0, True, "1", None]),
        (at_least(0), [0, 0.5, float("inf"), object()], [-1, float("nan"), "1", None, [1], True]),
        (more_than(0), [1e-9, 3], [0, -0.0, float("nan"), "x"]),
        (between(0, 1), [0, 1, 0.5], [-0.1, 1.1, float("nan")]),
        (one_of("min", 1), ["min", 1], ["max", True, 1.0, None]),
        (count(1) | one_of(-1, None), [1, -1, None], [0, -2, "1"]),
        (pair_of(between(0, 1)), [(0.9, 0.99), [0, 1]], [0.9, (0.9,), (0.9, 2)]),
    ],
    ids=lambda value: value.expected if isinstance(value, Rule) else "",
)
def test_a_rule_fits_what_it_says(rule: Rule, fitting: list[Any], others: list[Any]) -> None:
    assert [value for value in fitting if not rule.fits(value)] == []
    assert [value for value in others if rule.fits(value)] == []


def test_joined_rules_say_both_expectations() -> None:
    assert (count(1) | one_of(-1)).expected == "a whole number of 1 or more or -1"


def test_every_value_that_does_not_fit_is_named_with_what_it_must_be() -> None:
    assert messages(Schedule, begin=-1, decay=2, mode="mid") == [
        "begin must be a whole number of 0 or more, got -1",
        "decay must be a number from 0 to 1, got 2",
        "mode must be 'min' or 'max', got 'mid'",
    ]


def test_a_relation_sees_the_defaults_of_what_is_left_out() -> None:
    assert messages(Schedule, begin=9) == ["end must be above begin=9, got 9"]
    assert messages(Schedule, begin=8) == []


def test_a_default_that_somebody_else_replaces_is_not_judged() -> None:
    assert value_problems(Schedule, {"begin": 9}, supplied=["end"]) == []


def test_a_relation_is_not_asked_about_values_that_are_wrong_alone() -> None:
    assert messages(Schedule, begin="late") == [
        "begin must be a whole number of 0 or more, got 'late'"
    ]
    assert value_problems(Schedule, {"begin": 9}, unfit=["begin"]) == []


def test_a_relation_may_judge_the_further_arguments() -> None:
    def no_more(more: dict[str, Any]) -> Iterator[tuple[str, str]]:
        for name in more:
            yield f"more.{name}", f"{name} is one too many"

    target = value_rules(no_more)(lambda first, **more: None)

    assert value_problems(target, {"first": 1, "b": 2}) == [("more.b", "b is one too many")]


def test_the_constructor_raises_the_same_sentences() -> None:
    with pytest.raises(ValueError, match=r"^Schedule: begin must be .*-1; decay must be .*2$"):
        Schedule(begin=-1, decay=2)
    with pytest.raises(ArgumentError):
        check_values(Schedule, {"begin": -1})
    with pytest.raises(ValueError, match=r"^Warmup: begin must be"):
        type("Warmup", (Schedule,), {})(begin=-1)


class TestInheriting:
    def test_a_subclass_has_the_rules_of_its_bases(self) -> None:
        class Sub(Schedule):
            def __init__(self, extra: int, **kwargs: Any) -> None:
                super().__init__(**kwargs)

        assert messages(Sub, extra=1, begin=-1)

    def test_a_parameter_of_the_same_name_may_mean_something_else(self) -> None:
        class Sub(Schedule):
            def __init__(self, begin: str = "auto") -> None: ...

        assert messages(Sub, begin="late") == []

    def test_a_subclass_that_declares_rules_adds_to_those_of_its_bases(self) -> None:
        @value_rules(step=count(1), decay=between(0, 9))
        class Sub(Schedule):
            def __init__(self, step: int, begin: int, decay: float) -> None: ...

        assert messages(Sub, step=0, begin=-1, decay=5) == [
            "begin must be a whole number of 0 or more, got -1",
            "step must be a whole number of 1 or more, got 0",
        ]


def test_rules_may_be_declared_for_classes_of_others_and_their_partials() -> None:
    class Theirs:
        def __init__(self, lr: float) -> None: ...

    assert value_rules(lr=at_least(0))(Theirs) is Theirs
    assert messages(Theirs, lr=-1) == ["lr must be a number of 0 or more, got -1"]
    assert messages(functools.partial(Theirs), lr=-1)


def test_a_class_without_rules_has_no_problems() -> None:
    assert value_problems(dict, {"a": -1}) == []


def test_a_long_value_is_shortened() -> None:
    assert len(messages(Schedule, mode="x" * 1000)[0]) < 120


def test_a_rule_must_be_one() -> None:
    with pytest.raises(InvalidUseError, match="the rule for 'begin' must be a Rule, got 0"):
        value_rules(begin=0)  # type: ignore[arg-type]


class Origin(dict[str, Any]):
    """A config that knows its lines."""

    def __config_origin__(self, path: str) -> str:
        return f"config.py:{path}"


def test_a_check_names_them_with_path_and_origin() -> None:
    schedules: Registry[Any] = Registry("schedule", scope="base")
    schedules.register_module(module=Schedule)
    cfg = Origin(type="Schedule", begin="soon", end=0, decay=7)

    problems = schedules.check(cfg)

    assert [problem.path for problem in problems] == ["begin", "end", "decay"]
    assert [problem.origin for problem in problems] == [
        "config.py:begin", "config.py:end", "config.py:decay"
    ]  # fmt: skip
    assert "must be int, got str 'soon'" in problems[0].message
    assert problems[1].message.endswith("Schedule: end must be a whole number of 1 or more, got 0")


def test_a_relation_may_ask_which_class_would_be_built() -> None:
    def named(cls: type, size: int) -> Iterator[tuple[str, str]]:
        yield "size", f"{cls.__name__}({size})"

    @value_rules(named)
    class Base:
        def __init__(self, size: int) -> None: ...

    class Derived(Base): ...

    assert [problem.message for problem in value_problems(Derived, {"size": 3})] == ["Derived(3)"]
