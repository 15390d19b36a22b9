"""Reading addresses: a local path, or ``scheme://rest``.

One parser decides what is local. ``cluster:s3://bucket/key`` names a cluster
before the scheme; ``zip://inner::outer`` and ``simplecache::s3://…`` are chains
that fsspec resolves, and are kept as they are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath
from typing import NamedTuple

StrPath = str | os.PathLike[str]

_SCHEME = re.compile(r"(?P<before>(?:[\w.+-]+:)*)(?P<scheme>[a-zA-Z][\w+.-]*)://")
_CHAINED = re.compile(r"(?P<scheme>[a-zA-Z][\w+.-]*)::")
# pathlib folds the two slashes of a URI into one; two letters or more, so that
# a drive of Windows is not taken for a scheme
_FOLDED = re.compile(r"(?P<scheme>[a-zA-Z][\w+.-]+):/(?!/)")
_PASSWORD = re.compile(r"(?<=://)([^/@:]*):[^/@]*@")


class Uri(NamedTuple):
    """An address taken apart."""

    scheme: str  # lower case; "" for a local path
    text: str  # what the backend is given: the path, or the URI without its cluster

    @property
    def suffix(self) -> str:
        """The last suffix in lower case and without its dot; "" where there is none."""
        name = _own_part(self.text)[1] if self.scheme else self.text
        if self.scheme in ("http", "https"):
            name = name.partition("#")[0].partition("?")[0]
        return PurePath(name).suffix[1:].lower()


def parse_uri(address: StrPath) -> Uri:
    """Take an address apart.

    ``file://`` addresses become local paths. A ``Path`` made from a URI, which
    pathlib has robbed of a slash, is understood.

    Raises:
        TypeError: neither str nor path.
        ValueError: a ``file://`` address of another machine.
    """
    text = path_text(address)
    if ":" not in text:  # nearly always: no search then
        return Uri("", text)
    if not isinstance(address, str) and (folded := _FOLDED.match(text)):
        scheme = folded["scheme"].lower()
        slashes = ":///" if scheme == "file" else "://"  # file URIs are absolute
        text = scheme + slashes + text[folded.end() :]
    if match := _SCHEME.match(text):
        before = match["before"]
        if "::" in before:
            return Uri(before.partition("::")[0].lower(), text)
        scheme = match["scheme"].lower()
        text = f"{scheme}://{text[match.end() :]}"
        return Uri("", _local_path(text)) if scheme == "file" else Uri(scheme, text)
    if match := _CHAINED.match(text):
        return Uri(match["scheme"].lower(), text)
    return Uri("", text)


def local_path(address: StrPath) -> Path:
    """The address as a local path.

    Raises:
        ValueError: it is the URI of something that is not local.
    """
    return Path(local_text(address))


def local_text(address: StrPath) -> str:
    """The address as the text of a local path; as `local_path` without making a ``Path``."""
    uri = parse_uri(address)
    if uri.scheme:
        raise ValueError(
            f"{shown(uri.text)!r} is not a local file; functions such as open_write, put, get and "
            "dump of tk_fileio take any URI"
        )
    return uri.text


def path_text(address: StrPath) -> str:
    """The address as str; TypeError for anything that is not a path."""
    if isinstance(address, str):
        return address
    if isinstance(address, os.PathLike):
        text = os.fspath(address)
        if isinstance(text, str):
            return text
    raise TypeError(
        f"a path is a str or an os.PathLike of str, not {type(address).__name__} ({address!r:.80})"
    )


def shown(address: StrPath) -> str:
    """The address as it may stand in errors and logs: without a password."""
    return _PASSWORD.sub(r"\1:***@", path_text(address))


def join_uri(text: str, *parts: str) -> str:
    """A URI with parts put below its path; in a chain, below that of the store it opens."""
    before, own, after = _own_part(text)
    if parts:
        root = own if own.endswith("://") else own.rstrip("/") + "/"
        own = root + "/".join(part.strip("/") for part in parts)
    return before + own + after


def _own_part(text: str) -> tuple[str, str, str]:
    """A chain split at the part that carries the path: the first with ``://``."""
    pieces = text.split("::")
    at = next((index for index, piece in enumerate(pieces) if "://" in piece), 0)
    before = "".join(f"{piece}::" for piece in pieces[:at])
    return before, pieces[at], "".join(f"::{piece}" for piece in pieces[at + 1 :])


def _local_path(uri: str) -> str:
    from urllib.parse import unquote  # 4 ms, and file:// is rare

    host, slash, path = uri.removeprefix("file://").partition("/")
    if host not in ("", "localhost"):
        raise ValueError(
            f"{uri!r} names a file on the machine {host!r}; only local ones can be opened: "
            f"write three slashes, file:///{host}/{path}, if a local path was meant"
        )
    path = unquote(slash + path)
    return path[1:] if re.match(r"/[a-zA-Z]:", path) else path
