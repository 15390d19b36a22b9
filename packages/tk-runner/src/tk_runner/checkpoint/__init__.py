"""Checkpoints: whole or absent, readable without running code, found again after a crash."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .archive import verify_checkpoint as verify_checkpoint
    from .averaging import average_weights as average_weights
    from .contents import FORMAT_VERSION as FORMAT_VERSION
    from .contents import KEYS as KEYS
    from .conversion import convert_checkpoint as convert_checkpoint
    from .errors import CheckpointError as CheckpointError
    from .errors import CorruptCheckpointError as CorruptCheckpointError
    from .errors import KeyMismatchError as KeyMismatchError
    from .errors import MalformedStateError as MalformedStateError
    from .errors import SchemeTakenError as SchemeTakenError
    from .errors import UnsafeCheckpointError as UnsafeCheckpointError
    from .latest import find_latest_checkpoint as find_latest_checkpoint
    from .latest import write_last_checkpoint as write_last_checkpoint
    from .plain import check_plain as check_plain
    from .plain import plain_values as plain_values
    from .publishing import publish as publish
    from .read import CheckpointLoader as CheckpointLoader
    from .read import read_checkpoint as read_checkpoint
    from .save import save_checkpoint as save_checkpoint
    from .weight_names import get_state_dict as get_state_dict
    from .weight_names import weights_to_cpu as weights_to_cpu
    from .weights import LoadReport as LoadReport
    from .weights import load_checkpoint as load_checkpoint
    from .weights import load_state_dict as load_state_dict
    from .weights import load_weights as load_weights
    from .weights import weights_of as weights_of

_MODULE_OF = {
    "CheckpointError": "errors",
    "CheckpointLoader": "read",
    "CorruptCheckpointError": "errors",
    "FORMAT_VERSION": "contents",
    "KEYS": "contents",
    "KeyMismatchError": "errors",
    "LoadReport": "weights",
    "MalformedStateError": "errors",
    "SchemeTakenError": "errors",
    "UnsafeCheckpointError": "errors",
    "average_weights": "averaging",
    "check_plain": "plain",
    "convert_checkpoint": "conversion",
    "find_latest_checkpoint": "latest",
    "get_state_dict": "weight_names",
    "load_checkpoint": "weights",
    "load_state_dict": "weights",
    "load_weights": "weights",
    "plain_values": "plain",
    "publish": "publishing",
    "read_checkpoint": "read",
    "save_checkpoint": "save",
    "verify_checkpoint": "archive",
    "weights_of": "weights",
    "weights_to_cpu": "weight_names",
    "write_last_checkpoint": "latest",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
