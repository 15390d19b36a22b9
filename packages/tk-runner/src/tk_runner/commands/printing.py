"""What commands print: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from typing import Any

from tk_dist import get_launched_rank


def is_talking() -> bool:
    """Whether this process is rank 0, or alone, by the word of the launcher."""
    return get_launched_rank() == 0


def say(text: str) -> None:
    """Print a result, on rank 0."""
    if is_talking():
        sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
        sys.stdout.flush()


def say_json(value: Any) -> None:
    """Print a result as JSON, on rank 0; what JSON cannot hold becomes text."""
    say(json.dumps(value, indent=2, default=str))


def tell(text: str) -> None:
    """Print a remark of the command to standard error, on rank 0."""
    if is_talking():
        sys.stderr.write(f"tk-runner: {text}\n")
        sys.stderr.flush()
