"""All problems of a config at once, with their places."""

from __future__ import annotations

from typing import Any

import pytest

from tk_registry import OPTIMIZERS, DefaultScope, Problem, Registry, Rule, value_rules


class Node(dict[str, Any]):
    """A config node that knows a line for every path below it."""

    def __config_origin__(self, path: str) -> str | None:
        return f"cfg.py:{path}"


@pytest.fixture
def models() -> Registry[Any]:
    registry: Registry[Any] = Registry("model", scope="base")

    @registry.register_module
    class Backbone:
        def __init__(self, depth: int, width: float = 1.0, norm_cfg: dict[str, Any] | None = None):
            raise AssertionError("built")

    @registry.register_module
    class Detector:
        def __init__(self, backbone: Backbone, heads: Any = (), options: Any = None):
            raise AssertionError("built")

    return registry


def test_a_good_config_has_no_problem_and_nothing_is_built(models: Registry[Any]) -> None:
    cfg = {"type": "Detector", "backbone": {"type": "Backbone", "depth": 3}}

    assert models.check(cfg) == []


def test_every_problem_is_found_at_once_in_the_order_of_the_config(models: Registry[Any]) -> None:
    cfg = {
        "type": "Detector",
        "backbon": 1,
        "heads": [
            {"type": "Backbone", "depth": "3"},
            {"type": "Bakbone", "depth": 3},
            {"options": {"type": "Backbone", "dept": 3}},
        ],
    }
    found = models.check(cfg)

    assert [problem.path for problem in found] == [
        "backbon",
        "",
        "heads.0.depth",
        "heads.1.type",
        "heads.2.options.dept",
        "heads.2.options",
    ]
    text = "\n".join(map(str, found))
    for said in (
        "there is no argument 'backbon'; did you mean 'backbone'?",
        "the argument 'backbone' is missing",
        "the argument 'depth' must be int, got str '3'",
        "no model is called 'Bakbone'",
        "did you mean 'Backbone'?",
        "there is no argument 'dept'; did you mean 'depth'?",
        "the argument 'depth' is missing",
    ):
        assert said in text


def test_an_unknown_component_does_not_hide_problems_inside_it(models: Registry[Any]) -> None:
    found = models.check({"type": "Nothing", "part": {"type": "Backbone"}})

    assert [problem.path for problem in found] == ["type", "part"]


def test_the_nearest_node_that_can_tell_gives_file_and_line(models: Registry[Any]) -> None:
    cfg = Node(type="Detector", backbone={"type": "Backbone", "depth": "x"}, oops=1)
    origins = {problem.path: problem.origin for problem in models.check(cfg)}

    assert origins == {"oops": "cfg.py:oops", "backbone.depth": "cfg.py:backbone.depth"}

    cfg = Node(type="Detector", backbone=Node(type="Backbone"))
    (missing,) = models.check(cfg)

    assert (missing.path, missing.origin) == ("backbone", "cfg.py:type")
    assert str(missing).startswith("backbone (cfg.py:type): ")

    (first,) = models.check([Node(type="Backbone")])

    assert (first.path, first.origin) == ("0", "cfg.py:type")


def test_a_plain_mapping_has_no_origin(models: Registry[Any]) -> None:
    (problem,) = models.check({"type": "Backbone"})

    assert problem == Problem("", problem.message, None)
    assert str(problem).startswith("(top): ")


def test_what_the_caller_or_the_builder_adds_is_not_missing(models: Registry[Any]) -> None:
    assert models.check({"type": "Backbone"}, given=["depth"]) == []

    @OPTIMIZERS.register_module
    class Descent:
        def __init__(self, params: Any, lr: float) -> None: ...

    (problem,) = OPTIMIZERS.check({"type": "Descent"})

    assert "'lr' is missing" in problem.message


def test_a_component_of_another_kind_is_found_and_judged(models: Registry[Any]) -> None:
    @OPTIMIZERS.register_module
    class Ascent:
        def __init__(self, params: Any, lr: float) -> None: ...

    options = {"optimizer": {"type": "Ascent", "lr": "fast"}}
    cfg = {"type": "Detector", "backbone": None, "options": options}
    (problem,) = models.check(cfg)

    assert problem.path == "options.optimizer.lr"


def test_settings_that_their_owner_completes_are_judged_by_name_and_type_only(
    models: Registry[Any],
) -> None:
    @models.register_module
    class Norm:
        def __init__(self, num_features: int, eps: float = 1e-5) -> None: ...

    good = {"type": "Norm", "eps": 1e-3, "requires_grad": False}
    assert models.check({"type": "Backbone", "depth": 1, "norm_cfg": good}) == []

    bad = {"type": "Norm", "eps": "small"}
    (problem,) = models.check({"type": "Backbone", "depth": 1, "norm_cfg": bad})

    assert problem.path == "norm_cfg.eps"


def test_a_list_is_checked_entry_by_entry(models: Registry[Any]) -> None:
    found = models.check([{"type": "Backbone", "depth": 1}, {"type": "Backbone"}, 3])

    assert [problem.path for problem in found] == ["1", "2"]


@pytest.mark.parametrize("cfg", [3, None, "Backbone"])
def test_something_else_than_a_config_is_a_problem(models: Registry[Any], cfg: Any) -> None:
    (problem,) = models.check(cfg)

    assert "is built from a dict with the key 'type'" in problem.message


def test_a_config_without_a_type_is_a_problem(models: Registry[Any]) -> None:
    (problem,) = models.check({"depth": 3})

    assert problem.message == "a model is built from a dict with the key 'type'; add it"


def test_a_type_that_is_no_name_is_a_problem(models: Registry[Any]) -> None:
    (problem,) = models.check({"type": 3})

    assert problem.path == "type"
    assert "must be a name or a callable, got 3" in problem.message


def test_a_refused_name_is_a_problem(models: Registry[Any]) -> None:
    cfg = {"type": "Detector", "backbone": {"type": "subprocess.getoutput", "cmd": "id"}}
    (problem,) = models.check(cfg)

    assert problem.path == "backbone.type"
    assert "is refused" in problem.message


def test_scopes_hold_as_in_build(models: Registry[Any]) -> None:
    child: Registry[Any] = Registry("model", parent=models, scope="mine")

    @child.register_module
    class Own: ...

    assert models.check({"type": "Own", "_scope_": "mine"}) == []
    with DefaultScope.overwrite_default_scope("mine"):
        assert models.check({"type": "Own"}) == []
    (unknown,) = models.check({"type": "Own"})
    assert "write 'mine.Own'" in unknown.message
    (scope,) = models.check({"type": "Own", "_scope_": "mien"})
    assert (scope.path, "did you mean 'mine'?" in scope.message) == ("_scope_", True)


def test_a_class_given_itself_is_checked_too(models: Registry[Any]) -> None:
    (problem,) = models.check({"type": models.get("Backbone"), "depth": None})

    assert problem.path == "depth"


def test_a_value_with_a_rule_of_its_own_is_not_taken_for_a_component() -> None:
    registry: Registry[Any] = Registry("thing")

    @registry.register_module()
    @value_rules(clip=Rule("a dict", lambda value: isinstance(value, dict)))
    class Thing:
        def __init__(self, clip: Any, other: Any = None) -> None: ...

    assert registry.check({"type": "Thing", "clip": {"type": "value"}}) == []
    assert registry.check({"type": "Thing", "clip": 3})[0].path == "clip"
    assert registry.check({"type": "Thing", "clip": {}, "other": {"type": "value"}}) != []
