"""What commands print: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")


def is_talking() -> bool:
    """Whether this process is rank 0, or alone, by the word of the launcher."""
    return next((os.environ[name] for name in RANKS if os.environ.get(name)), "0") == "0"


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
