from __future__ import annotations

import logging

from tk_logging import MMLogger


def test_settings_that_were_there_are_taken_over() -> None:
    handler = logging.NullHandler()
    former = logging.getLogger("tk.configured")
    former.addHandler(handler)
    former.propagate = False
    logger = MMLogger.get_instance("configured")

    assert logging.getLogger("tk.configured") is logger
    assert handler in logger.handlers
    assert not logger.propagate


def test_children_follow_the_logger_that_has_the_name() -> None:
    former = logging.getLogger("tk.family")
    child, grandchild = logging.getLogger("tk.family.a"), logging.getLogger("tk.family.a.b")
    assert child.parent is former

    for _ in range(2):
        logger = MMLogger.get_instance("family")
        assert (child.parent, grandchild.parent) == (logger, child)
        logger.close()
        assert child.parent is logging.getLogger("tk")


def test_a_name_that_ended_is_a_plain_logger_s_again() -> None:
    logger = MMLogger.get_instance("ended")
    logger.close()

    assert type(logging.getLogger("tk.ended")) is logging.Logger


def test_names_with_dots_find_their_parents() -> None:
    outer = MMLogger.get_instance("outer")
    inner = MMLogger.get_instance("outer.inner")

    assert inner.parent is outer
    assert logging.getLogger("tk.outer.inner") is inner
