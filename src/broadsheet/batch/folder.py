"""The output folder. It can be read as a dataset at any time: everything but the parts is under names with "_".

out/<name>-<key>.parquet   one part for each unit of work
out/_manifest/             what is done: see manifest.py
out/_reports/              report.json, report.html, metrics.prom
out/_duplicates/           the answer of `broadsheet duplicates`
out/_tmp/                  parts in progress; removed at the next start
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from broadsheet.atomic import write_atomically
from broadsheet.batch import manifest
from broadsheet.batch.manifest import Part, name_entry, write_entry
from broadsheet.batch.sources import Source
from broadsheet.errors import BroadsheetError, UsageError

REPORTS, DUPLICATES = "_reports", "_duplicates"


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that has no part: the next run tries it again."""

    source: Source
    reason: str
    is_fatal: bool = False  # the other inputs would fail too: the output cannot be written
    is_misfit: bool = False  # a piece of a file that does not end where a record begins


Outcome = Part | Failure


try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class BatchOutputError(BroadsheetError):
    """A part or an entry of the manifest could not be written."""


class NamedOutput(Protocol):
    """An output with a name for messages."""

    @property
    def name(self) -> str:
        """Path or address."""
        ...


@contextlib.contextmanager
def name_output_in_errors(output: NamedOutput) -> Iterator[None]:
    """Turn an OSError of the output into a BatchOutputError."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        hint = "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "check the folder"
        message = f"cannot write to {output.name}: {reason}; {hint}, and run the same command again to continue"
        raise BatchOutputError(message) from error


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """A folder as an output. Files in it have names such as "_manifest/options.json"."""

    root: Path

    @property
    def name(self) -> str:
        """The folder, for messages."""
        return str(self.root)

    @property
    def drafts(self) -> Path:
        """Folder of parts in progress."""
        return self.root / "_tmp"

    def create(self) -> None:
        """Create the folders that are missing."""
        with name_output_in_errors(self):
            for folder in (self.root, self.drafts, self.root / manifest.FOLDER):
                folder.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for this run. The system releases it when the process ends. Raises UsageError."""
        with name_output_in_errors(self):
            lock_file = (self.root / manifest.FOLDER / "lock").open("w")
        with lock_file as file:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    raise UsageError(f"another run writes to {self.root}; wait for it, or write elsewhere") from error
            yield

    def sweep(self) -> int:
        """Remove drafts of runs that were interrupted, and return their number. Needs the lock."""
        count = 0
        with name_output_in_errors(self):
            for path in self.drafts.iterdir():
                count += 1
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            for path in (self.root / manifest.FOLDER).glob(".*.part"):  # entries in progress
                path.unlink()
        return count

    def name_draft(self, file: str) -> Path:
        """Return a new temporary path for a part."""
        return self.drafts / f"{file}.{os.getpid()}-{os.urandom(4).hex()}"

    def publish(self, draft: Path, part: Part) -> Generator[None, None, None]:
        """Rename a complete draft to its part, then write its entry.

        An older entry of the same input is removed first, so that it never describes the new part.
        """
        entry = self.root / name_entry(part.key)
        entry.unlink(missing_ok=True)
        draft.replace(self.root / part.file)
        _flush_folder(self.root)
        with write_atomically(entry) as file:
            file.write(write_entry(part))
        _flush_folder(entry.parent)
        yield from ()

    def list_sizes(self, folder: str) -> dict[str, int]:
        """Return the sizes of the files in a folder of the output, by name; "" is the output itself."""
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(self.root / folder) as items:
                return {f"{prefix}{item.name}": item.stat().st_size for item in items if item.is_file()}
        except OSError:
            return {}

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is none. Raises UsageError."""
        try:
            return (self.root / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"cannot read {self.root / name}: {error}; write to another folder") from error

    def read_many(self, names: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield the names and contents of files."""
        return ((name, self.read(name)) for name in names)

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        with name_output_in_errors(self):
            (self.root / name).parent.mkdir(exist_ok=True)
            with write_atomically(self.root / name, "wb") as file:
                file.write(data)

    def delete(self, names: Iterable[str]) -> None:
        """Remove files."""
        with name_output_in_errors(self):
            for name in names:
                (self.root / name).unlink(missing_ok=True)

    @contextlib.contextmanager
    def open_part(self, file: str) -> Iterator[IO[bytes]]:
        """Open a part for reading."""
        with (self.root / file).open("rb") as opened:
            yield opened


def _flush_folder(path: Path) -> None:
    """Write a rename to disk. Not on Windows, where folders cannot be opened."""
    with contextlib.suppress(PermissionError):
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
