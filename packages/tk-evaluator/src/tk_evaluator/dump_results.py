"""`DumpResults`: keep the predictions of a whole data set in one file."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any, ClassVar

from tk_fileio import dump
from tk_registry import METRICS, Rule, check_values, value_rules

from .errors import SettingsError
from .metric import BaseMetric
from .to_cpu import to_cpu

logger = logging.getLogger("tk.evaluator")


@METRICS.register_module()
@value_rules(
    out_file_path=Rule(
        "the path of a pickle, ending in .pkl or .pickle",
        lambda path: (
            isinstance(path, (str, os.PathLike)) and os.fspath(path).endswith((".pkl", ".pickle"))
        ),
    )
)
class DumpResults(BaseMetric):
    """Writes all predictions, on the CPU and in the order of the data set, as one pickle.

    The file is whole or absent. It gives no results, and needs no prefix.

    Args:
        out_file_path: where; ends in ``.pkl`` or ``.pickle``, local or any
            address that tk-fileio can write.
        collect_device: as for `BaseMetric`.
        collect_dir: as for `BaseMetric`.
    """

    _has_results: ClassVar[bool] = False

    def __init__(
        self,
        out_file_path: str | os.PathLike[str],
        collect_device: str = "cpu",
        collect_dir: str | None = None,
    ) -> None:
        check_values(DumpResults, locals(), SettingsError)
        super().__init__(collect_device, None, collect_dir)
        self.out_file_path = out_file_path

    def process(self, data_batch: Any, data_samples: Any) -> None:
        """Store the predictions of one batch; a mapping of columns is one entry."""
        samples = [data_samples] if isinstance(data_samples, Mapping) else data_samples
        self.results.extend(map(to_cpu, samples))

    def compute_metrics(self, results: list[Any]) -> dict[str, Any]:
        """Write the file; there is nothing to report."""
        dump(list(results), self.out_file_path, protocol=5)
        logger.info("predictions of %d samples are in %s", len(results), self.out_file_path)
        return {}
