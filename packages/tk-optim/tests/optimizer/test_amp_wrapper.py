"""Mixed precision on the CPU, float16 with its scaler and bfloat16 without."""

from __future__ import annotations

import io

import pytest
import torch
from optim_cases import ReadCounter, make_optimizer
from torch import nn
from torch.optim import SGD

from tk_dist import launch
from tk_logging import MessageHub
from tk_optim import AmpOptimWrapper, InvalidSettingError, InvalidTypeError, OptimWrapper


def model_and_data(seed: int = 0) -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    inputs = torch.randn(64, 8)
    return model, inputs, inputs.sum(1, keepdim=True)


def train(wrapper: OptimWrapper, model: nn.Module, inputs: torch.Tensor, wanted: torch.Tensor,
          steps: int = 60) -> float:  # fmt: skip
    for _ in range(steps):
        with wrapper.optim_context(model):
            loss = nn.functional.mse_loss(model(inputs).float(), wanted)
        wrapper.update_params(loss)
    return loss.item()


def test_bfloat16_trains_to_the_loss_of_float32() -> None:
    model, inputs, wanted = model_and_data()
    full = train(OptimWrapper(SGD(model.parameters(), lr=0.05)), model, inputs, wanted)
    model, inputs, wanted = model_and_data()
    wrapper = AmpOptimWrapper(optimizer=SGD(model.parameters(), lr=0.05), dtype="bfloat16")
    mixed = train(wrapper, model, inputs, wanted)

    # bfloat16 keeps 8 bits of a number, so its loss has about 1 % of the first loss as noise
    assert full < 0.2
    assert mixed == pytest.approx(full, abs=0.05)


def test_float16_trains_with_its_scaler() -> None:
    model, inputs, wanted = model_and_data()
    full = train(OptimWrapper(SGD(model.parameters(), lr=0.05)), model, inputs, wanted)
    model, inputs, wanted = model_and_data()
    wrapper = AmpOptimWrapper(optimizer=SGD(model.parameters(), lr=0.05), dtype=torch.float16)

    assert train(wrapper, model, inputs, wanted) == pytest.approx(full, abs=0.05)
    assert wrapper.loss_scaler.is_enabled()


def test_the_forward_pass_runs_in_the_dtype() -> None:
    model, inputs, _ = model_and_data()
    wrapper = AmpOptimWrapper(optimizer=SGD(model.parameters(), lr=0.1), dtype="bfloat16")
    with wrapper.optim_context(model):
        assert model(inputs).dtype == torch.bfloat16


@pytest.mark.parametrize("dtype", ["float32", torch.float64])
def test_full_precision_switches_it_off(dtype: object) -> None:
    model, inputs, _ = model_and_data()
    wrapper = AmpOptimWrapper(optimizer=SGD(model.parameters(), lr=0.1), dtype=dtype)
    with wrapper.optim_context(model):
        assert model(inputs).dtype == torch.float32
    assert not wrapper.loss_scaler.is_enabled()


def test_without_a_dtype_torch_chooses() -> None:
    assert AmpOptimWrapper(optimizer=make_optimizer()).cast_dtype == torch.bfloat16


def test_bfloat16_reads_nothing_from_the_device(hub: MessageHub) -> None:
    model, inputs, wanted = model_and_data()
    wrapper = AmpOptimWrapper(
        optimizer=SGD(model.parameters(), lr=0.1), dtype="bfloat16", clip_grad={"max_norm": 1.0}
    )
    wrapper.message_hub = hub
    with ReadCounter() as counter, wrapper.optim_context(model):
        wrapper.update_params(nn.functional.mse_loss(model(inputs).float(), wanted))

    assert counter.reads == 0


def test_float16_reads_once_at_each_update(hub: MessageHub) -> None:
    model, inputs, wanted = model_and_data()
    wrapper = AmpOptimWrapper(
        optimizer=SGD(model.parameters(), lr=0.1), dtype="float16", clip_grad={"max_norm": 1.0}
    )
    wrapper.message_hub = hub
    train(wrapper, model, inputs, wanted, steps=1)
    with ReadCounter() as counter:
        for _ in range(3):
            with wrapper.optim_context(model):
                loss = nn.functional.mse_loss(model(inputs).float(), wanted)
            wrapper.update_params(loss)

    assert counter.reads == 3


def test_clipping_sees_the_unscaled_gradients(hub: MessageHub) -> None:
    model = nn.Linear(2, 1, bias=False)
    wrapper = AmpOptimWrapper(
        optimizer=SGD(model.parameters(), lr=0.1), dtype="float16", loss_scale=1024,
        clip_grad={"max_norm": 1.0},
    )  # fmt: skip
    wrapper.message_hub = hub
    with wrapper.optim_context(model):
        loss = model(torch.tensor([[3.0, 4.0]])).sum()
    wrapper.update_params(loss)

    assert hub.get_scalar("train/grad_norm").current() == pytest.approx(5.0)


