"""What one forward pass costs, by module and operator.

The pass runs once, with the operators that it really calls reported by torch's
dispatcher, so data-dependent branches and attention are seen. A model on the meta
device is counted without computing anything.
"""

from __future__ import annotations

import copy
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from .operators import ACTIVATIONS, FLOPS, FREE, Formula
from .parameters import prefixes

Inputs = Tensor | tuple[Any, ...]


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """Reports every operator with its arguments and its output."""

    def __init__(self, known: Iterable[str], report: Callable[[str, Any, Any, Any], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # likewise
        self._known = frozenset(known)
        self._report = report

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        name = str(func._overloadpacket)
        if name not in self._known:
            with self:
                result = func.decompose(*args, **(kwargs or {}))
            if result is not NotImplemented:
                return result
        output = func(*args, **(kwargs or {}))
        self._report(name, func, args, output)
        return output


class _Analyzer:
    """Counts while the model runs once; the work is done when a number is first asked for.

    Args:
        model: the model; it runs as it stands, in training or evaluation mode.
        inputs: what its ``forward`` is given: a tensor, or the tuple of arguments.
    """

    _formulas: Mapping[str, Formula] = {}

    def __init__(self, model: nn.Module, inputs: Inputs) -> None:
        self._model = model
        self._inputs = inputs
        self._handles: dict[str, Formula | None] = dict(self._formulas)
        self._counts: dict[str, Counter[str]] | None = None
        self._not_counted: dict[str, Counter[str]] = {}
        self._called: set[str] = set()

    def total(self, module_name: str = "") -> int:
        """The count of one module with all that is inside it; ``""`` is the model."""
        return self.by_operator(module_name).total()

    def by_operator(self, module_name: str = "") -> Counter[str]:
        """The count of one module, for each operator."""
        return Counter(self._counted()[self.canonical_module_name(module_name)])

    def by_module(self) -> Counter[str]:
        """The count of every module with all that is inside it."""
        return Counter({name: counts.total() for name, counts in self._counted().items()})

    def by_module_and_operator(self) -> dict[str, Counter[str]]:
        """The count of every module, for each operator."""
        return {name: Counter(counts) for name, counts in self._counted().items()}

    def unsupported_ops(self, module_name: str = "") -> Counter[str]:
        """How often an operator that computes something was called and not counted."""
        self._counted()
        return Counter(self._not_counted[self.canonical_module_name(module_name)])

    def uncalled_modules(self) -> set[str]:
        """The modules that the forward pass did not call."""
        self._counted()
        return {name for name, _ in self._model.named_modules()} - self._called

    def canonical_module_name(self, name: str) -> str:
        """The first name of a module that can be reached by several.

        Raises:
            KeyError: no module has that name.
        """
        names: dict[int, str] = {id(module): first for first, module in self._model.named_modules()}
        for known, module in self._model.named_modules(remove_duplicate=False):
            if known == name:
                return names[id(module)]
        raise KeyError(f"{type(self._model).__name__} has no module called {name!r}")

    def set_op_handle(self, *pairs: Any, **handles: Formula | None) -> Any:
        """Change how operators are counted: ``set_op_handle("aten.relu", formula)``.

        Args:
            *pairs: the name of an operator and its formula, in turn. A formula is given
                the arguments of the call and its output; None leaves the operator out.
            **handles: the same by name, with ``aten.`` left out.

        Raises:
            TypeError: a name without a formula.
        """
        if len(pairs) % 2:
            raise TypeError(
                "set_op_handle needs pairs of an operator's name and a formula, got "
                f"{len(pairs)} arguments; give None as the formula to leave an operator out"
            )
        given = {**dict(zip(pairs[::2], pairs[1::2], strict=True))}
        given.update({f"aten.{name}": formula for name, formula in handles.items()})
        self._handles.update({_as_packet(name): formula for name, formula in given.items()})
        self._counts = None
        return self

    def clear_op_handles(self) -> Any:
        """Count no operator any more, until `set_op_handle` says how."""
        self._handles.clear()
        self._counts = None
        return self

    def copy(self, new_model: nn.Module | None = None, new_inputs: Inputs | None = None) -> Any:
        """The same analysis for another model or other inputs."""
        other = copy.copy(self)
        other._model = self._model if new_model is None else new_model
        other._inputs = self._inputs if new_inputs is None else new_inputs
        other._handles = dict(self._handles)
        other._counts = None
        return other

    def _counted(self) -> dict[str, Counter[str]]:
        if self._counts is None:
            self._counts = self._count()
        return self._counts

    def _count(self) -> dict[str, Counter[str]]:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        not_counted: dict[str, Counter[str]] = defaultdict(Counter)
        running = [""]

        def report(name: str, func: Any, arguments: Any, output: Any) -> None:
            if name in self._handles:
                formula = self._handles[name]
                if formula is not None:
                    number = formula(arguments, output)
                    for place in prefixes(running[-1]):
                        counts[place][name] += number
            elif name not in FREE and not func.is_view:
                for place in prefixes(running[-1]):
                    not_counted[place][name] += 1

        inputs = self._inputs if isinstance(self._inputs, tuple) else (self._inputs,)
        watch = _Watch(self._handles, report)
        with torch.no_grad(), _without_fused_attention(), self._following_calls(running), watch:
            self._model(*inputs)
        names = [name for name, _ in self._model.named_modules()]
        self._not_counted = {name: not_counted[name] for name in names}
        return {name: counts[name] for name in names}

    @contextmanager
    def _following_calls(self, running: list[str]) -> Iterator[None]:
        """Keep the name of the module that runs at the end of ``running``."""
        self._called = set()
        hooks = []

        def entering(name: str) -> Callable[..., None]:
            def enter(*_: Any) -> None:
                running.append(name)
                self._called.add(name)

            return enter

        def leave(*_: Any) -> None:
            running.pop()

        for name, module in self._model.named_modules():
            hooks.append(module.register_forward_pre_hook(entering(name)))
            hooks.append(module.register_forward_hook(leave, always_call=True))
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()


@contextmanager
def _without_fused_attention() -> Iterator[None]:
    """Let `nn.MultiheadAttention` call the operators that it is made of, also in evaluation."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


class FlopAnalyzer(_Analyzer):
    """Operations of one forward pass; a multiplication with an addition counts as one.

    Args:
        model: the model.
        inputs: what its ``forward`` is given: a tensor, or the tuple of arguments.
    """

    _formulas = FLOPS


class ActivationAnalyzer(_Analyzer):
    """Elements that products, convolutions and attention of one forward pass put out.

    Args:
        model: the model.
        inputs: what its ``forward`` is given: a tensor, or the tuple of arguments.
    """

    _formulas = ACTIVATIONS


def flop_count(
    model: nn.Module, inputs: tuple[Any, ...], supported_ops: Mapping[str, Any] | None = None
) -> tuple[dict[str, float], Counter[str]]:
    """GFLOP by operator, and how often which operator was not counted."""
    return _in_units(FlopAnalyzer(model, inputs), supported_ops, 1e9)


def activation_count(
    model: nn.Module, inputs: tuple[Any, ...], supported_ops: Mapping[str, Any] | None = None
) -> tuple[dict[str, float], Counter[str]]:
    """Millions of activations by operator, and how often which operator was not counted."""
    return _in_units(ActivationAnalyzer(model, inputs), supported_ops, 1e6)


def _in_units(
    analyzer: _Analyzer, handles: Mapping[str, Any] | None, unit: float
) -> tuple[dict[str, float], Counter[str]]:
    for name, formula in (handles or {}).items():
        analyzer.set_op_handle(name, formula)
    counts = {name: number / unit for name, number in analyzer.by_operator().items()}
    return counts, analyzer.unsupported_ops()


def _as_packet(name: str) -> str:
    """The dispatcher's name of an operator; ``aten::relu`` is what the tracer called it."""
    if "::" in name:
        warnings.warn(
            f"operators are named as torch's dispatcher names them: {name.replace('::', '.')!r} "
            f"instead of {name!r}",
            DeprecationWarning,
            stacklevel=3,
        )
    return name.replace("::", ".")
