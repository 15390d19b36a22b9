"""How several schedules share one value of one optimizer.

The value is a function of how far each schedule has come: it starts at the
base value, the one the optimizer was built with, and each schedule whose
window has begun maps it on, in the order in which the windows begin (in the
order built, where some count epochs and others iterations). A schedule whose
window is over keeps acting with its last value. So a warm-up that ends at
factor 1 hands the base value to the cosine after it, and two overlapping
factors multiply.

The chains are kept beside the optimizers, which are not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from torch import Tensor
from torch.optim import Optimizer

from tk_registry import did_you_mean

from .errors import UnknownKeyError

Curve = Callable[[int, float, float, int], float]


@dataclass(frozen=True)
class Target:
    """Which number of a parameter group is written: an entry, or one place of a pair."""

    name: str
    key: str
    index: int | None = None

    def read(self, group: dict[str, Any]) -> float:
        """The number as a float; a learning rate that is a tensor is read once, here."""
        value = group[self.key] if self.index is None else group[self.key][self.index]
        return float(value)

    def write(self, group: dict[str, Any], value: float) -> None:
        """Set the number; a tensor is filled in place, since compiled steps hold on to it."""
        if self.index is not None:
            pair = list(group[self.key])
            pair[self.index] = value
            group[self.key] = tuple(pair)
        elif isinstance(group[self.key], Tensor):
            group[self.key].fill_(value)
        else:
            group[self.key] = value


@dataclass
class Link:
    """One schedule of a chain: its curve, its window and how far it has come."""

    curve: Curve
    begin: int
    end: int
    by_epoch: bool
    position: int = 0

    def inside(self, position: int) -> int | None:
        """Steps since the window began, held at its last step; None before it."""
        if position < self.begin:
            return None
        return min(position, self.end - 1) - self.begin


class Chain:
    """The schedules of one value, and the base values by group."""

    def __init__(self, target: Target, bases: Sequence[float] = ()) -> None:
        self.target = target
        self.bases = list(bases)
        self.links: list[Link] = []  # in the order built
        self._acting: list[Link] = []  # in the order in which they act

    def add(self, link: Link) -> None:
        """Let one more schedule act, at its place."""
        self.links.append(link)
        is_comparable = len({each.by_epoch for each in self.links}) == 1
        self._acting = sorted(self.links, key=lambda each: each.begin if is_comparable else 0)

    def value(self, base: float, group: int) -> float:
        """What ``base`` becomes where the schedules stand now."""
        value = base
        for link in self._acting:
            step = link.inside(link.position)
            if step is not None:
                value = link.curve(step, value, base, group)
        return value

    def only(self, links: Sequence[Link]) -> Chain:
        """A chain of copies of some of the links, which can be moved without effect."""
        chain = Chain(self.target, self.bases)
        for link in links:
            chain.add(replace(link))
        return chain

    def write(self, groups: list[dict[str, Any]]) -> list[float]:
        """Put the values of now into the groups and return them."""
        if len(groups) > len(self.bases):
            self.take_bases(groups)
        values = []
        for index, (group, base) in enumerate(zip(groups, self.bases, strict=True)):
            value = self.value(base, index)
            self.target.write(group, value)
            values.append(value)
        return values

    def take_bases(self, groups: list[dict[str, Any]]) -> None:
        """Note the base value of groups that were not there before."""
        for group in groups[len(self.bases) :]:
            # torch's own convention: its schedulers read and write this entry too,
            # and it tells a loaded optimizer's base value from its current one.
            base = group.setdefault(f"initial_{self.target.name}", self.target.read(group))
            self.bases.append(float(base))


# A chain holds no reference to its optimizer, so that both can be freed.
_chains: WeakKeyDictionary[Optimizer, dict[str, Chain]] = WeakKeyDictionary()


def chain_of(optimizer: Optimizer, target: Target, *, resumed: bool = False) -> Chain:
    """The chain of one value of one optimizer, made on the first call.

    Args:
        optimizer: whose groups are driven.
        target: the number that is driven.
        resumed: the groups' values are not the base values; those must be
            there as ``initial_<name>``.
    """
    chains = _chains.setdefault(optimizer, {})
    if target.name not in chains:
        _require_entries(optimizer, target, resumed=resumed)
        chain = Chain(target)
        chain.take_bases(optimizer.param_groups)
        chains[target.name] = chain
    return chains[target.name]


def keep_bases(optimizer: Optimizer) -> set[str]:
    """After a state was loaded: the base values stay those of the chains; which entries these are.

    The saved base values would be those of the run that saved them, and the
    schedules write from their own.
    """
    chains = _chains.get(optimizer, {})
    for chain in chains.values():
        for group, base in zip(optimizer.param_groups, chain.bases, strict=False):
            group[f"initial_{chain.target.name}"] = base
    return {chain.target.key for chain in chains.values()}


def scheduled(optimizer: Optimizer, name: str, base: float) -> float:
    """What a group with this base value would have now, under the schedules of ``name``."""
    chain = _chains.get(optimizer, {}).get(name)
    return base if chain is None else chain.value(base, 0)


def _require_entries(optimizer: Optimizer, target: Target, *, resumed: bool) -> None:
    for index, group in enumerate(optimizer.param_groups):
        if target.key not in group:
            known = [key for key in group if key != "params"]
            raise UnknownKeyError(
                f"parameter group {index} of {type(optimizer).__name__} has no entry "
                f"{target.key!r} that a schedule could drive; {did_you_mean(target.key, known)}"
            )
        if resumed and f"initial_{target.name}" not in group:
            raise UnknownKeyError(
                f"parameter group {index} has no entry 'initial_{target.name}', which a schedule "
                "that starts at a given last_step needs as its base value; load the optimizer's "
                "state first, or build the schedule with last_step=-1 and use load_state_dict"
            )
