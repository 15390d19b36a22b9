"""A trained model for prediction in plain Python, without a run.

model = load_model("configs/digits.py", "work_dirs/digits/epoch_10.pth")
predictions = model.test_step(batch)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import nn

from tk_config import Config
from tk_dist import get_device
from tk_registry import DefaultScope

from .building.model import build_model
from .checkpoint import load_weights, read_checkpoint
from .errors import InvalidSettingsError, NotConfiguredError


def load_model(
    cfg: str | Path | Config | Mapping[str, Any] | None = None,
    checkpoint: str | Path | None = None,
    device: Any = None,
    *,
    strict: bool = True,
) -> nn.Module:
    """The model of a config with the weights of a checkpoint, in evaluation mode.

    ``model.test_step(batch)`` predicts; ``model.dataset_meta`` is what the
    checkpoint knows of the data it was trained on, such as the class names.

    Args:
        cfg: a config or its file, which is trusted as any file that is named here.
            ``None`` takes the text that the checkpoint keeps; it is read as data
            and runs no code, so what it names must be imported before.
        checkpoint: file or URI of the weights; ``None`` leaves the first ones.
        device: where the model goes; ``None`` is this machine's accelerator, else the CPU.
        strict: weights must fit the model exactly; otherwise what does not is warned of.

    Raises:
        NotConfiguredError: neither config nor checkpoint, or no model in them.
        KeyMismatchError: ``strict``, and weights and model do not fit.
    """
    content = read_checkpoint(checkpoint) if checkpoint is not None else {}
    config = _config(cfg, content, checkpoint)
    if "model" not in config:
        raise NotConfiguredError(
            "the config has no 'model' to build; give the config of the run that trained it"
        )
    with DefaultScope.overwrite_default_scope(config.get("default_scope")):
        model = build_model(config["model"], config.get("data_preprocessor"), config.get("loss"))
    if content:
        load_weights(model, content.get("state_dict", content), strict=strict)
    model.dataset_meta = content.get("meta", {}).get("dataset_meta")
    return model.to(device if device is not None else get_device()).eval()


def _config(cfg: Any, content: Mapping[str, Any], checkpoint: Any) -> Mapping[str, Any]:
    if isinstance(cfg, (str, Path)):
        return Config.fromfile(cfg)  # type: ignore[return-value]  # a virtual mapping
    if isinstance(cfg, Mapping):
        return cfg
    if cfg is not None:
        raise InvalidSettingsError(
            f"cfg is a config, its file, a dict or None, got {type(cfg).__name__}"
        )
    text = _kept_text(content)
    if not text:
        what = "no checkpoint is given" if checkpoint is None else f"{checkpoint} keeps no config"
        raise NotConfiguredError(f"there is no config and {what}; give cfg")
    return Config.fromstring(text, ".py")  # type: ignore[return-value]  # a virtual mapping


def _kept_text(content: Mapping[str, Any]) -> str:
    """The text of the config, where tk-runner keeps it or where MMEngine did."""
    kept = content.get("meta", {}).get("cfg")
    if kept:
        return str(kept)
    info = content.get("message_hub", {}).get("runtime_info", {})
    return str(info.get("cfg") or "")
