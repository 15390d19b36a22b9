"""A logger's place in the tree of ``logging``: taking it, and giving it back.

``logging`` makes its loggers itself; ours come from ``get_instance`` with arguments.
Only public attributes of ``logging`` are used.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator


def enter_tree(logger: logging.Logger) -> None:
    """Make ``logging.getLogger(logger.name)`` return ``logger``, its children below it.

    A logger that is there already, from configuration, hands over its settings.
    """
    tree = logging.Logger.manager
    former = tree.loggerDict.get(logger.name)
    if isinstance(former, logging.Logger):
        logger.propagate, logger.disabled = former.propagate, former.disabled
        logger.filters, logger.handlers = list(former.filters), list(former.handlers)
        del tree.loggerDict[logger.name]
    # A manager of our own on the same table enters it under the lock of ``logging``,
    # without a moment in which others would get their loggers from our class.
    manager = logging.Manager(tree.root)
    manager.loggerDict = tree.loggerDict
    manager.loggerClass = lambda name: logger  # type: ignore[assignment]  # called like the class
    manager.getLogger(logger.name)
    logger.manager = tree
    for child in _below(logger):
        if child.parent is None or not child.parent.name.startswith(f"{logger.name}."):
            child.parent = logger


def leave_tree(logger: logging.Logger) -> None:
    """Free the name; children hang where ``logger`` hung."""
    table = logging.Logger.manager.loggerDict
    if table.get(logger.name) is logger:
        del table[logger.name]
    for child in _below(logger):
        if child.parent is logger:
            child.parent = logger.parent


def _below(logger: logging.Logger) -> Iterator[logging.Logger]:
    for name, other in list(logging.Logger.manager.loggerDict.items()):
        if name.startswith(f"{logger.name}.") and isinstance(other, logging.Logger):
            yield other
