from __future__ import annotations

from torch import nn

from tk_runner.model.replace import replace_layers


def relu_for_tanh(layer: nn.Module) -> nn.Module | None:
    return nn.ReLU() if isinstance(layer, nn.Tanh) else None


def test_a_layer_is_exchanged_wherever_it_stands_and_all_else_is_kept() -> None:
    shared = nn.Tanh()
    model = nn.Sequential(shared, nn.Linear(1, 1), nn.Sequential(shared))
    model.beside = {"act": [shared], "pair": (shared, 1)}
    linear = model[1]

    changed = replace_layers(model, relu_for_tanh)

    assert changed is model
    assert type(model[0]) is nn.ReLU
    assert model[2][0] is model[0]
    assert model.beside == {"act": [model[0]], "pair": (model[0], 1)}
    assert model[1] is linear


def test_the_module_itself_may_be_exchanged_and_keeps_its_mode() -> None:
    assert type(replace_layers(nn.Tanh().eval(), relu_for_tanh)) is nn.ReLU
    assert not replace_layers(nn.Tanh().eval(), relu_for_tanh).training


def test_containers_that_hold_themselves_are_no_problem() -> None:
    model = nn.Sequential(nn.Tanh())
    model.notes = [model[0]]
    model.notes.append(model.notes)

    replace_layers(model, relu_for_tanh)

    assert model.notes[0] is model[0]
