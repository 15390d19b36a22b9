from __future__ import annotations

import torch

from tk_runner.terminal.metric_board import MetricBoard


def test_the_best_value_stays_with_where_it_was() -> None:
    board = MetricBoard()
    for epoch, accuracy in enumerate((0.5, 0.75, 0.25), 1):
        board.add({"accuracy": accuracy}, at=f"epoch {epoch}")

    assert board.rows() == [("accuracy", "0.2500", "0.7500", "epoch 2")]


def test_an_error_is_better_when_less() -> None:
    board = MetricBoard()
    board.add({"top1_error": 2.0}, at="epoch 1")
    board.add({"top1_error": 1.0}, at="epoch 2")

    assert board.rows() == [("top1_error", "1.0000", "1.0000", "epoch 2")]


def test_a_name_that_says_nothing_has_no_best() -> None:
    board = MetricBoard()
    board.add({"quux": torch.tensor(3)}, at="epoch 1")

    assert board.rows() == [("quux", "3.0000", "-", "-")]


def test_what_is_no_number_is_left_out() -> None:
    board = MetricBoard()
    board.add({"report": "long", "by_class": [1, 2], "matrix": torch.zeros(2, 2)}, at="epoch 1")

    assert board.rows() == []


def test_a_resumed_board_goes_on_comparing() -> None:
    board, resumed = MetricBoard(), MetricBoard()
    board.add({"accuracy": 0.9}, at="epoch 1")
    resumed.load_state_dict(board.state_dict())
    resumed.add({"accuracy": 0.5}, at="epoch 2")

    assert resumed.rows() == [("accuracy", "0.5000", "0.9000", "epoch 1")]
