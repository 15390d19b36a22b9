"""One run of a command: built, run, and told about at the end, however it ends."""

from __future__ import annotations

import argparse
import os
import signal
from typing import Any

from tk_config import Config
from tk_dist import close_dist, end_with_parent, infer_launcher
from tk_registry import RUNNERS

from ..errors import InvalidSettingsError, Stopped
from ..process.stop_requests import STOPPED_BY_PLAN
from ..runner import Runner
from ..settings.check import config_problems, runner_arguments
from ..terminal.screen import TerminalHook
from .failures import FAILED, explain
from .launching import is_launched
from .printing import is_talking, tell
from .resume_command import resume_command

INTERRUPTED = 130


def execute(mode: str, cfg: Config, options: argparse.Namespace) -> int:
    """Build the runner of ``cfg``, run ``mode``, and give the exit code.

    What went wrong, and the command that goes on, are on standard error.
    """
    if is_launched():
        end_with_parent()  # saves and ends as for any SIGTERM, also when the launcher was killed
    cfg.launcher = _launcher(cfg, options)
    if mode != "train" and not (cfg.get("load_from") or cfg.get("resume")):
        tell("warning: no checkpoint is given, so the model has the weights it is built with")
    run = _Run(mode, cfg, options)
    try:
        if found := config_problems(cfg, runner_arguments(Runner)):
            raise InvalidSettingsError.of(found)
        run.go()
    except Stopped as stopped:
        run.tell_how_to_go_on()
        return _leave(stopped.status)
    except KeyboardInterrupt:
        run.tell_how_to_go_on()
        return _leave(INTERRUPTED)
    except SystemExit as error:  # of code that the run calls; a status of 0 would pass for success
        tell(f"error: the run was ended by a call of sys.exit({error.code!r}) in its code")
        return error.code if isinstance(error.code, int) and error.code else FAILED
    except Exception as error:  # whatever it is, it is explained
        failure = explain(error)
        if failure.is_whole_story or is_talking():
            failure.show()
        run.tell_where_it_stands()
        return failure.code
    finally:
        run.close()
    close_dist()  # not after a failure: closing may wait for a rank that never comes
    return 0


class _Run:
    """A runner that may not exist yet, and what can be said of it."""

    def __init__(self, mode: str, cfg: Config, options: argparse.Namespace) -> None:
        self._mode = mode
        self._cfg = cfg
        self._options = options
        self._runner: Any = None

    def go(self) -> None:
        kind: Any = RUNNERS.get(self._cfg.get("runner_type") or "Runner") or Runner
        self._runner = kind.from_cfg(self._cfg)
        self._runner.register_hook(TerminalHook(config=self._options.config))
        getattr(self._runner, self._mode)()

    def tell_how_to_go_on(self) -> None:
        """The command that resumes, where there is something to resume."""
        if self._mode != "train" or self._runner is None:
            return
        if not _has_checkpoint(self._runner.work_dir):
            return
        tell(f"go on with: {resume_command(self._options.words, self._options.resume)}")

    def tell_where_it_stands(self) -> None:
        """After a failure: where the log is, and how to go on from the newest checkpoint."""
        if self._runner is None:
            return
        tell(f"the log is in {self._runner.log_dir}")
        self.tell_how_to_go_on()

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()


def _has_checkpoint(work_dir: str) -> bool:
    return os.path.exists(os.path.join(work_dir, "last_checkpoint"))  # noqa: PTH110, PTH118


def _launcher(cfg: Config, options: argparse.Namespace) -> str:
    """The option, else the config, else what the environment says."""
    named = options.launcher or cfg.get("launcher")
    if named and named != "none":
        return str(named)
    return "none" if options.launcher == "none" else infer_launcher()


def _leave(code: int) -> int:
    """Nothing may change the exit code any more: a launcher ends whoever leaves last.

    torchrun takes any code but 0 for a failure and, with ``--max-restarts``, would start a
    run again that was asked to stop; so such a run ends with 0 there.
    """
    if is_launched():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    restarts = os.environ.get("TORCHELASTIC_MAX_RESTARTS", "0") != "0"
    return 0 if restarts and code == STOPPED_BY_PLAN else code
