"""What is saved, what survives, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from doubling import Doubler, Scripted, files, loader, scripted, weight

from tk_runner import Hook, InvalidSettingsError, NonFiniteLossError, read_checkpoint
from tk_runner.checkpoint import UnsafeCheckpointError
from tk_runner.hooks import CheckpointHook

Make = Callable[..., Any]


def saving(**settings: Any) -> dict[str, Any]:
    return {"checkpoint": {"type": "CheckpointHook", **settings}}


def numbers(folder: Path, prefix: str = "epoch_") -> list[int]:
    names = [name for name in files(folder) if name.startswith(prefix)]
    return sorted(int(name.removeprefix(prefix).removesuffix(".pth")) for name in names)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"interval": 1}, [1, 2, 3, 4, 5, 6, 7]),
        ({"interval": 3}, [3, 6, 7]),
        ({"interval": 3, "save_last": False}, [3, 6]),
        ({"interval": 2, "save_begin": 3}, [3, 5, 7]),
        ({"interval": 2, "save_begin": 4, "save_last": False}, [4, 6]),
        ({"interval": -1}, [7]),
        ({"interval": -1, "save_last": False}, []),
        ({"interval": 100}, [7]),
    ],
)
def test_the_grid_by_epoch(
    make_run: Make, tmp_path: Path, settings: dict[str, Any], expected: list[int]
) -> None:
    make_run(epochs=7, train=loader(2), default_hooks=saving(**settings)).train()

    assert numbers(tmp_path / "work") == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"interval": 4}, [4, 8, 9]),
        ({"interval": 4, "save_begin": 5, "save_last": False}, [5, 9]),
        ({"interval": -1}, [9]),
    ],
)
def test_the_grid_by_iteration(
    make_run: Make, tmp_path: Path, settings: dict[str, Any], expected: list[int]
) -> None:
    hooks = saving(by_epoch=False, **settings)
    make_run(epochs=None, iters=9, default_hooks=hooks).train()

    assert numbers(tmp_path / "work", "iter_") == expected


def test_a_training_by_iteration_names_its_file_by_iteration(
    make_run: Make, tmp_path: Path
) -> None:
    runner = make_run(
        epochs=None, iters=5, val=scripted("acc", 0.5), default_hooks=saving(save_best="acc")
    )
    runner.train()

    assert files(tmp_path / "work") == ["best_acc_iter_5.pth", "iter_5.pth"]


def test_a_training_that_ended_early_is_saved_as_well(make_run: Make, tmp_path: Path) -> None:
    class Stop(Hook):
        def after_val_epoch(self, runner: Any, metrics: Any = None) -> None:
            runner.train_loop.stop_training = runner.epoch == 3

    hooks = saving(interval=2)
    make_run(epochs=9, val=scripted("acc", 0.5), hooks=[Stop()], default_hooks=hooks).train()

    assert numbers(tmp_path / "work") == [2, 3]


def test_only_the_newest_are_kept_and_the_best_beside_them(make_run: Make, tmp_path: Path) -> None:
    hooks = saving(interval=1, max_keep_ckpts=2, save_best="acc")
    make_run(epochs=5, val=scripted("acc", 0.1, 0.9, 0.3, 0.2, 0.1), default_hooks=hooks).train()

    assert files(tmp_path / "work") == ["best_acc_epoch_2.pth", "epoch_4.pth", "epoch_5.pth"]


def test_a_resumed_run_keeps_as_many_as_its_new_limit_says(make_run: Make, tmp_path: Path) -> None:
    make_run(epochs=4, default_hooks=saving(interval=1, max_keep_ckpts=4)).train()
    make_run(epochs=6, resume=True, default_hooks=saving(interval=1, max_keep_ckpts=2)).train()

    assert numbers(tmp_path / "work") == [5, 6]


def test_a_file_that_the_user_removed_is_not_missed(make_run: Make, tmp_path: Path) -> None:
    class Remove(Hook):
        def before_train_epoch(self, runner: Any) -> None:
            (tmp_path / "work" / "epoch_1.pth").unlink(missing_ok=True)

    make_run(epochs=3, hooks=[Remove()], default_hooks=saving(interval=1, max_keep_ckpts=1)).train()

    assert files(tmp_path / "work") == ["epoch_3.pth"]


def test_the_old_file_goes_after_the_new_one_and_the_pointer_stand(
    make_run: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_removal = []

    def watch(path: str, backend_args: Any = None) -> None:
        pointer = (tmp_path / "work" / "last_checkpoint").read_text()
        at_removal.append((Path(path).name, pointer, files(tmp_path / "work")))

    monkeypatch.setattr("tk_runner.hooks.checkpoint.remove", watch)
    make_run(epochs=2, default_hooks=saving(interval=1, max_keep_ckpts=1)).train()

    assert at_removal == [("epoch_1.pth", "epoch_2.pth", ["epoch_1.pth", "epoch_2.pth"])]


def test_the_old_best_file_goes_after_the_new_one_stands(
    make_run: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_removal = []

    def watch(path: str, backend_args: Any = None) -> None:
        at_removal.append((Path(path).name, files(tmp_path / "work")))

    monkeypatch.setattr("tk_runner.hooks.checkpoint.remove", watch)
    hooks = saving(interval=-1, save_last=False, save_best="acc")
    make_run(epochs=2, val=scripted("acc", 0.1, 0.2), default_hooks=hooks).train()

    assert at_removal == [
        ("best_acc_epoch_1.pth", ["best_acc_epoch_1.pth", "best_acc_epoch_2.pth"])
    ]


def test_the_best_of_several_metrics_by_their_rules(make_run: Make, tmp_path: Path) -> None:
    script = [{"acc": 0.3, "err": 0.5}, {"acc": 0.2, "err": 0.3}, {"acc": 0.9, "err": 0.4}]
    hooks = saving(interval=-1, save_last=False, save_best=["acc", "err"])
    make_run(epochs=3, val=Scripted(script), default_hooks=hooks).train()

    assert files(tmp_path / "work") == ["best_acc_epoch_3.pth", "best_err_epoch_2.pth"]


@pytest.mark.parametrize(("rule", "best"), [("greater", 2), (["less"], 3)])
def test_a_given_rule_is_obeyed(make_run: Make, tmp_path: Path, rule: Any, best: int) -> None:
    hooks = saving(interval=-1, save_last=False, save_best="x", rule=rule)
    make_run(epochs=3, val=scripted("x", 0.5, 0.9, 0.1), default_hooks=hooks).train()

    assert files(tmp_path / "work") == [f"best_x_epoch_{best}.pth"]


def test_the_rule_that_a_metric_declares_is_obeyed(make_run: Make, tmp_path: Path) -> None:
    class Declared(Scripted):
        greater_is_better = False

    hooks = saving(interval=-1, save_last=False, save_best="acc")
    metric = Declared([{"acc": 0.5}, {"acc": 0.9}, {"acc": 0.1}])
    make_run(epochs=3, val=metric, default_hooks=hooks).train()

    assert files(tmp_path / "work") == ["best_acc_epoch_3.pth"]


def test_auto_watches_the_first_metric_that_is_reported(make_run: Make, tmp_path: Path) -> None:
    script = [{"loss_b": 3.0, "acc": 0.1}, {"loss_b": 5.0, "acc": 0.9}]
    hooks = saving(interval=-1, save_last=False, save_best="auto")
    make_run(epochs=2, val=Scripted(script), default_hooks=hooks).train()

    assert files(tmp_path / "work") == ["best_loss_b_epoch_1.pth"]


def test_a_metric_that_is_no_number_is_never_the_best(make_run: Make, tmp_path: Path) -> None:
    hooks = saving(interval=-1, save_last=False, save_best="acc")
    values = (float("nan"), 0.2, float("nan"))
    make_run(epochs=3, val=scripted("acc", *values), default_hooks=hooks).train()

    assert files(tmp_path / "work") == ["best_acc_epoch_2.pth"]


def test_a_metric_of_a_slashed_name_becomes_one_file_name(make_run: Make, tmp_path: Path) -> None:
    hooks = saving(interval=-1, save_last=False, save_best="set/acc")
    make_run(
        epochs=1,
        val={"set": scripted("acc", 0.5)},
        val_dataloader={"set": loader()},
        default_hooks=hooks,
    ).train()

    assert files(tmp_path / "work") == ["best_set_acc_epoch_1.pth"]


def test_a_missing_metric_is_named_with_the_nearest(make_run: Make) -> None:
    runner = make_run(
        epochs=1,
        val=scripted("accuracy", 0.5),
        default_hooks=saving(save_best="acuracy", rule="greater"),
    )

    with pytest.raises(InvalidSettingsError, match=r"'acuracy'.*did you mean 'accuracy'"):
        runner.train()


def test_a_metric_that_is_missing_for_once_is_passed_over(make_run: Make, tmp_path: Path) -> None:
    script = [{"acc": 0.5}, {"other": 1.0}, {"acc": 0.6}]
    hooks = saving(interval=-1, save_last=False, save_best="acc")
    make_run(epochs=3, val=Scripted(script), default_hooks=hooks).train()

    assert files(tmp_path / "work") == ["best_acc_epoch_3.pth"]


def test_a_rule_that_nobody_knows_is_asked_for_before_the_first_step(make_run: Make) -> None:
    runner = make_run(epochs=1, val=scripted("fancy", 0.5), default_hooks=saving(save_best="fancy"))

    with pytest.raises(InvalidSettingsError, match=r"'fancy'.*give rule="):
        runner.train()
    assert runner.model.num_steps == 0


def test_a_validation_without_metrics_warns(
    make_run: Make, caplog: pytest.LogCaptureFixture
) -> None:
    make_run(epochs=1, val=[], default_hooks=saving(save_best="acc")).train()

    assert "save_best is set, but the validation reported no metric" in caplog.text


def test_the_best_file_resumes_a_training(make_run: Make, tmp_path: Path) -> None:
    values = (0.1, 0.9, 0.5, 0.4)
    hooks = saving(save_best="acc")
    momentum = {"optimizer": {"type": "SGD", "lr": 0.1, "momentum": 0.9}}
    straight = make_run(
        epochs=4, val=scripted("acc", *values), default_hooks=hooks, optim_wrapper=momentum
    )
    straight.train()
    resumed = make_run(
        work_dir=str(tmp_path / "other"),
        epochs=4,
        val=scripted("acc", *values[2:]),
        default_hooks=hooks,
        optim_wrapper=momentum,
        resume=str(tmp_path / "work" / "best_acc_epoch_2.pth"),
    )
    resumed.train()

    assert (resumed.epoch, weight(resumed)) == (4, weight(straight))
    assert files(tmp_path / "other") == ["epoch_4.pth"]  # 0.9 stays the best


def test_files_go_to_another_folder_under_the_name_of_the_run(
    make_run: Make, tmp_path: Path
) -> None:
    hooks = saving(interval=1, out_dir=tmp_path / "out", max_keep_ckpts=1, save_best="acc")
    make_run(epochs=2, val=scripted("acc", 0.1, 0.2), default_hooks=hooks).train()

    assert files(tmp_path / "work") == []
    assert files(tmp_path / "out" / "work") == ["best_acc_epoch_2.pth", "epoch_2.pth"]
    pointer = (tmp_path / "work" / "last_checkpoint").read_text()
    assert pointer == str(tmp_path / "out" / "work" / "epoch_2.pth")


def test_the_last_and_the_best_are_published(make_run: Make, tmp_path: Path) -> None:
    hooks = saving(save_best="acc", published_keys=["meta", "state_dict"])
    make_run(epochs=2, val=scripted("acc", 0.2, 0.1), default_hooks=hooks).train()

    published = [name for name in files(tmp_path / "work") if "-" in name]
    assert [name.partition("-")[0] for name in published] == ["best_acc_epoch_1", "epoch_2"]
    for name in published:
        assert sorted(read_checkpoint(tmp_path / "work" / name)) == ["meta", "state_dict"]


def test_states_are_left_out_where_they_are_not_wanted(make_run: Make, tmp_path: Path) -> None:
    schedule = {"type": "ConstantLR", "factor": 0.5, "end": 1}
    for wanted in (True, False):
        make_run(
            epochs=1,
            param_scheduler=schedule,
            default_hooks=saving(save_optimizer=wanted, save_param_scheduler=wanted),
        ).train()
        found = read_checkpoint(tmp_path / "work" / "epoch_1.pth").keys()

        assert ("optimizer" in found) is wanted
        assert ("param_schedulers" in found) is wanted


def test_broken_weights_never_replace_good_ones(make_run: Make, tmp_path: Path) -> None:
    runner = make_run(
        epochs=3, model=Doubler(broken_from=7), default_hooks={"nan_guard": None, "logger": None}
    )

    with pytest.raises(NonFiniteLossError, match=r"weights hold NaN .* became nan in iteration 7"):
        runner.train()
    assert files(tmp_path / "work") == ["epoch_1.pth"]


def test_large_weights_in_half_precision_are_no_broken_ones(make_run: Make, tmp_path: Path) -> None:
    model = Doubler()
    model.large = torch.nn.Parameter(torch.full((10_000,), 6e4).half(), requires_grad=False)
    model.empty = torch.nn.Parameter(torch.zeros(0))
    make_run(epochs=1, model=model).train()

    assert files(tmp_path / "work") == ["epoch_1.pth"]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"interval": 0}, "interval must be 1 or more, or -1"),
        ({"save_begin": -1}, "save_begin must be 0 or more, got -1"),
        ({"keep_best": 0}, "keep_best must be 1 or more, got 0"),
        ({"max_keep_ckpts": 0}, "max_keep_ckpts=0"),
        ({"save_best": ["auto", "acc"]}, "'auto' stands alone"),
        ({"save_best": ["acc", "acc"]}, "names a metric twice"),
        ({"save_best": ["acc", "f1", "map"], "rule": ["less", "less"]}, "2 entries for 3 metrics"),
        ({"save_best": "acc", "rule": "larger"}, "rule='larger'"),
    ],
)
def test_what_cannot_work_is_refused_at_once(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidSettingsError, match=text):
        CheckpointHook(**settings)


def test_a_misspelt_option_is_refused_at_construction() -> None:
    with pytest.raises(TypeError, match="max_keep_ckpt"):
        CheckpointHook(max_keep_ckpt=3)  # type: ignore[call-arg]


def test_a_validation_alone_saves_nothing(make_run: Make, tmp_path: Path) -> None:
    runner = make_run(epochs=1, val=scripted("acc", 0.5), default_hooks=saving(save_best="acc"))
    runner.val()

    assert files(tmp_path / "work") == []


def test_files_of_another_backend_are_removed_by_that_backend(make_run: Make) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    hooks = saving(interval=1, max_keep_ckpts=1, save_best="acc", out_dir="memory://best-of-toys")
    try:
        make_run(epochs=3, val=scripted("acc", 0.1, 0.9, 0.2), default_hooks=hooks).train()
        found = sorted(Path(name).name for name in memory.find("/best-of-toys"))
    finally:
        if memory.exists("/best-of-toys"):
            memory.rm("/best-of-toys", recursive=True)

    assert found == ["best_acc_epoch_2.pth", "epoch_3.pth"]


def test_metrics_whose_names_are_alike_have_files_of_their_own(
    make_run: Make, tmp_path: Path
) -> None:
    script = [{"a/acc": 0.3, "a_acc": 0.9}, {"a/acc": 0.5, "a_acc": 0.1}]
    hooks = saving(interval=-1, save_last=False, save_best=["a/acc", "a_acc"])
    make_run(epochs=2, val=Scripted(script), default_hooks=hooks).train()

    epochs = sorted(name.rpartition("_")[2] for name in files(tmp_path / "work"))
    assert epochs == ["1.pth", "2.pth"]


def test_a_metric_of_any_name_is_saved_below_the_folder(make_run: Make, tmp_path: Path) -> None:
    name = "../acc\0" + "x" * 400
    hooks = saving(interval=-1, save_last=False, save_best=name)
    make_run(epochs=1, val=scripted(name, 0.5), default_hooks=hooks).train()

    assert len(files(tmp_path / "work")) == 1


@pytest.mark.parametrize("value", [None, "high", [1, 2]])
def test_a_best_value_that_is_no_number_is_named(make_run: Make, value: Any) -> None:
    hooks = saving(interval=-1, save_best="acc", rule="greater")
    runner = make_run(epochs=1, val=Scripted([{"acc": value}]), default_hooks=hooks)

    with pytest.raises(InvalidSettingsError, match=r"metric 'acc' is .*, which is no number"):
        runner.train()


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"interval": "1"}, "interval='1' must be a whole number"),
        ({"interval": 1.5}, "interval=1.5 must be a whole number"),
        ({"max_keep_ckpts": None}, "max_keep_ckpts=None must be a whole number"),
        ({"filename_tmpl": "a{}{}.pth"}, "with one {} for the count"),
        ({"filename_tmpl": "a.pth"}, "with one {} for the count"),
        ({"filename_tmpl": "../{}.pth"}, "for another folder use out_dir"),
        ({"save_best": True}, "a name or a list of names is expected, got True"),
    ],
)
def test_settings_of_a_wrong_kind_are_found_when_the_hook_is_made(
    settings: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        CheckpointHook(**settings)

    assert problem in str(caught.value)


def test_a_folder_that_cannot_be_made_is_found_before_the_first_iteration(
    make_run: Make, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    runner = make_run(epochs=1, default_hooks=saving(out_dir=str(tmp_path / "file" / "below")))

    with pytest.raises(OSError, match="below"):
        runner.train()

    assert runner.iter == 0


@pytest.mark.parametrize(("limit", "left"), [(1, []), (-1, ["iter_6.pth"])])
def test_with_a_limit_the_file_of_a_stop_goes_when_the_resumed_run_has_saved(
    make_run: Make, tmp_path: Path, limit: int, left: list[str]
) -> None:
    class Stop(Hook):
        def after_train_iter(
            self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
        ) -> None:
            if runner.iter == 5:
                runner.stop_requests.request(75)

    hooks = saving(interval=1, max_keep_ckpts=limit)
    with pytest.raises(SystemExit):
        make_run(epochs=3, hooks=[Stop()], default_hooks=hooks).train()
    assert "iter_6.pth" in files(tmp_path / "work")
    make_run(epochs=3, resume=True, default_hooks=hooks).train()

    assert [name for name in files(tmp_path / "work") if name.startswith("iter_")] == left
    assert "epoch_3.pth" in files(tmp_path / "work")


def test_a_stop_behind_the_last_iteration_leaves_the_last_file(
    make_run: Make, tmp_path: Path
) -> None:
    class Stop(Hook):
        def before_val(self, runner: Any) -> None:
            runner.stop_requests.request(75)

    hooks = saving(interval=1, by_epoch=False, max_keep_ckpts=1, save_last=False, save_begin=99)
    with pytest.raises(SystemExit):
        make_run(
            epochs=None, iters=4, val=scripted("acc", 0.5), hooks=[Stop()], default_hooks=hooks
        ).train()
    hooks = saving(interval=1, by_epoch=False, max_keep_ckpts=1)
    make_run(
        epochs=None, iters=4, val=scripted("acc", 0.5), resume=True, default_hooks=hooks
    ).train()

    assert files(tmp_path / "work") == ["iter_4.pth"]


def test_a_state_that_names_a_file_elsewhere_ends_the_resume_and_removes_nothing(
    make_run: Make, tmp_path: Path
) -> None:
    thesis = tmp_path / "thesis.tex"
    thesis.write_text("years of work")
    hooks = saving(interval=1, max_keep_ckpts=1)
    make_run(epochs=1, default_hooks=hooks).train()
    changed = torch.load(tmp_path / "work" / "epoch_1.pth")
    changed["hooks"]["CheckpointHook"]["kept"] = ["../thesis.tex"]
    torch.save(changed, tmp_path / "hostile.pth")

    run = make_run(epochs=2, resume=str(tmp_path / "hostile.pth"), default_hooks=hooks)
    with pytest.raises(UnsafeCheckpointError, match=r"'\.\./thesis\.tex'"):
        run.train()

    assert thesis.read_text() == "years of work"


def test_what_a_killed_run_could_not_remove_goes_when_it_is_resumed(
    make_run: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    hooks = saving(interval=1, max_keep_ckpts=1)
    with monkeypatch.context() as patched:
        patched.setattr("tk_runner.hooks.checkpoint.remove", killed)
        with pytest.raises(KeyboardInterrupt):
            make_run(epochs=3, default_hooks=hooks).train()
    assert numbers(tmp_path / "work") == [1, 2]
    make_run(epochs=3, resume=True, default_hooks=hooks).train()

    assert numbers(tmp_path / "work") == [3]


def test_files_survive_by_step_and_the_best_two(make_run: Make, tmp_path: Path) -> None:
    hooks = saving(interval=1, max_keep_ckpts=1, keep_every=2, save_best="acc", keep_best=2)
    metric = scripted("acc", 0.3, 0.9, 0.5, 0.7, 0.1)
    make_run(epochs=5, val=metric, default_hooks=hooks).train()

    assert numbers(tmp_path / "work") == [2, 4, 5]
    assert numbers(tmp_path / "work", "best_acc_epoch_") == [2, 4]


def test_files_written_in_the_background_are_those_of_a_save_that_waits(
    make_run: Make, tmp_path: Path
) -> None:
    settings = {"interval": 1, "max_keep_ckpts": 2, "save_best": "acc"}
    for folder, in_background in (("waits", False), ("goes on", True)):
        metric = scripted("acc", 0.1, 0.9, 0.3, 0.2)
        hooks = saving(in_background=in_background, **settings)
        run = make_run(epochs=4, val=metric, default_hooks=hooks, work_dir=str(tmp_path / folder))
        run.train()

    assert files(tmp_path / "waits") == files(tmp_path / "goes on")
    assert numbers(tmp_path / "goes on") == [3, 4]
    assert (tmp_path / "goes on" / "last_checkpoint").read_text() == "epoch_4.pth"
    waits, goes_on = (
        read_checkpoint(tmp_path / folder / "epoch_4.pth")["state_dict"]
        for folder in ("waits", "goes on")
    )
    assert all(torch.equal(waits[name], goes_on[name]) for name in waits)


def test_an_error_while_writing_in_the_background_ends_the_run(
    make_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any, **kwargs: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tk_runner.run.checkpointing.save_checkpoint", full)
    run = make_run(epochs=9, default_hooks=saving(interval=1, in_background=True))

    with pytest.raises(OSError, match="No space left"):
        run.train()
    assert run.epoch < 2


def test_the_newest_file_stands_when_a_stop_has_saved(make_run: Make, tmp_path: Path) -> None:
    class Stop(Hook):
        def before_train_iter(self, runner: Any, batch_idx: int, data_batch: Any = None) -> None:
            if runner.iter == 5:
                runner.stop_requests.request(75)

    hooks = saving(interval=1, in_background=True)
    with pytest.raises(SystemExit):
        make_run(epochs=3, hooks=[Stop()], default_hooks=hooks).train()

    assert (tmp_path / "work" / "last_checkpoint").read_text() == "iter_6.pth"
    assert files(tmp_path / "work") == ["epoch_1.pth", "iter_6.pth"]
