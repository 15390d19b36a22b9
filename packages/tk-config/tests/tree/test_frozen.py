from __future__ import annotations

import copy
import pickle

import pytest

from tk_config import ConfigDict, FrozenConfigError


def test_lists_of_a_frozen_node_equal_others_and_refuse_changes() -> None:
    node = ConfigDict(a=[1, [2]], b=(3, [4])).freeze()

    assert node.a == [1, [2]]
    for change in (
        lambda: node.a.append(1),
        lambda: node.a[1].extend([1]),
        lambda: node.a.__setitem__(0, 5),
        lambda: node.b[1].sort(),
        lambda: node.unfreeze(),
    ):
        with pytest.raises(FrozenConfigError, match=r"frozen config|config is frozen"):
            change()


def test_copies_of_a_frozen_list_can_be_changed_and_a_pickle_stays_frozen() -> None:
    items = ConfigDict(a=[1, [2]]).freeze().a
    copy.copy(items).append(3)
    copy.deepcopy(items)[1].append(3)

    assert items == [1, [2]]
    with pytest.raises(FrozenConfigError, match="frozen"):
        pickle.loads(pickle.dumps(items)).append(3)
