"""Validation between epochs, or alone."""

from __future__ import annotations

from tk_registry import LOOPS

from .evaluation import EvaluationLoop


@LOOPS.register_module()
class ValLoop(EvaluationLoop):
    """Evaluates on the validation data; calls the model's ``val_step``."""

    mode = "val"
