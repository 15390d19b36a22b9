"""Checkpoints by name, from wherever a scheme says; others may add theirs."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from .read import read_checkpoint
from .sources import Source, add_source


class CheckpointLoader:
    """Finds a checkpoint by the beginning of its name.

    Known: local paths; ``http(s)://``, downloaded once; ``torchvision://model``,
    ``timm://model`` and ``hf://owner/repository/file``, where those packages are
    there; and any other URI that tk_fileio opens, such as ``s3://``.
    """

    @classmethod
    def register_scheme(
        cls, prefixes: str | Sequence[str], loader: Source | None = None, force: bool = False
    ) -> Any:
        """Let ``loader`` load what begins with one of the prefixes; also a decorator.

        Args:
            prefixes: such as ``"models://"``; the longest that fits is taken.
            loader: gets the whole name and map_location; gives a local path, which
                is then read safely, or the content itself.
            force: replace one that is there.

        Raises:
            SchemeTakenError: a prefix is taken.
        """
        names = [prefixes] if isinstance(prefixes, str) else list(prefixes)

        def register(source: Source) -> Source:
            for name in names:
                add_source(name, source, force=force)
            return source

        return register(loader) if loader is not None else register

    @classmethod
    def load_checkpoint(
        cls, filename: str, map_location: Any = "cpu", logger: logging.Logger | str | None = None
    ) -> dict[str, Any]:
        """The content of a checkpoint; see `read_checkpoint`."""
        if isinstance(logger, logging.Logger):
            logger.info("loads checkpoint from %s", filename)
        return read_checkpoint(filename, map_location=map_location)
