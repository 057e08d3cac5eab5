"""The inputs of a batch: files, patterns, folders; in object stores and on the web with fsspec (extra `remote`).

Object stores (s3://, gs://, ...) are opened with obstore, or with the package that fsspec has for them (s3fs, gcsfs,
adlfs).

A file is copied to the disk of the machine that processes it: readers need random access, and a connection that breaks
must not look like the end of a file.
"""

from __future__ import annotations

import glob
import hashlib
import logging
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from broadsheet.errors import BroadsheetError, InputError
from broadsheet.extras import import_extra
from broadsheet.inputs import Kind, detect_kind, find_page_kind
from broadsheet.inputs.kinds import drop_saved_parts, is_container_name

T = TypeVar("T")

PAGES_PER_UNIT = 1_000  # single pages of a folder that are one unit of work
_KEY_DIGITS = 20
_UNSAFE_CHARS = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_STEM_CHARS = 80


class InputUnavailable(BroadsheetError):
    """An input cannot be opened or copied now. It is not done: the next run tries it again."""


@dataclass(frozen=True, slots=True)
class Source:
    """A unit of work: an input, a piece of it, or pages of a folder."""

    name: str  # as the user wrote it; `source_file` of its rows
    path: str  # absolute path or address
    stamp: str  # changes when the content does
    size: int  # bytes
    kind: Kind | None = None  # None: found when the file is there
    pages: tuple[str, ...] = ()  # of a folder: the files of its pages, relative to it
    start: int = 0  # of a piece: the records that begin from here on
    end: int = 0  # and before this byte; 0: the whole file
    records: bytes = b""  # of a selection: offsets and lengths of records, as numbers of 64 bits

    @property
    def key(self) -> str:
        """Hash of the location: the same input has the same key, however it was written."""
        mark = f"#{self.start}-{self.end}" if self.end else "#records" if self.records else ""
        return hash_place(f"{self.path}{mark}")

    @property
    def origin(self) -> str:
        """Key of the whole input, if this is a piece of it."""
        if self.pages:
            return hash_place(self.path.rpartition("#")[0])
        return hash_place(self.path) if self.end else ""

    @property
    def part_file(self) -> str:
        """Name of its part."""
        stem = _UNSAFE_CHARS.sub("_", re.split(r"[\\/]", self.name.rstrip("/\\"))[-1]).strip("._") or "pages"
        place = f"-{self.start:013d}" if self.end else ""  # the parts of a file have the order of its pieces
        return f"{stem[:_MAX_STEM_CHARS]}{place}-{self.key}.parquet"


