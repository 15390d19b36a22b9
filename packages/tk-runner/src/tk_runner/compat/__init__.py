"""Run code that was written for MMEngine, unchanged.

Nothing of this is loaded unless it is asked for, and nothing else of the
packages uses it: ``python -m tk_runner.compat script.py ...``, or
``import tk_runner.compat.mmengine`` as the first line of a program.
"""

from .hook import install

__all__ = ["install"]
