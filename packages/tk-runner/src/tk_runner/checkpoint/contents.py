"""What a checkpoint of a run holds, key by key.

The version rises when an older reader would misread a file; readers refuse
versions above their own and say so.
"""

from __future__ import annotations

FORMAT_VERSION = 1

KEYS = {
    "format_version": "whole number: the version of this table",
    "meta": "counts (epoch, iter), seed, experiment, time, config as text, ranks, dataset's facts",
    "state_dict": "weights of the model by name, without wrappers; with EMA the averaged ones",
    "ema_state_dict": "with EMA: the trained weights under 'module.', and the average's counters",
    "optimizer": "state of the optimizer wrapper; a dict by name where there are several",
    "param_schedulers": "list of the states of the schedules; a dict of lists where by name",
    "message_hub": "histories of scalars and facts that are resumed",
    "loop": "finished epochs and iterations, the loader's position, the last validation",
    "hooks": "states of the hooks by class name",
    "ranks": "list by rank: random generators, and gradients inside an accumulation group",
}
