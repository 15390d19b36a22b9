"""What became of the weights of a file: which fitted, which did not, and what may mend it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tk_registry import did_you_mean

SHOWN = 8


@dataclass
class LoadReport:
    """What fitted and what did not.

    Attributes:
        loaded: how many entries of the model were taken from the file.
        expected: how many the model has.
        missing: those that the file does not have.
        unexpected: those of the file that the model does not have.
        mismatched: those of another shape, each with both shapes.
        failed: reasons of modules that refused what they were given.
    """

    loaded: int = 0
    expected: int = 0
    missing: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    mismatched: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether every weight of the model was in the file and nothing else."""
        return not (self.missing or self.unexpected or self.mismatched or self.failed)

    def __str__(self) -> str:
        lines = [f"{self.loaded} of {self.expected} weights loaded"]
        for title, names in (
            ("missing in the file", self.missing),
            ("not in the model", self.unexpected),
            ("of another shape", self.mismatched),
            ("refused", self.failed),
        ):
            if names:
                more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
                lines.append(f"{len(names)} {title}: {', '.join(names[:SHOWN])}{more}")
        return "\n  ".join([*lines, *self._hints()])

    def _hints(self) -> list[str]:
        """What the missing ones may be called in the file."""
        if not (self.missing and self.unexpected):
            return []
        if prefix := _common_prefix(self.missing, self.unexpected):
            pattern = prefix.replace(".", r"\.")
            rule = f"revise_keys=[(r'^{pattern}', '')]"
            return [f"the names of the file begin with {prefix!r}; pass {rule}"]
        hints = []
        for name in self.missing[:SHOWN]:
            hint = did_you_mean(name, self.unexpected, "", cutoff=0.75)
            if hint:
                hints.append(f"the file has no {name!r}; {hint} Rename it with revise_keys")
        return hints


def _common_prefix(missing: list[str], unexpected: list[str]) -> str:
    """What stands before most of the missing names in the file; empty where nothing does."""
    ends = [one for one in unexpected if one.endswith(f".{missing[0]}")]
    if not ends:
        return ""
    prefix = min(ends, key=len)[: -len(missing[0])]
    there = set(unexpected)
    found = sum(prefix + name in there for name in missing)
    return prefix if found * 2 > len(missing) else ""