def hash_place(path: str) -> str:
    """Return the key of a path or address."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_DIGITS]


@dataclass(frozen=True, slots=True)
class SourceList:
    """The inputs that the arguments name."""

    sources: tuple[Source, ...]
    problems: tuple[str, ...] = ()  # what could not be read, or was left out though it may have pages
    unread: Mapping[str, int] = field(default_factory=dict)  # files of folders that are not pages, by ending


def find_sources(arguments: Sequence[str]) -> SourceList:
    """List the inputs of the arguments, each once, in order."""
    sources: dict[str, Source] = {}
    problems: list[str] = []
    unread: Counter[str] = Counter()
    for argument in arguments:
        count = len(problems)
        matches = [match for match in _find(argument, problems, unread) if match is not None]
        if not matches and len(problems) == count:
            is_folder = os.path.isdir(argument)  # noqa: PTH112 - the name as the user wrote it
            problems.append(
                f"no pages in {argument}; looked for HTML pages, MHTML, ARC, WARC and WACZ files"
                if is_folder
                else f"no input matches {argument}; check the name"
            )
        for match in matches:
            sources.setdefault(match.key, match)
    return SourceList(tuple(sources.values()), tuple(problems), dict(unread.most_common()))


def _find(argument: str, problems: list[str], unread: Counter[str]) -> Iterator[Source | None]:
    """Yield the inputs of an argument. Adds to `problems` what cannot be read, and why."""
    if is_remote(argument):
        for found in find_remote(argument):
            yield Source(found.address, found.address, found.stamp, found.size)
    elif os.path.isdir(argument):  # noqa: PTH112 - the name as the user wrote it
        yield from _walk(argument, problems, unread)
    else:
        names = [argument] if os.path.exists(argument) else sorted(glob.glob(argument, recursive=True))  # noqa: PTH110, PTH207
        for name in names:
            if os.path.isdir(name):  # noqa: PTH112
                yield from _walk(name, problems, unread)
            else:
                yield _make_source(name, problems)


def _walk(folder: str, problems: list[str], unread: Counter[str]) -> Iterator[Source | None]:
    """Yield the archives below a folder, and its single pages in groups."""
    pages: list[str] = []
    left_out: Counter[str] = Counter()  # files that may have pages
    for path, folders, names in os.walk(folder, onerror=lambda error: problems.append(_describe(error))):
        folders.sort()
        drop_saved_parts(folders, names)
        problems.extend(
            f"{link} is a link to a folder; name it to read it"
            for name in folders
            if os.path.islink(link := os.path.join(path, name))  # noqa: PTH114, PTH118
        )
        for name in sorted(names):
            full = os.path.join(path, name)  # noqa: PTH118
            kind = find_page_kind(full)
            if kind in (Kind.PAGE, Kind.MHTML):
                pages.append(os.path.relpath(full, folder))
            elif kind is not None:
                yield _make_source(full, problems, kind)
            else:
                (left_out if is_container_name(name) else unread)[_find_ending(name)] += 1
    if left_out:
        shown = ", ".join(f"{count:,} {ending}" for ending, count in left_out.most_common())
        problems.append(f"{folder}: files that may contain pages were not read ({shown}); name them to read them")
        unread.update(left_out)
    for start in range(0, len(pages), PAGES_PER_UNIT):
        yield _group_pages(folder, start // PAGES_PER_UNIT, pages[start : start + PAGES_PER_UNIT])


def _find_ending(name: str) -> str:
    ending = Path(name.lower().removesuffix(".gz")).suffix
    return (ending or "no ending") + (".gz" if name.lower().endswith(".gz") else "")


def _describe(error: OSError) -> str:
    return f"cannot read {error.filename}: {(error.strerror or str(error)).lower()}"


def _make_source(name: str, problems: list[str], kind: Kind | None = None) -> Source | None:
    try:
        status = Path(name).stat()
        kind = kind or detect_kind(name)
    except OSError as error:  # a broken symbolic link, or a file that may not be read
        problems.append(f"cannot read {name}: {(error.strerror or str(error)).lower()}")
        return None
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
    """List the files of an address or pattern. Sizes and times come with the listing. Raises InputError."""
    system, path = open_system(address)
    try:
        if _MAGIC.search(address) and not address.startswith("http"):
            listing = finish(retry_steps(lambda: system.glob(path, detail=True), address))
        else:
            listing = {path: finish(retry_steps(lambda: system.info(path), address))}
    except FileNotFoundError:
        return []
    except Exception as error:  # stores raise errors of their own
        raise InputError(f"cannot list {address}: {describe_fault(error)}") from error
    return [_make_remote(system, name, listing[name]) for name in sorted(listing)]


def copy_remote(address: str, target: Path) -> Iterator[int]:
    """Copy a file, and yield after each piece and while waiting for the store. Raises InputUnavailable."""
    count = 0
    with target.open("wb") as local, closing(read_pieces(address)) as pieces:
        for piece in pieces:
            local.write(piece)  # an error of the local disk stays an OSError
            count += len(piece)
            yield count


def read_pieces(address: str) -> Generator[bytes, None, None]:
    """Yield a remote file in pieces; b"" while waiting. After a fault, reading goes on where it ended."""
    system, path = open_system(address)
    waits, file, position = Waits(address), None, 0
    while True:
        try:
            now = _make_remote(system, path, system.info(path))
            if file is not None and now != file:
                raise InputUnavailable(f"cannot read {address}: it changed while it was read")
            file = now
            with system.open(path, "rb") as remote:
                remote.seek(position)
                while piece := remote.read(_PIECE_BYTES):
                    position += len(piece)
                    waits = Waits(address)
                    yield piece
            if not file.size or position >= file.size:
                return
            fault: Exception = OSError(f"{position:,} of {file.size:,} bytes came")
        except InputUnavailable:
            raise
        except Exception as error:
            fault = error
        try:
            for _ in waits.wait(fault):
                yield b""
        except Exception as error:
            raise InputUnavailable(f"cannot read {address}: {describe_fault(error)}") from error


def open_system(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and its path there. Raises InputError."""
    fsspec = import_extra("fsspec", "remote")
    # A new instance has no listings of an earlier run in this process.
    options: dict[str, Any] = {"skip_instance_cache": True}
    if _is_read_with_obstore(fsspec, address.partition("://")[0].lower()):
        options["retry_config"] = CLIENT_RETRIES
    try:
        system, path = fsspec.core.url_to_fs(address, **options)
    except (ImportError, ValueError) as error:  # no package for this scheme
        raise InputError(f"cannot open {address}: {error}") from error
    return system, path


