"""What the values of arguments must be, declared beside a class and asked without building it.

A rule judges one argument, a relation judges several together. A class's own
constructor and `Registry.check` ask the same ones, so that a mistake is found before
anything is built and is described in the same words. Rules may be declared for
classes of other packages too. A subclass inherits them; see ``_inherited``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from .errors import ArgumentError, InvalidUseError

_Target = TypeVar("_Target", bound=Callable[..., Any])

Relation = Callable[..., Iterable[tuple[str, str]]]
"""Takes the arguments that its parameters are named after, and gives for each problem
the path of the argument (``"clip_grad.max_norm"``) and the whole sentence."""


class ValueProblem(NamedTuple):
    """The path of an argument whose value cannot work, and the sentence that says why."""

    argument: str
    message: str


class Rule:
    """What one value must be; rules are joined by ``|``.

    Args:
        expected: continues "the argument must be ...".
        fits: whether a value, of any type, is so.
    """

    __slots__ = ("expected", "fits")

    def __init__(self, expected: str, fits: Callable[[Any], bool]) -> None:
        self.expected = expected
        self.fits = fits

    def __or__(self, other: Rule) -> Rule:
        fits, others = self.fits, other.fits
        return Rule(
            f"{self.expected} or {other.expected}", lambda value: fits(value) or others(value)
        )


def count(minimum: int) -> Rule:
    """A whole number of at least ``minimum``."""
    return Rule(
        f"a whole number of {minimum} or more", lambda value: _is_whole(value) and value >= minimum
    )


def at_least(minimum: float) -> Rule:
    """A number of at least ``minimum``; objects such as tensors are not judged."""
    return Rule(f"a number of {minimum} or more", _number(lambda value: value >= minimum))


def more_than(limit: float) -> Rule:
    """A number above ``limit``; objects such as tensors are not judged."""
    return Rule(f"a number above {limit}", _number(lambda value: value > limit))


def between(low: float, high: float) -> Rule:
    """A number from ``low`` to ``high``, both included; objects such as tensors are not judged."""
    return Rule(f"a number from {low} to {high}", _number(lambda value: low <= value <= high))


def one_of(*choices: Any) -> Rule:
    """One of these values, of the same type."""
    return Rule(
        " or ".join(map(repr, choices)),
        lambda value: any(type(value) is type(choice) and value == choice for choice in choices),
    )


def pair_of(rule: Rule) -> Rule:
    """Two values that each fit ``rule``."""
    return Rule(
        f"two values, each {rule.expected}",
        lambda value: (
            isinstance(value, (list, tuple)) and len(value) == 2 and all(map(rule.fits, value))
        ),
    )


def _is_whole(value: Any) -> bool:
    return hasattr(type(value), "__index__") and not isinstance(value, bool)  # NumPy's as well


def _number(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def judge(value: Any) -> bool:
        if isinstance(value, (bool, str, bytes, type(None), Sequence, Mapping)):
            return False
        return not isinstance(value, (int, float)) or fits(value)

    return judge


class _Declared(NamedTuple):
    rules: Mapping[str, Rule]
    relations: tuple[Relation, ...]


_declared: WeakKeyDictionary[Any, _Declared] = WeakKeyDictionary()


def value_rules(*relations: Relation, **rules: Rule) -> Callable[[_Target], _Target]:
    """Declare what arguments of a class or function must be; a decorator that changes nothing.

    For a class of another package call it: ``value_rules(lr=at_least(0))(SGD)``.

    Args:
        relations: judge several arguments together; a relation is asked when each of
            its arguments is known and fits its own rule. One with a parameter ``cls`` is
            given the class or function that would be called, which may be a subclass.
        rules: by the name of the argument.
    """
    for name, rule in rules.items():
        if not isinstance(rule, Rule):
            raise InvalidUseError(f"the rule for {name!r} must be a Rule, got {rule!r}")

    def declare(target: _Target) -> _Target:
        before = _declared.get(target, _Declared({}, ()))
        _declared[target] = _Declared({**before.rules, **rules}, (*before.relations, *relations))
        return target

    return declare


def value_problems(
    target: Callable[..., Any],
    arguments: Mapping[str, Any],
    *,
    unfit: Iterable[str] = (),
    supplied: Collection[str] = (),
) -> list[ValueProblem]:
    """Every value that cannot work, as far as rules are declared; nothing is built.

    Args:
        target: class or function.
        arguments: by name; those that are left out have their defaults, and one without
            a default is not judged. Other names than those of arguments are ignored.
        unfit: arguments that are known to be wrong already.
        supplied: arguments that somebody else adds before the call, so that their
            defaults do not count; ``"*"`` is any.
    """
    while hasattr(target, "func"):  # functools.partial
        target = target.func
    declared = list(_inherited(target))
    if not declared:
        return []
    rules: dict[str, Rule] = {}
    for entry in reversed(declared):
        rules |= entry.rules
    complete = {"cls": target, **_with_defaults(target, arguments, supplied)}
    problems = []
    wrong = set(unfit)
    for name, rule in rules.items():
        if name not in arguments or name in wrong or _is_default(target, name, arguments):
            continue
        value = arguments[name]
        if not rule.fits(value):
            wrong.add(name)
            sentence = f"{name} must be {rule.expected}, got {_shortened(value)}"
            problems.append(ValueProblem(name, sentence))
    for entry in declared:
        for relation in entry.relations:
            problems += _judged(relation, complete, wrong)
    return problems


def arguments_with_rules(target: Any) -> set[str]:
    """The arguments that have a rule of their own, which so hold plain values."""
    while hasattr(target, "func"):  # functools.partial
        target = target.func
    return {name for entry in _inherited(target) for name in entry.rules}


def check_values(
    target: Callable[..., Any],
    arguments: Mapping[str, Any],
    error: Callable[[str], Exception] = ArgumentError,
) -> None:
    """Raise ``error`` if values cannot work; for the first line of a constructor.

    Args:
        target: the class or function that declares the rules.
        arguments: the arguments by name, such as ``locals()``; the text begins with the
            class of ``self`` where that is among them.
        error: makes the exception from the text, which has all problems.
    """
    problems = value_problems(target, arguments)
    if problems:
        built = arguments.get("self")
        shown = type(built) if isinstance(target, type) and isinstance(built, target) else target
        name = getattr(shown, "__name__", repr(shown))
        raise error(f"{name}: " + "; ".join(problem.message for problem in problems))


def _inherited(target: Callable[..., Any]) -> Iterator[_Declared]:
    """The declarations for a class and its bases, nearest first.

    A subclass that declares nothing and gives its constructor a parameter of the same
    name may mean something else by it, so that parameter is not judged by the rules of
    its bases.
    """
    redefined: set[str] = set()
    for cls in target.__mro__ if isinstance(target, type) else (target,):
        declared = _declared.get(cls)
        if declared is None:
            if isinstance(cls, type) and "__init__" in vars(cls):
                redefined.update(_parameters(vars(cls)["__init__"]))
            continue
        yield _Declared(
            {name: rule for name, rule in declared.rules.items() if name not in redefined},
            tuple(
                relation
                for relation in declared.relations
                if redefined.isdisjoint(_parameters(relation))
            ),
        )


def _judged(
    relation: Relation, arguments: Mapping[str, Any], wrong: set[str]
) -> Iterator[ValueProblem]:
    names = _parameters(relation)
    if wrong.isdisjoint(names) and all(name in arguments for name in names):
        for path, message in relation(**{name: arguments[name] for name in names}):
            yield ValueProblem(path, message)


def _with_defaults(
    target: Callable[..., Any], arguments: Mapping[str, Any], supplied: Collection[str]
) -> dict[str, Any]:
    """The arguments with the defaults of those left out, and ``**kwargs`` under its own name."""
    complete = dict(arguments)
    parameters = _parameters(target)
    for name, parameter in parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            others = {key: value for key, value in arguments.items() if key not in parameters}
            complete.setdefault(name, others)
        elif parameter.default is not parameter.empty and not {name, "*"} & set(supplied):
            complete.setdefault(name, parameter.default)
    return complete


def _is_default(target: Callable[..., Any], name: str, arguments: Mapping[str, Any]) -> bool:
    parameter = _parameters(target).get(name)
    return parameter is not None and arguments[name] is parameter.default


def _parameters(target: Callable[..., Any]) -> Mapping[str, Any]:
    from .signatures import parameters_of  # loads inspect: 10 ms, and most processes need it not

    return parameters_of(target) or {}


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
