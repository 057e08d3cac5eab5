"""The output in an object store: s3://, gs://, az://, through obstore (extra `remote`).

The objects have the names of the files of an output folder. A store cannot rename, and it has no locks, so:

- A part is written to the disk of the machine that makes it, and uploaded when it is complete. An upload is visible
  whole or not at all. Its name follows from its input, so that a second upload replaces the first one.
- Its entry in the manifest is created only if there is none (conditional create). Of two workers with the same input,
  one creates the entry; the other one finds it, and both have uploaded the same rows.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, TypeVar

from broadsheet.batch import sources
from broadsheet.batch.folder import BatchOutputError, OutputFolder, name_output_in_errors
from broadsheet.batch.manifest import FOLDER, Part, name_entry, read_entry, write_entry
from broadsheet.batch.sources import describe_fault, finish, is_remote, retry_steps
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra

_MAX_DELETED = 1_000  # in one request
_CONNECTIONS = 32  # at a time, for small files

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OutputStore:
    """A prefix of an object store, as an output."""

    name: str  # address, such as "s3://bucket/news"

    @property
    def drafts(self) -> Path:
        """Folder of parts in progress, on this machine. Other users have other folders."""
        user = os.getuid() if hasattr(os, "getuid") else ""
        digest = hashlib.sha256(self.name.rstrip("/").encode()).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"broadsheet-drafts-{user}-{digest}"

    def create(self) -> None:
        """Create the folder of drafts, and check that the store can be listed."""
        with name_output_in_errors(self):
            self._create_drafts()
        self.list_sizes(FOLDER)

    def _create_drafts(self) -> None:
        self.drafts.mkdir(mode=0o700, exist_ok=True)
        if hasattr(os, "getuid") and self.drafts.lstat().st_uid != os.getuid():
            raise BatchOutputError(f"{self.drafts} belongs to another user; set TMPDIR to a folder of your own")

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Do nothing: the entries of the manifest are created conditionally."""
        yield

    def sweep(self) -> int:
        """Remove drafts of processes of this machine that have ended, and return their number."""
        count = 0
        with name_output_in_errors(self):
            for path in self.drafts.iterdir():
                if not _is_running(path.name):
                    path.unlink(missing_ok=True)
                    count += 1
        return count

    def name_draft(self, file: str) -> Path:
        """Return a new temporary path for a part. It contains the number of this process, for `sweep`."""
        self._create_drafts()
        return self.drafts / f"{file}.{os.getpid()}-{os.urandom(4).hex()}"

    def publish(self, draft: Path, part: Part) -> Generator[None, None, None]:
        """Upload a complete draft, then create its entry. An older entry of the same input is removed first."""
        entry = name_entry(part.key)
        yield from self._try(partial(_delete, names=[entry]))
        yield from self._try(lambda store: _obstore().put(store, part.file, draft))
        if (yield from self._try(lambda store: _create(store, entry, write_entry(part).encode()))):
            return
        other = yield from self._try(lambda store: _read(store, entry))
        other_part = other and read_entry(other)
        if not other_part or (other_part.stamp, other_part.options) != (part.stamp, part.options):
            raise BatchOutputError(f"another run with other options or inputs writes to {self.name}; wait for it")

    def list_sizes(self, folder: str) -> dict[str, int]:
        """Return the sizes of the files in a folder of the output, by name; "" is the output itself."""
        listing = finish(self._try(lambda store: _obstore().list_with_delimiter(store, folder or None)))
        return {item["path"]: item["size"] for item in listing["objects"]}

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is none."""
        return finish(self._try(lambda store: _read(store, name)))

    def read_many(self, names: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield the names and contents of files, read in parallel."""
        with ThreadPoolExecutor(_CONNECTIONS) as pool:
            yield from pool.map(lambda name: (name, self.read(name)), names)

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        finish(self._try(lambda store: _obstore().put(store, name, data)))

    def delete(self, names: Iterable[str]) -> None:
        """Remove files, those that exist."""
        waiting = list(names)
        for start in range(0, len(waiting), _MAX_DELETED):
            finish(self._try(partial(_delete, names=waiting[start : start + _MAX_DELETED])))

    @contextlib.contextmanager
    def open_part(self, file: str) -> Iterator[IO[bytes]]:
        """Open a part for reading. Only the ranges that are read are fetched."""
        reader = finish(self._try(lambda store: _obstore().open_reader(store, file)))
        yield io.BufferedReader(_StoreReader(reader))

    def _try(self, call: Callable[[Any], T]) -> Generator[None, None, T]:
        """Call with the store until it answers. Raises BatchOutputError of one line."""
        store = _open_store(self.name)
        try:
            return (yield from retry_steps(lambda: call(store), self.name))
        except (OSError, _obstore().exceptions.BaseError) as error:
            raise BatchOutputError(
                f"cannot use {self.name}: {describe_fault(error)}; check the address and the credentials, and run the "
                "same command again to continue"
            ) from error


def _delete(store: Any, names: list[str]) -> None:
    try:
        _obstore().delete(store, names)
    except FileNotFoundError:  # of some stores
        for name in names if len(names) > 1 else ():
            _delete(store, [name])


def _read(store: Any, path: str) -> bytes | None:
    try:
        return bytes(_obstore().get(store, path).bytes())
    except FileNotFoundError:
        return None


def _create(store: Any, path: str, data: bytes) -> bool:
    """Create an object. Return False if it exists."""
    obstore = _obstore()
    try:
        obstore.put(store, path, data, mode="create")
    except obstore.exceptions.AlreadyExistsError:
        return False
    return True


class _StoreReader(io.RawIOBase):
    """A reader of obstore as a file object."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._reader.seek(offset, whence))

    def tell(self) -> int:
        return int(self._reader.tell())

    def readinto(self, buffer: Any) -> int:
        data = self._reader.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _obstore() -> Any:
    return import_extra("obstore", "remote")


@cache
def _open_store(address: str) -> Any:
    """Open a store. Keys and endpoints come from the environment, such as AWS_ACCESS_KEY_ID and AWS_ENDPOINT_URL."""
    obstore = _obstore()
    stores = import_extra("obstore.store", "remote")
    try:
        options: dict[str, Any] = {"retry_config": sources.CLIENT_RETRIES}
        if address.startswith(("file:", "memory:")):
            options = {"mkdir": True} if address.startswith("file:") else {}
        return stores.from_url(address, **options)
    except (ValueError, obstore.exceptions.BaseError) as error:
        reason = next(iter(str(error).splitlines()), "")
        raise UsageError(f"cannot open the output {address}: {reason}") from error


def _is_running(draft: str) -> bool:
    """Return whether the process that a draft names is running on this machine."""
    number = draft.rpartition(".")[2].partition("-")[0]
    if not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


Output = OutputFolder | OutputStore


def open_output(name: str) -> Output:
    """Return the output of a path or an address."""
    return OutputStore(name) if is_remote(name) else OutputFolder(Path(name))
