"""`Visualizer`: draws on images, and one door to every backend, on rank 0 alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tk_dist import is_main_process
from tk_registry import VISBACKENDS, VISUALIZERS, ManagerMixin

from ..errors import InvalidSettingsError
from .backends.backend import BaseVisBackend
from .drawing import ImageDrawing
from .png import checked_image
from .samples import draw_sample

logger = logging.getLogger("tk.runner")


@VISUALIZERS.register_module()
class Visualizer(ImageDrawing, ManagerMixin):
    """Draws on images and hands records to its backends; other ranks than 0 do neither.

    A backend that fails costs its records, not the run: the error is logged once
    for each backend, and the others go on.

    Args:
        name: under which ``get_instance`` finds it.
        image: an image to begin with; see ``set_image``.
        vis_backends: a backend, its config, or a list of either; a config may
            hold ``name``, by which ``get_backend`` finds it.
        save_dir: folder of the run; records go to ``vis_data`` in it.
    """

    def __init__(
        self,
        name: str = "visualizer",
        image: np.ndarray | None = None,
        vis_backends: Any = None,
        save_dir: str | None = None,
    ) -> None:
        ManagerMixin.__init__(self, name)
        ImageDrawing.__init__(self, image)
        self.dataset_meta: Any = None
        self._folder = str(Path(save_dir) / "vis_data") if save_dir is not None else None
        self._backends: dict[str, BaseVisBackend] = {}
        self._failed: set[str] = set()
        given = vis_backends if _is_list(vis_backends) else [vis_backends]
        for backend in given:
            if backend is not None:
                self._add_backend(backend)

    def _add_backend(self, backend: Any) -> None:
        if isinstance(backend, Mapping):
            arguments = dict(backend)
            kind = arguments["type"]
            name = arguments.pop("name", None) or getattr(kind, "__name__", str(kind))
            if self._folder is None and "save_dir" not in arguments:
                raise InvalidSettingsError(
                    f"the backend {name!r} has no save_dir and the visualizer has none; "
                    "give one of them"
                )
            backend = VISBACKENDS.build(arguments, default_args={"save_dir": self._folder})
        else:
            name = type(backend).__name__
        if not isinstance(backend, BaseVisBackend):
            raise TypeError(f"a backend is a BaseVisBackend or its config, got {backend!r:.80}")
        if name in self._backends:
            logger.warning(
                "two visual backends are called %r: the last one is used; give one of them "
                "another name to have both",
                name,
            )
        self._backends[name] = backend

    def get_backend(self, name: str) -> BaseVisBackend | None:
        """The backend called ``name``, or None."""
        return self._backends.get(name)

    def add_config(self, config: Any, **kwargs: Any) -> None:
        """Record the config of the run."""
        self._tell(lambda backend: backend.add_config(config, **kwargs))

    def add_graph(self, model: Any, data_batch: Any, **kwargs: Any) -> None:
        """Record the structure of the model."""
        self._tell(lambda backend: backend.add_graph(model, data_batch, **kwargs))

    def add_image(self, name: str, image: np.ndarray, step: int = 0) -> None:
        """Record an image: ``(h, w, 3)`` or ``(h, w)``, RGB, uint8."""
        image = checked_image(image)
        self._tell(lambda backend: backend.add_image(name, image, step=step))

    def add_scalar(self, name: str, value: Any, step: int = 0, **kwargs: Any) -> None:
        """Record one number."""
        self._tell(lambda backend: backend.add_scalar(name, value, step=step, **kwargs))

    def add_scalars(self, scalar_dict: Mapping[str, Any], step: int = 0, **kwargs: Any) -> None:
        """Record several numbers of one step; a ``step`` among them is the step."""
        self._tell(lambda backend: backend.add_scalars(scalar_dict, step=step, **kwargs))

    def add_datasample(
        self,
        name: str,
        image: np.ndarray,
        data_sample: Any = None,
        draw_gt: bool = True,
        draw_pred: bool = True,
        show: bool = False,
        wait_time: float = 0.0,
        step: int = 0,
    ) -> None:
        """Draw a sample's labels and predictions side by side, and record the image.

        The place for a task's own visualizer to override; this one draws what
        `tk_runner.visualization.samples` knows: boxes, masks, class and segment labels.

        Args:
            name: of the record.
            image: ``(h, w, 3)`` or ``(h, w)``, RGB, uint8.
            data_sample: labels and predictions.
            draw_gt: whether labels are drawn.
            draw_pred: whether predictions are drawn.
            show: whether the image is shown as well, by matplotlib.
            wait_time: seconds that it is shown; 0 waits for the space key.
            step: of the record.
        """
        if not is_main_process():
            return
        drawn = draw_sample(
            checked_image(image),
            data_sample,
            self.dataset_meta,
            draw_gt=draw_gt,
            draw_pred=draw_pred,
        )
        self.set_image(drawn)
        if show:
            self.show(drawn, name, wait_time)
        self.add_image(name, drawn, step)

    def close(self) -> None:
        """Let every backend write what it still holds."""
        self._tell(lambda backend: backend.close())

    def _tell(self, what: Callable[[BaseVisBackend], None]) -> None:
        if not is_main_process():
            return
        for name, backend in self._backends.items():
            try:
                what(backend)
            except Exception as error:  # hours of training must not end at a tracker
                if name not in self._failed:
                    self._failed.add(name)
                    logger.error(
                        "the visual backend %r failed; its records are lost: %s: %s",
                        name,
                        type(error).__name__,
                        error,
                        exc_info=not isinstance(error, OSError),  # a full disk says it all
                    )

    @classmethod
    def get_instance(cls, name: str, **kwargs: Any) -> Visualizer:
        """The visualizer called ``name``; the latest of any subclass is the current one."""
        instance = super().get_instance(name, **kwargs)
        Visualizer._publish(instance)
        return instance


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
