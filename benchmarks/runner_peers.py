"""The job of ``runner_job.py`` in loops of one's own and of lean libraries, with the same log.

Each writes a line to the console and to a file and a JSON record every ``interval``
iterations: step, rate, mean losses, times and the time that is left. Losses stay on
their device until then and are read together. Steps the schedule each iteration and
saves a checkpoint at the end.
"""

from __future__ import annotations

import datetime
import json
import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from runner_job import data, model_of
from torch import nn

Train = Callable[[int, int, int], nn.Module]


class HandWrittenLog:
    """What somebody writes who has read how to log without waiting in each step."""

    def __init__(self, folder: str, interval: int, iterations: int) -> None:
        self.interval, self.iterations = interval, iterations
        self.losses: list[list[torch.Tensor]] = []
        self.times: list[float] = []
        self.waits: list[float] = []
        self.spent = 0.0
        self.began = time.perf_counter()
        self.scalars = (Path(folder) / "scalars.json").open("w")
        self.logger = logging.Logger("hand-written")
        form = logging.Formatter("%(asctime)s - %(levelname)s - %(message)s")
        for handler in (
            logging.StreamHandler(sys.stdout),
            logging.FileHandler(Path(folder) / "run.log"),
        ):
            handler.setFormatter(form)
            self.logger.addHandler(handler)

    def before_step(self) -> None:
        self.waits.append(time.perf_counter() - self.began)

    def after_step(self, step: int, losses: Mapping[str, torch.Tensor], rate: float) -> None:
        self.losses.append([value.detach() for value in losses.values()])
        now = time.perf_counter()
        self.times.append(now - self.began)
        self.began = now
        if step % self.interval == 0:
            self.line(step, list(losses), rate)

    def line(self, step: int, names: list[str], rate: float) -> None:
        size = len(self.losses)
        flat = torch.stack([value for row in self.losses for value in row])
        means = dict(zip(names, flat.view(size, -1)[-10:].mean(0).tolist(), strict=True))
        self.spent += sum(self.times)
        took, waited = sum(self.times) / size, sum(self.waits) / size
        left = datetime.timedelta(seconds=int(self.spent / step * (self.iterations - step)))
        text = "  ".join(f"{name}: {mean:.4f}" for name, mean in means.items())
        self.logger.info(
            f"[{step}/{self.iterations}]  lr: {rate:.4e}  eta: {left}  "
            f"time: {took:.4f}  data_time: {waited:.4f}  {text}"
        )
        record = {"step": step, "lr": rate, "time": took, "data_time": waited, **means}
        self.scalars.write(json.dumps(record) + "\n")
        self.losses.clear()
        self.times.clear()
        self.waits.clear()

    def close(self) -> None:
        self.scalars.close()
        for handler in self.logger.handlers:
            handler.close()


def parts(losses: int, iterations: int) -> tuple[nn.Module, torch.optim.Optimizer, Any]:
    model = model_of(nn.Module, losses)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=iterations)
    return model, optimizer, schedule


def save(folder: str, *states: Any) -> None:
    torch.save([state.state_dict() for state in states], Path(folder) / "last.pth")


def by_hand(iterations: int, losses: int, interval: int) -> nn.Module:
    model, optimizer, schedule = parts(losses, iterations)
    with tempfile.TemporaryDirectory() as folder:
        log = HandWrittenLog(folder, interval, iterations)
        for step, (x, y) in enumerate(data(iterations), start=1):
            log.before_step()
            found = model.forward(x, y)
            optimizer.zero_grad()
            found["loss"].backward()
            optimizer.step()
            log.after_step(step, found, optimizer.param_groups[0]["lr"])
            schedule.step()
        save(folder, model, optimizer)
        log.close()
    return model


