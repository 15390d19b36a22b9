"""Checkpoints: whole or absent, readable without running code, found again after a crash."""

from .contents import FORMAT_VERSION, KEYS
from .errors import CheckpointError, CorruptCheckpointError, NotPlainError, UnsafeCheckpointError
from .latest import find_latest_checkpoint, write_last_checkpoint
from .load import LoadReport, load_checkpoint, load_state_dict, load_weights
from .plain import plain_values
from .publish import publish
from .read import read_checkpoint
from .save import save_checkpoint
from .sources import CheckpointLoader
from .verify import verify_checkpoint

__all__ = [
    "FORMAT_VERSION",
    "KEYS",
    "CheckpointError",
    "CheckpointLoader",
    "CorruptCheckpointError",
    "LoadReport",
    "NotPlainError",
    "UnsafeCheckpointError",
    "find_latest_checkpoint",
    "load_checkpoint",
    "load_state_dict",
    "load_weights",
    "plain_values",
    "publish",
    "read_checkpoint",
    "save_checkpoint",
    "verify_checkpoint",
    "write_last_checkpoint",
]
