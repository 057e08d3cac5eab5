"""The inputs of a batch: files, patterns, folders; in object stores and on the web with fsspec (extra `remote`).

Object stores (s3://, gs://, ...) are opened with obstore, or with the package that fsspec has for them (s3fs, gcsfs,
adlfs).

A file is copied to the disk of the machine that processes it: readers need random access, and a connection that breaks
must not look like the end of a file.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from broadsheet.errors import InputError
from broadsheet.extras import import_extra
from broadsheet.inputs import Kind, detect_kind, find_page_kind

PAGES_PER_UNIT = 1_000  # single pages of a folder that are one unit of work
_KEY_DIGITS = 20
_UNSAFE_CHARS = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_STEM_CHARS = 80


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a unit of work."""

    name: str  # as the user wrote it; `source_file` of its rows
    path: str  # absolute path or address
    stamp: str  # changes when the content does
    size: int  # bytes
    kind: Kind | None = None  # None: found when the file is there
    pages: tuple[str, ...] = ()  # of a folder: the files of its pages, relative to it

    @property
    def key(self) -> str:
        """Hash of the location: the same input has the same key, however it was written."""
        return hashlib.sha256(self.path.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_DIGITS]

    @property
    def part_file(self) -> str:
        """Name of its part."""
        stem = _UNSAFE_CHARS.sub("_", re.split(r"[\\/]", self.name.rstrip("/\\"))[-1]).strip("._") or "pages"
        return f"{stem[:_MAX_STEM_CHARS]}-{self.key}.parquet"


@dataclass(frozen=True, slots=True)
class SourceList:
    """The inputs that the arguments name."""

    sources: tuple[Source, ...]
    problems: tuple[str, ...] = ()  # arguments without an input


def find_sources(arguments: Sequence[str]) -> SourceList:
    """List the inputs of the arguments, each once, in order."""
    sources: dict[str, Source] = {}
    problems: list[str] = []
    for argument in arguments:
        matches = list(_find(argument))
        if not matches:
            is_folder = os.path.isdir(argument)  # noqa: PTH112 - the name as the user wrote it
            problems.append(
                f"no pages in {argument}; looked for HTML pages, MHTML, WARC and WACZ files"
                if is_folder
                else f"no input matches {argument}; check the name"
            )
        for match in matches:
            if isinstance(match, Source):
                sources.setdefault(match.key, match)
            else:
                problems.append(match)
    return SourceList(tuple(sources.values()), tuple(problems))


def _find(argument: str) -> Iterator[Source | str]:
    """Yield the inputs of an argument; for one that cannot be read, the reason."""
    if is_remote(argument):
        for found in find_remote(argument):
            yield Source(found.address, found.address, found.stamp, found.size)
    elif os.path.isdir(argument):  # noqa: PTH112 - the name as the user wrote it
        yield from _walk(argument)
    else:
        names = [argument] if os.path.exists(argument) else sorted(glob.glob(argument, recursive=True))  # noqa: PTH110, PTH207
        for name in names:
            if os.path.isdir(name):  # noqa: PTH112
                yield from _walk(name)
            else:
                yield _make_source(name)


def _walk(folder: str) -> Iterator[Source | str]:
    """Yield the archives below a folder, and its single pages in groups."""
    pages: list[str] = []
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            full = os.path.join(path, name)  # noqa: PTH118
            kind = find_page_kind(full)
            if kind in (Kind.PAGE, Kind.MHTML):
                pages.append(os.path.relpath(full, folder))
            elif kind is not None:
                yield _make_source(full, kind)
    for start in range(0, len(pages), PAGES_PER_UNIT):
        yield _group_pages(folder, start // PAGES_PER_UNIT, pages[start : start + PAGES_PER_UNIT])


def _make_source(name: str, kind: Kind | None = None) -> Source | str:
    try:
        status = Path(name).stat()
        kind = kind or detect_kind(name)
    except OSError as error:  # a broken symbolic link, or a file that may not be read
        return f"cannot read {name}: {(error.strerror or str(error)).lower()}"
    return Source(name, str(Path(name).resolve()), f"{status.st_size}-{status.st_mtime_ns}", status.st_size, kind)


def _group_pages(folder: str, number: int, pages: list[str]) -> Source:
    digest = hashlib.sha256()
    size = 0
    for page in pages:
        try:
            status = (Path(folder) / page).stat()
            size += status.st_size
            mark = f"{page}\0{status.st_size}\0{status.st_mtime_ns}\n"
        except OSError:  # a broken symbolic link: a failed row
            mark = f"{page}\n"
        digest.update(mark.encode("utf-8", "surrogatepass"))
    path = f"{Path(folder).resolve()}#{number}"
    name = f"{folder.rstrip('/')}#{number}"
    return Source(name, path, digest.hexdigest()[:_KEY_DIGITS], size, Kind.PAGE, tuple(pages))


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