def test_an_update_that_overflowed_is_skipped_and_not_counted() -> None:
    model = nn.Linear(1, 1)
    weight = model.weight.detach().clone()
    wrapper = AmpOptimWrapper(optimizer=SGD(model.parameters(), lr=0.1), dtype="float16")
    with wrapper.optim_context(model):
        loss = model(torch.ones(1, 1)).sum() * float("inf")
    wrapper.update_params(loss)

    assert torch.equal(model.weight, weight)
    assert (wrapper.inner_count, wrapper.update_count) == (1, 0)


def test_a_number_is_a_fixed_scale() -> None:
    model, inputs, wanted = model_and_data()
    wrapper = AmpOptimWrapper(
        optimizer=SGD(model.parameters(), lr=0.1), dtype="float16", loss_scale=8
    )
    train(wrapper, model, inputs, wanted, steps=3)

    assert wrapper.loss_scaler.get_scale() == 8.0


def test_a_dict_is_for_the_scaler() -> None:
    wrapper = AmpOptimWrapper(
        optimizer=make_optimizer(), dtype="float16", loss_scale={"init_scale": 2.0}
    )

    assert wrapper.loss_scaler.get_scale() == 2.0


def test_state_holds_the_scaler_and_loads_anywhere() -> None:
    model, inputs, wanted = model_and_data()
    wrapper = AmpOptimWrapper(
        optimizer=SGD(model.parameters(), lr=0.1), dtype="float16", loss_scale={"init_scale": 4.0}
    )
    train(wrapper, model, inputs, wanted, steps=1)
    file = io.BytesIO()
    torch.save(wrapper.state_dict(), file)
    file.seek(0)
    state = torch.load(file, weights_only=True)
    other = model_and_data()[0]
    again = AmpOptimWrapper(optimizer=SGD(other.parameters(), lr=0.3), dtype="float16")
    again.load_state_dict(state)
    OptimWrapper(SGD(other.parameters(), lr=0.3)).load_state_dict(state)

    assert again.loss_scaler.get_scale() == 4.0
    assert again.get_lr() == {"lr": [0.1]}
    assert "loss_scaler" in state


def test_the_state_of_a_plain_optimizer_loads() -> None:
    optimizer = make_optimizer(0.7)
    wrapper = AmpOptimWrapper(optimizer=make_optimizer(0.1), dtype="float16")
    wrapper.load_state_dict(optimizer.state_dict())

    assert wrapper.get_lr() == {"lr": [0.7]}


def test_the_scaler_of_sharded_models_averages_over_ranks() -> None:
    def steps() -> tuple[str, int]:
        param = nn.Parameter(torch.ones(1))
        wrapper = AmpOptimWrapper(
            optimizer=SGD([param], lr=0.1), dtype="float16", use_fsdp=True, loss_scale=8
        )
        with wrapper.optim_context(nn.Module()):
            # one rank overflows, so that both must skip
            loss = (param * (float("inf") if torch.distributed.get_rank() else 1.0)).sum()
        wrapper.update_params(loss)
        return type(wrapper.loss_scaler).__name__, wrapper.update_count

    assert launch(steps, 2, start_method="fork") == [("ShardedGradScaler", 0)] * 2


def test_a_model_that_is_still_to_be_placed_gets_the_device_of_the_process() -> None:
    param = nn.Parameter(torch.ones(1, device="meta"))

    assert AmpOptimWrapper(optimizer=SGD([param], lr=0.1)).device_type in ("cpu", "cuda", "mps")


def test_accumulation_and_clipping_work_with_it(hub: MessageHub) -> None:
    model, inputs, wanted = model_and_data()
    wrapper = AmpOptimWrapper(
        optimizer=SGD(model.parameters(), lr=0.1), dtype="float16", accumulative_counts=2,
            loss_scale={"init_scale": 8.0},
        clip_grad={"max_norm": 100.0},
    )  # fmt: skip
    wrapper.message_hub = hub
    train(wrapper, model, inputs, wanted, steps=5)
    assert wrapper.update_count == 2
    wrapper.finish_group()

    assert wrapper.update_count == 3


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"dtype": "float8"}, InvalidSettingError, "no dtype of autocast; did you mean"),
        ({"dtype": 16}, InvalidTypeError, "give a torch dtype or a name"),
        ({"loss_scale": "static"}, InvalidTypeError, "loss_scale='static'"),
        ({"loss_scale": {"scale": 1}}, InvalidSettingError, "does not suit torch's GradScaler"),
    ],
)
def test_settings_that_cannot_work_are_refused(
    settings: dict[str, object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        AmpOptimWrapper(optimizer=make_optimizer(), **settings)


@pytest.mark.cuda
def test_a_gpu_trains_in_float16_and_reads_once_a_step() -> None:
    model, inputs, wanted = (one.cuda() for one in model_and_data())
    wrapper = AmpOptimWrapper(optimizer=SGD(model.parameters(), lr=0.05))

    assert train(wrapper, model, inputs, wanted) < 0.3
    assert wrapper.cast_dtype == torch.float16
