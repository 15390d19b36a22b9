"""The test after training, or alone."""

from __future__ import annotations

from tk_registry import LOOPS

from .evaluation import EvaluationLoop


@LOOPS.register_module()
class TestLoop(EvaluationLoop):
    """Evaluates on the test data; calls the model's ``test_step``."""

    mode = "test"
    __test__ = False  # the name begins like a test case; test runners must not collect it
