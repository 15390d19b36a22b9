"""One file with all that it inherited, and how several bases are put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from .config_dict import ConfigDict, DraftDict
from .data_only.budget import Budget
from .errors import DuplicateKeyError
from .node import origin_in, set_state


@dataclass(frozen=True)
class Rules:
    """What reading may do."""

    trusted: bool = True
    strict: bool = False
    lazy: bool | None = None
    predefined: bool = True
    environment: bool = True


@dataclass
class LoadedFile:
    """One file with all that it inherited."""

    path: str
    tree: ConfigDict
    is_lazy: bool = False
    texts: dict[str, str] = field(default_factory=dict)
    imported: dict[str, Any] = field(default_factory=dict)
    definers: dict[Any, frozenset[str]] = field(default_factory=dict)
    """Per top-level key: the files that set it."""
    uses: dict[str, list[str]] = field(default_factory=dict)
    """Per name: the top-level keys whose values were computed from it."""


class BaseReader(Protocol):
    """What one file needs from whoever reads the files that it inherits from."""

    rules: Rules

    @property
    def budget(self) -> Budget:
        """What reading the whole chain as data may cost."""

    @property
    def is_reading_a_base(self) -> bool:
        """Whether the file at hand was named by another one."""

    def load(self, path: str, asked_by: str | None = None) -> LoadedFile:
        """Read the file at an absolute path."""

    def bases(self, named: Any, path: str, place: str) -> LoadedFile:
        """Read the bases that a file names and put them together."""

    def over_bases(self, own: LoadedFile, base: LoadedFile | None) -> LoadedFile:
        """Give the keys of a file over those of its bases."""

    def note_overridden_variables(
        self, own: Any, base: ConfigDict, uses: dict[str, list[str]], path: str
    ) -> None:
        """Remark on variables that a file changes after its base has computed from them."""


def combined(loaded: list[LoadedFile], path: str, place: str) -> LoadedFile:
    """Put the bases of one file together.

    A key that two bases inherit from the same file is no conflict: the base that changed
    it wins.

    Raises:
        DuplicateKeyError: two bases set the same key; names both places.
    """
    if len(loaded) == 1:
        return loaded[0]
    tree = DraftDict.__new__(DraftDict)
    made = LoadedFile(path, tree)
    for base in loaded:
        for key, value in base.tree.raw_items():
            files = base.definers.get(key, frozenset((base.path,)))
            if key in tree:
                mine = made.definers[key]
                if not mine <= files:
                    shared = mine & files
                    if not files <= mine and not (
                        shared and is_same(value, dict.__getitem__(tree, key))
                    ):
                        raise DuplicateKeyError(
                            f"{place}: two bases set {key!r}: {origin_in(tree, key)} and "
                            f"{origin_in(base.tree, key)}; keep it in one of them"
                        )
                    made.definers[key] = mine | files
                    continue
            dict.__setitem__(tree, key, value)
            made.definers[key] = files
            origin = origin_in(base.tree, key)
            if origin is not None:
                own = tree._tk_own or {}
                own[key] = origin
                set_state(tree, "_tk_own", own)
        made.uses = joined_uses(made.uses, base.uses)
        made.texts.update(base.texts)
        made.imported.update(base.imported)
    return made


def joined_uses(first: dict[str, list[str]], second: dict[str, list[str]]) -> dict[str, list[str]]:
    """Join what two files say about which keys use which names."""
    if not first or not second:
        return first or second
    made = dict(first)
    for name, keys in second.items():
        made[name] = [*made.get(name, ()), *keys]
    return made


def is_same(first: Any, second: Any) -> bool:
    """Tell whether two values are equal; one that cannot be compared is not."""
    try:
        return bool(first == second)
    except Exception:  # a value whose comparison fails is not the same
        return False
