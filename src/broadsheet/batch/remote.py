"""Inputs in object stores and on the web, opened with fsspec (extra `remote`): s3://, gs://, https://, ...

Object stores are opened with obstore, or with the package that fsspec has for them (s3fs, gcsfs, adlfs).

A file is copied to the disk of the machine that processes it: readers need random access, and a connection that breaks
must not look like the end of a file.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from broadsheet.errors import InputError
from broadsheet.extras import import_extra

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_PIECE_BYTES = 4_000_000
_STORE_PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}
_MAGIC = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file in a store."""

    address: str
    stamp: str  # etag, version or time of change, with the size
    size: int  # bytes; 0 if the store does not tell


def is_remote(name: str) -> bool:
    """Return whether a name has a scheme."""
    return _SCHEME.match(name) is not None


def find_remote(address: str) -> list[RemoteFile]:
    """List the files of an address or pattern. Raises InputError."""
    system, path = _open_system(address)
    try:
        paths = sorted(system.glob(path)) if _MAGIC.search(address) and not address.startswith("http") else [path]
        return [_describe(system, path) for path in paths]
    except FileNotFoundError:
        return []
    except Exception as error:  # stores raise errors of their own
        raise InputError(f"cannot list {address}: {error}") from error


def copy_remote(address: str, target: Path) -> Iterator[int]:
    """Copy a file, and yield after each piece. Raises InputError, for example if the copy is shorter than announced."""
    count = 0
    with target.open("wb") as local, closing(_read_pieces(address)) as pieces:
        for piece in pieces:
            local.write(piece)  # an error of the local disk stays an OSError
            count += len(piece)
            yield count


def _read_pieces(address: str) -> Generator[bytes, None, None]:
    system, path = _open_system(address)
    count = 0
    try:
        size = _describe(system, path).size
        with system.open(path, "rb") as remote:
            while piece := remote.read(_PIECE_BYTES):
                count += len(piece)
                yield piece
    except Exception as error:  # stores raise errors of their own
        raise InputError(f"cannot read {address}: {error}") from error
    if size and count != size:
        raise InputError(f"cannot read {address}: {count:,} of {size:,} bytes came")


def _open_system(address: str) -> tuple[Any, str]:
    fsspec = import_extra("fsspec", "remote")
    _use_obstore(fsspec, address.partition("://")[0].lower())
    try:
        system, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:  # no package for this scheme
        raise InputError(f"cannot open {address}: {error}") from error
    return system, path


def _use_obstore(fsspec: Any, scheme: str) -> None:
    """Let fsspec open a store with obstore, unless the package that fsspec itself has for it is installed."""
    if scheme not in _STORE_PACKAGES or find_spec(_STORE_PACKAGES[scheme]) or find_spec("obstore") is None:
        return
    if scheme not in fsspec.registry:
        import_extra("obstore.fsspec", "remote").register(scheme)


def _describe(system: Any, path: str) -> RemoteFile:
    info = system.info(path)
    size = int(info.get("size") or 0)
    names = ("ETag", "etag", "e_tag", "LastModified", "last_modified", "mtime", "updated")
    mark = next((str(info[name]) for name in names if info.get(name)), "")
    return RemoteFile(system.unstrip_protocol(path), f"{size}-{mark}", size)
