"""Live objects by name, and which of them is current where."""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import Any

import pytest

from tk_registry import InstanceError, ManagerMeta, ManagerMixin


@pytest.fixture
def board() -> Any:
    class Board(ManagerMixin):
        def __init__(self, name: str = "", size: int = 1) -> None:
            super().__init__(name)
            self.size = size

    return Board


def in_thread(work: Any) -> Any:
    """What ``work`` returns or raises in a thread of its own."""
    result: list[Any] = []

    def run() -> None:
        try:
            result.append(work())
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(timeout=10)
    assert result, "the thread is stuck"
    return result[0]


class TestByName:
    def test_one_name_is_one_object(self, board: Any) -> None:
        first = board.get_instance("a", size=3)

        assert board.get_instance("a") is first
        assert board.get_instance("b") is not first
        assert (first.instance_name, first.size) == ("a", 3)
        assert board.check_instance_created("a")
        assert not board.check_instance_created("c")

    def test_arguments_for_an_existing_object_are_ignored_with_a_warning(self, board: Any) -> None:
        first = board.get_instance("a", size=3)
        with pytest.warns(UserWarning, match=r"Board 'a' exists already; .*\['size'\] are ignored"):
            again = board.get_instance("a", size=4)

        assert again is first
        assert first.size == 3

    def test_a_subclass_has_a_table_of_its_own(self, board: Any) -> None:
        class Wide(board):  # type: ignore[misc]
            pass

        assert Wide.get_instance("a") is not board.get_instance("a")

    def test_a_subclass_may_count_as_its_base(self, board: Any) -> None:
        class Wide(board):  # type: ignore[misc]
            pass

        wide = Wide.get_instance("a")
        board._publish(wide)

        assert board.get_instance("a") is board.get_current_instance() is wide

    @pytest.mark.parametrize("name", ["", 3, None])
    def test_a_name_is_a_text_that_is_not_empty(self, board: Any, name: Any) -> None:
        with pytest.raises(TypeError, match="the name of a Board must be a"):
            board.get_instance(name)

    def test_a_class_whose_constructor_takes_no_name_is_refused(self) -> None:
        with pytest.raises(TypeError, match="must take an argument 'name'"):

            class Nameless(metaclass=ManagerMeta):
                def __init__(self, size: int) -> None: ...

    def test_class_arguments_reach_the_class(self) -> None:
        class Base(ManagerMixin):
            def __init_subclass__(cls, colour: str = "none") -> None:
                cls.colour = colour  # type: ignore[attr-defined]

        class Red(Base, colour="red"):
            pass

        assert Red.colour == "red"  # type: ignore[attr-defined]

    def test_a_keyword_only_or_decorated_constructor_will_do(self) -> None:
        def plain(function: Any) -> Any:
            @functools.wraps(function)
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                return function(*args, **kwargs)

            return wrapper

        class Late(ManagerMixin):
            @plain
            def __init__(self, *, name: str) -> None:
                super().__init__(name)

        assert Late.get_instance("a").instance_name == "a"

    def test_a_forgotten_object_is_made_anew(self, board: Any) -> None:
        first = board.get_instance("a")
        board.forget_instance("a")
        board.forget_instance("never made")

        assert board.get_instance("a") is not first

    def test_threads_that_ask_at_once_get_one_object(self, board: Any) -> None:
        start = threading.Barrier(8)
        made: list[Any] = []

        def ask() -> None:
            start.wait()
            made.append(board.get_instance("a"))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(set(map(id, made))) == 1

    def test_a_constructor_that_raises_leaves_no_lock_and_no_object(self) -> None:
        class Fragile(ManagerMixin):
            def __init__(self, name: str, broken: bool = False) -> None:
                super().__init__(name)
                if broken:
                    raise RuntimeError("broken")

        with pytest.raises(RuntimeError, match="broken"):
            Fragile.get_instance("a", broken=True)

        assert not Fragile.check_instance_created("a")
        assert in_thread(lambda: Fragile.get_instance("a")).instance_name == "a"

    def test_asking_for_a_current_one_that_is_missing_leaves_no_lock(self, board: Any) -> None:
        with pytest.raises(RuntimeError, match="there is no Board yet"):
            board.get_current_instance()

        assert in_thread(lambda: board.get_instance("a")).instance_name == "a"


class TestCurrent:
    def test_the_newest_is_current(self, board: Any) -> None:
        board.get_instance("a")
        newest = board.get_instance("b")
        board.get_instance("a")

        assert board.get_current_instance() is newest

    def test_another_one_for_a_block_also_after_an_error(self, board: Any) -> None:
        first, second = board.get_instance("a"), board.get_instance("b")
        with first.as_current():
            with second.as_current():
                assert board.get_current_instance() is second
            assert board.get_current_instance() is first
        with pytest.raises(ZeroDivisionError), first.as_current():
            1 / 0

        assert board.get_current_instance() is second

    def test_a_new_thread_sees_the_only_instance(self, board: Any) -> None:
        only = board.get_instance("a")

        assert in_thread(board.get_current_instance) is only

    def test_a_new_thread_with_several_is_told_their_names(self, board: Any) -> None:
        board.get_instance("a")
        board.get_instance("b")
        error = in_thread(board.get_current_instance)

        assert isinstance(error, InstanceError)
        assert "there are several: 'a', 'b'" in str(error)

    def test_a_thread_does_not_change_what_is_current_elsewhere(self, board: Any) -> None:
        mine = board.get_instance("a")
        theirs = in_thread(lambda: board.get_instance("b") and board.get_current_instance())

        assert theirs.instance_name == "b"
        assert board.get_current_instance() is mine

    def test_tasks_keep_theirs_apart_and_start_with_that_of_their_maker(self, board: Any) -> None:
        async def work(name: str) -> tuple[str, str]:
            inherited = board.get_current_instance().instance_name
            board.get_instance(name)
            await asyncio.sleep(0)
            return inherited, board.get_current_instance().instance_name

        async def both() -> list[tuple[str, str]]:
            return await asyncio.gather(work("b"), work("c"))

        board.get_instance("a")

        assert asyncio.run(both()) == [("a", "b"), ("a", "c")]

    def test_a_forgotten_one_is_no_longer_current(self, board: Any) -> None:
        board.get_instance("a")
        board.forget_instance("a")
        with pytest.raises(InstanceError, match="there is no Board yet"):
            board.get_current_instance()
