"""Which regular checkpoints survive: the newest, and those that a rule keeps for good.

Only names are kept here; whoever writes the files removes those that
`RegularFiles.add` gives back. Names that come out of a checkpoint are accepted
only as bare names of files: a checkpoint may come from a stranger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..checkpoint.file_names import bare_file_name


@dataclass(frozen=True, kw_only=True)
class Retention:
    """Rules for the regular checkpoints.

    Attributes:
        newest: how many of the newest are kept; -1 keeps all of them.
        every: those after a multiple of so many epochs or iterations are kept for good.
        every_hours: one in so many hours of training is kept for good.
    """

    newest: int = -1
    every: int | None = None
    every_hours: float | None = None

    def problems(self) -> list[str]:
        """What cannot work, one sentence each."""
        problems = []
        if self.newest == 0:
            problems.append("max_keep_ckpts=0 keeps nothing; use 1 or more, or -1 for all")
        if self.every is not None and self.every < 1:
            problems.append(f"keep_every={self.every} must be 1 or more, or None")
        if self.every_hours is not None and not self.every_hours > 0:
            problems.append(f"keep_every_hours={self.every_hours} must be more than 0, or None")
        if self.newest < 0 and (self.every or self.every_hours):
            problems.append(
                "keep_every and keep_every_hours have no effect while all checkpoints are kept; "
                "set max_keep_ckpts"
            )
        return problems


class RegularFiles:
    """Names of the regular checkpoints that exist, the oldest first.

    Args:
        rules: which of them survive.
    """

    def __init__(self, rules: Retention) -> None:
        self._rules = rules
        self._names: list[str] = []
        self._kept_for_good: list[str] = []
        self._seconds_since_kept = 0.0
        self._obsolete: list[str] = []

    @property
    def newest(self) -> str | None:
        """The name that was added last."""
        return self._names[-1] if self._names else None

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def add(self, name: str, count: int, seconds: float) -> None:
        """Add the file that is written next.

        Args:
            name: its name.
            count: the epochs or iterations that it comes after.
            seconds: time of training since the last call.
        """
        self._seconds_since_kept += seconds
        rules = self._rules
        if rules.every_hours is not None and self._seconds_since_kept >= 3600 * rules.every_hours:
            self._seconds_since_kept = 0.0
            self._kept_for_good.append(name)
        elif rules.every is not None and count % rules.every == 0:
            self._kept_for_good.append(name)
        self._names = [*(other for other in self._names if other != name), name]
        surplus = self._names[: -rules.newest] if rules.newest > 0 else []
        self._names = self._names[len(surplus) :]
        self._obsolete += [old for old in surplus if old not in self._kept_for_good]
        self._kept_for_good = [kept for kept in self._kept_for_good if kept in self._names]

    def discard(self, name: str) -> None:
        """Note another file that goes once the next one is written."""
        self._obsolete.append(name)

    def obsolete(self) -> list[str]:
        """Names of the files to remove once a newer one stands."""
        return [name for name in dict.fromkeys(self._obsolete) if name not in self._names]

    def take_obsolete(self) -> list[str]:
        """The same, each given once."""
        names = self.obsolete()
        self._obsolete = []
        return names

    def state_dict(self) -> dict[str, Any]:
        """The names, also of files that go right after this state is written.

        A run that is killed between writing and removing removes them when it is resumed.
        """
        state: dict[str, Any] = {
            "kept": list(self._names),
            "kept_for_good": list(self._kept_for_good),
            "obsolete": list(self._obsolete),
        }
        if self._rules.every_hours is not None:  # else two equal runs would differ by it
            state["seconds_since_kept"] = self._seconds_since_kept
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with these names.

        Raises:
            CheckpointError: one is not the bare name of a file.
        """
        self._names = [bare_file_name(name) for name in state["kept"]]
        self._kept_for_good = [bare_file_name(name) for name in state.get("kept_for_good", ())]
        self._obsolete = [bare_file_name(name) for name in state.get("obsolete", ())]
        self._seconds_since_kept = float(state.get("seconds_since_kept", 0.0))
