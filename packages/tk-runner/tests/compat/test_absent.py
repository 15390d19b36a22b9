"""Names without a counterpart: importing is harmless, using them says what to do instead."""

from __future__ import annotations

import pytest

from tk_runner.compat.errors import NotServedError

pytestmark = pytest.mark.usefixtures("hooked")


def test_it_can_be_imported_and_derived_from() -> None:
    from mmengine.fileio import FileClient

    class Mine(FileClient):
        pass

    with pytest.raises(NotServedError, match="use the functions of tk_fileio"):
        Mine("disk")


def test_using_it_names_it_and_says_what_to_do() -> None:
    from mmengine.optim import ApexOptimWrapper

    message = r"mmengine\.optim\.ApexOptimWrapper is not part of the tk packages; use AmpOptim"
    with pytest.raises(NotServedError, match=message):
        ApexOptimWrapper(optimizer=None)
    with pytest.raises(NotServedError, match=message):
        _ = ApexOptimWrapper.step


def test_asking_whether_it_has_something_is_no() -> None:
    from mmengine.optim import ApexOptimWrapper

    assert not hasattr(ApexOptimWrapper, "step")
