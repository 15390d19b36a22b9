"""Being asked to stop."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from doubling import Doubler, Numbers, loader, scripted, weight
from torch.utils.data import get_worker_info

from tk_dist import get_rank, launch
from tk_runner import Hook, Stopped
from tk_runner.process.stop_requests import SIGNALS, STOPPED_BY_PLAN, StopRequests, describe

Make = Callable[..., Any]


def send(number: int) -> None:
    os.kill(os.getpid(), number)


class At(Hook):
    """Does something in one train iteration, counted from 1."""

    def __init__(self, iteration: int, action: Callable[[Any], None]) -> None:
        self.iteration = iteration
        self.action = action

    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        if runner.iter + 1 == self.iteration:
            self.action(runner)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_only_sets_a_flag(number: signal.Signals) -> None:
    with StopRequests() as requests:
        assert requests.agreed_code() == 0
        send(number)

        assert requests.agreed_code() == 128 + number
        assert describe(128 + number) == number.name


@pytest.mark.parametrize(
    ("before", "code"), [(signal.SIG_DFL, 128 + signal.SIGHUP), (signal.SIG_IGN, 0)]
)
def test_a_closed_terminal_asks_for_a_stop_unless_it_is_ignored(before: Any, code: int) -> None:
    mine = signal.signal(signal.SIGHUP, before)
    try:
        with StopRequests() as requests:
            send(signal.SIGHUP)

            assert requests.agreed_code() == code
    finally:
        signal.signal(signal.SIGHUP, mine)


def test_handlers_are_put_back() -> None:
    before = [signal.getsignal(number) for number in (*SIGNALS, signal.SIGCHLD)]
    with StopRequests():
        send(signal.SIGTERM)
        assert [signal.getsignal(number) for number in (*SIGNALS, signal.SIGCHLD)] != before

    assert [signal.getsignal(number) for number in (*SIGNALS, signal.SIGCHLD)] == before


def test_a_second_signal_ends_at_once() -> None:
    code = (
        "import os, signal, time\n"
        "from tk_runner.process.stop_requests import StopRequests\n"
        "with StopRequests():\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    time.sleep(60)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], timeout=60)

    assert ended.returncode == -signal.SIGTERM


def test_other_threads_set_no_handlers() -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen: list[Any] = []

    def on_a_thread() -> None:
        with StopRequests():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=on_a_thread)
    thread.start()
    thread.join()

    assert seen == [before]


@pytest.mark.parametrize(
    ("number", "exit_code"), [(signal.SIGINT, 7), (signal.SIGUSR1, 7), (signal.SIGTERM, -15)]
)
def test_a_forked_child_leaves_the_decision_to_its_parent(number: int, exit_code: int) -> None:
    def child() -> None:
        send(number)
        time.sleep(0.01)  # the handler runs before the next line
        os._exit(7)

    with StopRequests() as requests:
        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        process.join(30)

        assert process.exitcode == exit_code
        assert requests.agreed_code() == 0


def test_a_stop_file_asks_and_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_runner.process.stop_requests.FILE_CHECK_S", -1.0)
    (tmp_path / "STOP").touch()
    with StopRequests(tmp_path / "STOP") as requests:
        assert requests.agreed_code() == STOPPED_BY_PLAN

    assert not (tmp_path / "STOP").exists()
    with StopRequests(tmp_path / "STOP") as again:
        assert again.agreed_code() == 0


def test_one_rank_looks_for_the_stop_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tk_runner.process.stop_requests.FILE_CHECK_S", -1.0)
    looked: list[Path] = []
    monkeypatch.setattr(StopRequests, "_take_stop_file", staticmethod(looked.append))

    def on_a_rank() -> int:
        with StopRequests(tmp_path / "STOP") as requests:
            for _ in range(5):
                requests.agreed_code()
        return len(looked)

    assert launch(on_a_rank, 3, start_method="fork") == [5, 0, 0]


def test_a_time_budget_asks_when_it_is_used_up() -> None:
    with StopRequests(time_budget_s=0.0) as requests:
        assert requests.agreed_code() == STOPPED_BY_PLAN
    with StopRequests(time_budget_s=3600.0) as requests:
        assert requests.agreed_code() == 0
    assert describe(STOPPED_BY_PLAN) == "a time budget or a STOP file"


def test_the_clock_begins_anew_with_each_use() -> None:
    requests = StopRequests(time_budget_s=0.0)
    with requests:
        requests.agreed_code()
    with requests:
        assert requests.code == 0


def test_ranks_agree_on_the_look_at_which_they_stop() -> None:
    def on_a_rank() -> list[int]:
        found = []
        with StopRequests() as requests:
            for look in range(6):
                if look == 2 and get_rank() == 1:
                    requests.request(128 + signal.SIGTERM)
                found.append(requests.agreed_code())
                if found[-1]:
                    break
        return found

    first, second = launch(on_a_rank, 2, start_method="fork", timeout_s=60)

    assert first == second == [0, 0, 0, 143]


def test_a_stopped_training_saves_and_goes_on_exactly(make_run: Make) -> None:
    straight = make_run(epochs=2)
    straight.train()
    stopped = make_run(
        work_dir=f"{straight.work_dir}_2",
        epochs=2,
        hooks=[At(3, lambda run: send(signal.SIGTERM))],
    )
    with pytest.raises(Stopped) as caught:
        stopped.train()
    resumed = make_run(work_dir=f"{straight.work_dir}_2", epochs=2, resume=True)
    resumed.train()

    assert (caught.value.code, Path(caught.value.checkpoint or "").name) == (143, "iter_3.pth")
    assert resumed.model.num_steps == 5
    assert weight(resumed) == weight(straight)


class Stuck(Numbers):
    """Asks the run to stop, and hangs, when sample 4 is read for the first time."""

    def __init__(self, is_stuck: bool = True) -> None:
        super().__init__()
        self.asked = torch.tensor([not is_stuck]).share_memory_()

    def __getitem__(self, index: int) -> Any:
        if index == 4 and not self.asked:
            self.asked.fill_(True)
            is_worker = get_worker_info() is not None
            os.kill(os.getppid() if is_worker else os.getpid(), signal.SIGTERM)
            time.sleep(60)
        return super().__getitem__(index)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_stop_breaks_off_waiting_for_data_and_nothing_is_lost(
    make_run: Make, workers: int
) -> None:
    straight = make_run(epochs=2)
    straight.train()
    folder = f"{straight.work_dir}_2"
    stopped = make_run(
        work_dir=folder, epochs=2, train=loader(dataset=Stuck(), num_workers=workers)
    )
    with pytest.raises(Stopped) as caught:
        stopped.train()
    resumed = make_run(work_dir=folder, epochs=2, resume=True)
    resumed.train()

    assert Path(caught.value.checkpoint or "").name == f"iter_{stopped.iter}.pth"
    assert stopped.iter < 3
    assert resumed.model.num_steps == 8 - stopped.iter
    assert weight(resumed) == weight(straight)


def test_ctrl_c_is_a_keyboard_interrupt_and_the_runner_goes_on(make_run: Make) -> None:
    straight = make_run(epochs=2)
    straight.train()
    runner = make_run(epochs=2, hooks=[At(6, lambda run: send(signal.SIGINT))])
    with pytest.raises(KeyboardInterrupt):
        runner.train()
    assert runner.iter == 6
    runner.train()

    assert (runner.iter, weight(runner)) == (8, weight(straight))


def test_a_stop_within_a_validation_begins_it_again_when_resumed(make_run: Make) -> None:
    class InValidation(Hook):
        def after_val_iter(
            self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
        ) -> None:
            if batch_idx == 1:
                send(signal.SIGTERM)

    validations: list[int] = []

    class Count(Hook):
        def after_val_epoch(self, runner: Any, metrics: Any = None) -> None:
            validations.append(runner.epoch)

    runner = make_run(epochs=2, val=scripted("acc", 0.5), hooks=[InValidation()])
    with pytest.raises(Stopped):
        runner.train()
    resumed = make_run(epochs=2, val=scripted("acc", 0.5), hooks=[Count()], resume=True)
    resumed.train()

    assert runner.iter == 4
    assert resumed.model.num_steps == 4
    assert validations == [1, 2]


def test_two_ranks_stop_at_one_iteration_and_resume(make_run: Make, tmp_path: Path) -> None:
    from doubling import toy_runner

    def on_a_rank() -> tuple[int, int, float]:
        def ask(runner: Any) -> None:
            if get_rank() == 1:
                runner.stop_requests.request(128 + signal.SIGTERM)

        first = toy_runner(str(tmp_path / "two"), epochs=4, hooks=[At(3, ask)])
        with pytest.raises(Stopped) as caught, first:
            first.train()
        with toy_runner(str(tmp_path / "two"), epochs=4, resume=True) as second:
            second.train()
            return (
                int(first.iter),
                caught.value.code,
                float(second.strategy.unwrap(second.model).weight.detach()),
            )

    (iters, codes, weights) = zip(
        *launch(on_a_rank, 2, start_method="fork", timeout_s=120), strict=True
    )

    assert iters == (4, 4)  # the look after the request
    assert codes == (143, 143)
    assert weights[0] == weights[1]


def test_workers_that_get_the_signal_too_cost_no_more_than_a_step(make_run: Make) -> None:
    def to_the_whole_group(runner: Any) -> None:
        send(signal.SIGTERM)
        for worker in multiprocessing.active_children():
            os.kill(worker.pid or 0, signal.SIGTERM)
        for worker in multiprocessing.active_children():
            worker.join(10)

    runner = make_run(
        epochs=2,
        train=loader(num_workers=1, multiprocessing_context="fork"),
        model=Doubler(),
        hooks=[At(2, to_the_whole_group)],
    )
    with pytest.raises(Stopped) as caught:
        runner.train()

    assert (runner.iter, caught.value.code) == (2, 143)
    assert Path(caught.value.checkpoint or "").exists()
