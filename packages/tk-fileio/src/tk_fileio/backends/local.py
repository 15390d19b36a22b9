"""The local file system as a backend."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar

from ..uri import StrPath, local_path, parse_uri
from .backend import BaseStorageBackend
from .local_files import LocalFiles


class LocalBackend(LocalFiles, BaseStorageBackend):
    """Files on this machine's disks; writes are whole or absent."""

    is_local: ClassVar[bool] = True

    @contextmanager
    def get_local_path(self, filepath: StrPath) -> Iterator[str]:
        """The file itself, not a copy."""
        yield parse_uri(filepath).text

    def copy_if_symlink_fails(self, src: StrPath, dst: StrPath) -> bool:
        """Make ``dst`` a symbolic link to ``src``, or copy it; True if it is a link.

        A link that is already there is replaced, in one step.
        """
        source, target = local_path(src), local_path(dst)
        stage = target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}.tk-part")
        try:
            if target.is_symlink():
                stage.symlink_to(source)
                stage.replace(target)
            else:
                target.symlink_to(source)
        except OSError:
            with suppress(OSError):
                stage.unlink()
            return super().copy_if_symlink_fails(source, target)
        return True
