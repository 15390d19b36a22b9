"""Which line of a config an exception comes from."""

from __future__ import annotations

from ..tree.finish import CONFIG_MODULE
from ..tree.origin import short_path


def place_in_config(error: BaseException) -> str | None:
    """Give ``"file:line"`` of the innermost line of a config that raised an exception.

    Args:
        error: what was raised while a config was read.

    Returns:
        The place, or None for an exception that no code of a config has raised.
    """
    place = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_globals.get("__name__") == CONFIG_MODULE:
            place = f"{short_path(step.tb_frame.f_code.co_filename)}:{step.tb_lineno}"
        step = step.tb_next
    return place
