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
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from broadsheet.batch.folder import BatchOutputError, OutputFolder, Part, name_output_in_errors, read_entry, write_entry
from broadsheet.batch.sources import is_remote
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra

_MANIFEST, _OPTIONS = "_manifest", "_manifest/options.json"


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
        next(self._list(_MANIFEST), None)

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

    def publish(self, draft: Path, part: Part) -> None:
        """Upload a complete draft, then create its entry. An older entry of the same input is removed first."""
        entry = f"{_MANIFEST}/{part.key}.json"
        self._delete(entry)
        with self._name_in_errors():
            _obstore().put(self._open(), part.file, draft)
        if not self._create(entry, write_entry(part)):
            other = self._read(entry)
            other_part = other and read_entry(other.decode("utf-8", "replace"))
            if not other_part or (other_part.stamp, other_part.options) != (part.stamp, part.options):
                raise BatchOutputError(f"another run with other options or inputs writes to {self.name}; wait for it")

    def read_entries(self) -> Iterator[Part]:
        """Yield the readable entries of the manifest whose parts are there, by name."""
        sizes = {item["path"]: item["size"] for item in self._list(None)}
        for path in sorted(item["path"] for item in self._list(_MANIFEST)):
            if path == _OPTIONS or not (content := self._read(path)):
                continue
            part = read_entry(content.decode("utf-8", "replace"))
            if part is not None and sizes.get(part.file) == part.file_bytes:
                yield part

    def remove(self, part: Part) -> None:
        """Remove a part and its entry."""
        self._delete(f"{_MANIFEST}/{part.key}.json")
        self._delete(part.file)

    def read_options(self) -> str | None:
        """Return the stored options; None if there are none."""
        content = self._read(_OPTIONS)
        return None if content is None else content.decode("utf-8", "replace")

    def write_options(self, text: str) -> None:
        """Store the options."""
        self.write_text(_OPTIONS, text)

    def write_text(self, name: str, text: str) -> None:
        """Write a file of the output, such as "report.json"."""
        with self._name_in_errors():
            _obstore().put(self._open(), name, text.encode("utf-8", "surrogatepass"))

    @contextlib.contextmanager
    def open_part(self, part: Part) -> Iterator[IO[bytes]]:
        """Open a part for reading. Only the ranges that are read are fetched."""
        with self._name_in_errors():
            reader = _obstore().open_reader(self._open(), part.file)
        yield io.BufferedReader(_StoreReader(reader))

    def _open(self) -> Any:
        return _open_store(self.name)

    def _list(self, prefix: str | None) -> Iterator[dict[str, Any]]:
        with self._name_in_errors():
            for items in _obstore().list(self._open(), prefix):
                yield from items

    def _read(self, path: str) -> bytes | None:
        with self._name_in_errors(), contextlib.suppress(FileNotFoundError):
            return bytes(_obstore().get(self._open(), path).bytes())
        return None

    def _create(self, path: str, text: str) -> bool:
        """Create an object. Return False if it exists."""
        obstore = _obstore()
        with self._name_in_errors():
            try:
                obstore.put(self._open(), path, text.encode("utf-8", "surrogatepass"), mode="create")
            except obstore.exceptions.AlreadyExistsError:
                return False
        return True

    def _delete(self, path: str) -> None:
        with self._name_in_errors(), contextlib.suppress(FileNotFoundError):
            _obstore().delete(self._open(), path)

    @contextlib.contextmanager
    def _name_in_errors(self) -> Iterator[None]:
        """Turn errors of the store into a BatchOutputError of one line."""
        try:
            yield
        except (OSError, _obstore().exceptions.BaseError) as error:
            reason = next(iter(str(error).splitlines()), "") or type(error).__name__
            raise BatchOutputError(
                f"cannot use {self.name}: {reason}; check the address and the credentials, and run the same command "
                "again to continue"
            ) from error


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
