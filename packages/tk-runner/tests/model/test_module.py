from __future__ import annotations

import copy
import logging
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from device_reads import DeviceReads
from torch import nn

from tk_runner.model import BaseModule, InitializationError, update_init_info


class Layer(BaseModule):
    def __init__(self, init_cfg: Any = None) -> None:
        super().__init__(init_cfg)
        self.linear = nn.Linear(1, 1)

    @property
    def value(self) -> float:
        return float(self.linear.weight.detach())


class Net(BaseModule):
    def __init__(self, inner: Any, init_cfg: Any = None) -> None:
        super().__init__(init_cfg)
        self.linear = nn.Linear(1, 1)
        self.inner = inner


def constant(value: float, **more: Any) -> dict[str, Any]:
    return {"type": "Constant", "val": value, "layer": "Linear", **more}


def test_children_win_over_their_parent() -> None:
    net = Net(Layer(constant(2)), constant(1))

    net.init_weights()

    assert float(net.linear.weight.detach()) == 1
    assert net.inner.value == 2


def test_a_checkpoint_of_the_parent_wins_over_children(tmp_path: Path) -> None:
    path = tmp_path / "weights.pth"
    torch.save({"inner.linear.weight": torch.full((1, 1), 9.0)}, path)
    net = Net(Layer(constant(2)), [{"type": "Pretrained", "checkpoint": str(path)}, constant(1)])

    net.init_weights()

    assert net.inner.value == 9
    assert float(net.linear.weight.detach()) == 1


def test_children_inside_of_plain_containers_are_initialised() -> None:
    net = Net(nn.Sequential(nn.ModuleList([Layer(constant(3))])))

    net.init_weights()

    assert net.inner[0][0].value == 3


def test_weights_are_initialised_once(caplog: pytest.LogCaptureFixture) -> None:
    net = Layer(constant(1))
    net.init_weights()
    nn.init.constant_(net.linear.weight, 5)

    with caplog.at_level(logging.WARNING, "tk"):
        net.init_weights()

    assert net.value == 5
    assert net.is_init
    assert "was called before" in caplog.text


def test_a_child_that_is_initialised_already_is_left_alone() -> None:
    child = Layer(constant(1))
    child.is_init = True
    nn.init.constant_(child.linear.weight, 5)

    Net(child).init_weights()

    assert child.value == 5


def test_a_shared_child_is_initialised_once() -> None:
    calls = []

    class Counted(Layer):
        def init_weights(self) -> None:
            calls.append(self)
            super().init_weights()

    child = Counted(constant(1))
    Net(nn.ModuleList([child, Net(child)])).init_weights()

    assert len(calls) == 1


def test_a_wrapped_child_is_initialised() -> None:
    child = Layer(constant(4))

    Net(nn.DataParallel(child)).init_weights()

    assert child.value == 4


def test_a_plain_module_with_init_weights_is_asked() -> None:
    class Plain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(1, 1)

        def init_weights(self) -> None:
            nn.init.constant_(self.linear.weight, 6)

    net = Net(Plain())
    net.init_weights()

    assert float(net.inner.linear.weight.detach()) == 6


def lines_of(net: BaseModule, caplog: pytest.LogCaptureFixture) -> dict[str, str]:
    with caplog.at_level(logging.INFO, "tk"):
        net.init_weights()
    (text,) = [one.getMessage() for one in caplog.records if "what set" in one.getMessage()]
    return dict(line.strip().split(": ", 1) for line in text.splitlines()[1:])


def test_the_log_says_what_set_each_parameter(caplog: pytest.LogCaptureFixture) -> None:
    class Own(Layer):
        def init_weights(self) -> None:
            self.linear.weight.data.fill_(8)

    net = Net(nn.ModuleList([Own(), Layer()]), None)
    net.init_cfg = constant(1, override={"name": "linear", "type": "Constant", "val": 2})

    found = lines_of(net, caplog)

    assert found["linear.weight (1, 1)"] == "ConstantInit(bias=0.0, val=2)"
    assert found["inner.0.linear.weight (1, 1)"] == "init_weights() of Own"
    assert found["inner.1.linear.weight (1, 1)"] == "ConstantInit(bias=0.0, val=1)"


def test_the_same_value_written_again_counts_as_set(caplog: pytest.LogCaptureFixture) -> None:
    net = Layer(constant(1, bias=1))
    nn.init.constant_(net.linear.weight, 1)
    nn.init.constant_(net.linear.bias, 1)

    assert lines_of(net, caplog)["linear.bias (1,)"] == "ConstantInit(bias=1.0, val=1)"


def test_what_nobody_set_is_said(caplog: pytest.LogCaptureFixture) -> None:
    found = lines_of(Net(nn.Linear(1, 1), {**constant(1), "layer": "Net"}), caplog)

    assert found["inner.bias (1,)"] == "as its constructor left it"


def test_what_nothing_sets_is_not_looked_at(caplog: pytest.LogCaptureFixture) -> None:
    with DeviceReads() as reads, caplog.at_level(logging.INFO, "tk"):
        Net(Layer()).init_weights()

    assert reads.count == 0
    assert caplog.text == ""


def test_the_record_reads_the_device_once() -> None:
    with DeviceReads() as reads:
        Net(Layer(constant(1)), constant(2)).init_weights()

    assert reads.count <= 1


def test_a_user_may_say_what_was_set(caplog: pytest.LogCaptureFixture) -> None:
    class Own(Layer):
        def init_weights(self) -> None:
            nn.init.zeros_(self.linear.weight)
            update_init_info(self, "zeros, by hand")

    assert lines_of(Net(Own()), caplog)["inner.linear.weight (1, 1)"] == "zeros, by hand"
    update_init_info(Layer(), "outside nothing is recorded")


def test_a_log_file_gets_the_list_and_the_console_does_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    handler = logging.FileHandler(tmp_path / "run.log")
    logging.getLogger("tk").addHandler(handler)
    try:
        Layer(constant(1)).init_weights()
    finally:
        logging.getLogger("tk").removeHandler(handler)
        handler.close()

    assert "linear.weight (1, 1): ConstantInit" in (tmp_path / "run.log").read_text()
    assert "what set" not in caplog.text


def test_replacing_a_parameter_meanwhile_is_refused() -> None:
    class Wrong(Layer):
        def init_weights(self) -> None:
            self.linear.weight = nn.Parameter(torch.zeros(1, 1))

    with pytest.raises(AssertionError, match=r"new parameter 'linear\.weight'.*in place"):
        Net(Wrong()).init_weights()
    Layer().init_weights()  # nothing of it stays behind


def test_the_config_is_copied_shown_and_travels() -> None:
    cfg = constant(1)
    net = Layer(cfg)
    cfg["val"] = 2

    again = pickle.loads(pickle.dumps(copy.deepcopy(net)))

    assert again.init_cfg == constant(1)
    assert repr(net).endswith(f"init_cfg={constant(1)}")
    assert "init_cfg" not in repr(Layer())


def test_a_config_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="init_cfg is a dict or a list of dicts"):
        Layer("Constant").init_weights()


def test_weights_on_the_meta_device_can_be_initialised() -> None:
    with torch.device("meta"):
        net = Layer(constant(1))

    net.init_weights()

    assert net.linear.weight.is_meta


def test_lazy_layers_that_nobody_names_are_no_problem() -> None:
    net = Net(nn.LazyLinear(2), {"type": "Constant", "val": 1, "layer": "Conv2d"})

    net.init_weights()

    assert net.is_init


def test_an_initialization_error_is_what_the_reference_raises() -> None:
    assert issubclass(InitializationError, AssertionError)