def ignite(iterations: int, losses: int, interval: int) -> nn.Module:
    from ignite.engine import Engine, Events
    from ignite.handlers import Checkpoint, DiskSaver

    model, optimizer, schedule = parts(losses, iterations)

    def step(engine: Engine, batch: Any) -> dict[str, torch.Tensor]:
        found = model.forward(*batch)
        optimizer.zero_grad()
        found["loss"].backward()
        optimizer.step()
        return found

    with tempfile.TemporaryDirectory() as folder:
        log = HandWrittenLog(folder, interval, iterations)
        trainer = Engine(step)
        trainer.add_event_handler(Events.GET_BATCH_COMPLETED, log.before_step)

        @trainer.on(Events.ITERATION_COMPLETED)
        def note(engine: Engine) -> None:
            rate = optimizer.param_groups[0]["lr"]
            log.after_step(engine.state.iteration, engine.state.output, rate)
            schedule.step()

        kept = {"model": model, "optimizer": optimizer, "trainer": trainer}
        saver = Checkpoint(kept, DiskSaver(folder, require_empty=False))
        trainer.add_event_handler(Events.EPOCH_COMPLETED, saver)
        trainer.run(data(iterations), max_epochs=1)
        log.close()
    return model


def fabric(iterations: int, losses: int, interval: int) -> nn.Module:
    from lightning.fabric import Fabric

    model, optimizer, schedule = parts(losses, iterations)
    engine = Fabric(accelerator="cpu", devices=1)
    wrapped, optimizer = engine.setup(model, optimizer)
    loader = engine.setup_dataloaders(data(iterations))
    with tempfile.TemporaryDirectory() as folder:
        log = HandWrittenLog(folder, interval, iterations)
        for step, (x, y) in enumerate(loader, start=1):
            log.before_step()
            found = wrapped(x, y)
            optimizer.zero_grad()
            engine.backward(found["loss"])
            optimizer.step()
            log.after_step(step, found, optimizer.param_groups[0]["lr"])
            schedule.step()
        engine.save(Path(folder) / "last.pth", {"model": wrapped, "optimizer": optimizer})
        log.close()
    return model


def accelerate(iterations: int, losses: int, interval: int) -> nn.Module:
    from accelerate import Accelerator

    model, optimizer, schedule = parts(losses, iterations)
    engine = Accelerator(cpu=True)
    wrapped, optimizer, loader, schedule = engine.prepare(
        model, optimizer, data(iterations), schedule
    )
    with tempfile.TemporaryDirectory() as folder:
        log = HandWrittenLog(folder, interval, iterations)
        for step, (x, y) in enumerate(loader, start=1):
            log.before_step()
            found = wrapped(x, y)
            optimizer.zero_grad()
            engine.backward(found["loss"])
            optimizer.step()
            log.after_step(step, found, optimizer.param_groups[0]["lr"])
            schedule.step()
        engine.save_state(folder)
        log.close()
    return model


def lightning(iterations: int, losses: int, interval: int) -> nn.Module:
    import lightning as pl
    from lightning.pytorch.loggers import CSVLogger

    model = model_of(nn.Module, losses)

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def training_step(self, batch: Any, index: int) -> torch.Tensor:
            found = self.model.forward(*batch)
            self.log_dict(found)
            return found["loss"]

        def configure_optimizers(self) -> dict[str, Any]:
            optimizer = torch.optim.SGD(self.parameters(), lr=0.01)
            schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=iterations)
            return {
                "optimizer": optimizer,
                "lr_scheduler": {"scheduler": schedule, "interval": "step"},
            }

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = pl.Trainer(
            accelerator="cpu",
            devices=1,
            max_epochs=1,
            logger=CSVLogger(folder),
            log_every_n_steps=interval,
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir=folder,
        )
        trainer.fit(Module(), data(iterations))
    return model


PEERS: dict[str, tuple[str, Train]] = {
    "by hand": ("torch", by_hand),
    "ignite": ("ignite", ignite),
    "fabric": ("lightning", fabric),
    "accelerate": ("accelerate", accelerate),
    "lightning": ("lightning", lightning),
}
"""By name: the package that must be installed, and the training."""