def _is_read_with_obstore(fsspec: Any, scheme: str) -> bool:
    """Let fsspec open a store with obstore, unless the package that fsspec itself has for it is installed."""
    if scheme not in _STORE_PACKAGES or find_spec(_STORE_PACKAGES[scheme]) or find_spec("obstore") is None:
        return False
    if scheme not in fsspec.registry:
        import_extra("obstore.fsspec", "remote").register(scheme)
    return True


def _make_remote(system: Any, path: str, info: Mapping[str, Any]) -> RemoteFile:
    size = int(info.get("size") or 0)
    names = ("ETag", "etag", "e_tag", "LastModified", "last_modified", "mtime", "updated")
    mark = next((str(info[name]) for name in names if info.get(name)), "")
    return RemoteFile(system.unstrip_protocol(path), f"{size}-{mark}", size)


# Faults of stores. Those that pass are waited for, with waits that grow to a minute; the others are raised at once.
PATIENCE_SECONDS = 600.0  # without an answer other than a fault
FIRST_WAIT_SECONDS = 0.5
_MAX_WAIT_SECONDS = 60.0
# The client of a store gives up soon, because it waits without a sign of life. Longer waits are those of this module.
CLIENT_RETRIES = {"max_retries": 2, "retry_timeout": timedelta(seconds=20)}
_NOTED_WAIT_SECONDS = 4.0  # shorter waits are not logged
_STEP_SECONDS = 1.0  # between two signs of life

_ERROR_STATUS = re.compile(r"\bstatus(?: code)?:? ([45]\d\d)\b")
_PASSING_STATUSES = frozenset((408, 425, 429))  # of the client errors
# By name: the packages of stores are optional.
_PERMANENT = frozenset(
    "AlreadyExistsError InvalidPathError NotFoundError NotModifiedError NotSupportedError PermissionDeniedError "
    "PreconditionError UnauthenticatedError UnknownConfigurationKeyError".split()
)
_PERMANENT_TYPES = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, ArithmeticError)
_PROGRAM_TYPES = (AttributeError, ImportError, LookupError, NotImplementedError, TypeError, ValueError)
_log = logging.getLogger("broadsheet.batch")


def is_passing(error: Exception) -> bool:
    """Return whether an error of a store may be gone after a while."""
    if isinstance(error, _PERMANENT_TYPES) or type(error).__name__ in _PERMANENT:
        return False
    match = _ERROR_STATUS.search(str(error))
    status = getattr(error, "status", None) or (int(match[1]) if match else None)
    if isinstance(status, int) and 400 <= status < 600:
        return status >= 500 or status in _PASSING_STATUSES
    return not isinstance(error, _PROGRAM_TYPES)


class Waits:
    """The waits of one request: each one twice as long as the one before."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._wait = FIRST_WAIT_SECONDS
        self._waited = 0.0

    def wait(self, error: Exception) -> Iterator[None]:
        """Wait, and yield as a sign of life. Raises the error if it does not pass, or was waited for long enough."""
        if not is_passing(error) or self._waited >= PATIENCE_SECONDS:
            raise error
        if self._wait >= _NOTED_WAIT_SECONDS:
            _log.warning("%s: %s; trying again in %.0f seconds", self._name, describe_fault(error), self._wait)
        deadline = time.monotonic() + self._wait
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, _STEP_SECONDS))
            yield None
        self._waited += self._wait
        self._wait = min(2 * self._wait, _MAX_WAIT_SECONDS)


def retry_steps(call: Callable[[], T], name: str) -> Generator[None, None, T]:
    """Call until there is an answer. Yield as a sign of life while waiting."""
    waits = Waits(name)
    while True:
        try:
            return call()
        except Exception as error:
            fault = error
        yield from waits.wait(fault)


def finish(steps: Generator[None, None, T]) -> T:
    """Run steps to their end, and return their result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def describe_fault(error: Exception) -> str:
    """Return the first line of an error."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
