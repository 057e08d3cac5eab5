"""The output folder: parts, the manifest, and temporary files.

    out/<name>-<key>.parquet      one part for each input
    out/_manifest/<key>.json      one entry for each part, written after it
    out/_manifest/options.json    the options of the run
    out/_tmp/                     parts in progress; removed at the next start
    out/report.json, report.html  written at the end of a run

An input is done if its entry, its options and its part agree.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import IO, Protocol

from broadsheet.atomic import write_atomically
from broadsheet.batch.sources import Source
from broadsheet.errors import BroadsheetError, UsageError

ENTRY_VERSION = 1
_KEY = re.compile(r"[0-9a-f]{1,64}")
_PART_NAME = re.compile(r"[^/\\\0.][^/\\\0]*\.parquet")


@dataclass(frozen=True, slots=True)
class Part:
    """The output of one input file, and the entry of the manifest."""

    source: str  # name of the input, as the user wrote it
    key: str  # hash of its location
    stamp: str  # size and time of change, or the etag: tells whether the input has changed
    options: str  # hash of the options
    file: str  # name of the Parquet file in the output folder
    file_bytes: int
    rows: int
    statuses: Mapping[str, int] = field(default_factory=dict)  # rows by status
    skipped: Mapping[str, int] = field(default_factory=dict)  # records that are not pages, by reason
    dropped: Mapping[str, int] = field(default_factory=dict)  # pages that a filter or the sample left out, by reason
    fault: str = ""  # what was wrong with the file; its readable pages are rows anyway
    input_bytes: int = 0
    seconds: float = 0.0  # elapsed
    cpu_seconds: float = 0.0
    version: int = ENTRY_VERSION


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that has no part: the next run tries it again."""

    source: Source
    reason: str
    is_fatal: bool = False  # the other inputs would fail too: the output cannot be written


Outcome = Part | Failure


def write_entry(part: Part) -> str:
    """Return a part as JSON."""
    return json.dumps(asdict(part), ensure_ascii=False, indent=1) + "\n"


def read_entry(text: str) -> Part | None:
    """Return the part of an entry; None if it is damaged, of another version, or not one that `batch` writes."""
    try:
        values = json.loads(text)
        if values["version"] != ENTRY_VERSION:
            return None
        part = Part(**{item.name: values[item.name] for item in fields(Part)})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return part if _has_valid_values(part) else None


def _has_valid_values(part: Part) -> bool:
    """Check the types, and that key and file are plain names: parts are removed by their names."""
    texts = (part.source, part.key, part.stamp, part.options, part.file, part.fault)
    numbers = (part.file_bytes, part.rows, part.input_bytes, part.seconds, part.cpu_seconds)
    counts = (part.statuses, part.skipped, part.dropped)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(number, int | float) and number >= 0 for number in numbers)
        and all(isinstance(count, dict) and all(isinstance(n, int) for n in count.values()) for count in counts)
        and _KEY.fullmatch(part.key) is not None
        and _PART_NAME.fullmatch(part.file) is not None
    )


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
    """Paths in the output folder, and what is done there."""

    root: Path

    @property
    def name(self) -> str:
        """The folder, for messages."""
        return str(self.root)

    @property
    def drafts(self) -> Path:
        """Folder of parts in progress."""
        return self.root / "_tmp"

    @property
    def manifest(self) -> Path:
        """Folder of the entries."""
        return self.root / "_manifest"

    @property
    def options_file(self) -> Path:
        """The options of the run."""
        return self.manifest / "options.json"

    def entry_file(self, key: str) -> Path:
        """Path of an entry of the manifest."""
        return self.manifest / f"{key}.json"

    def create(self) -> None:
        """Create the folders that are missing."""
        with name_output_in_errors(self):
            for folder in (self.root, self.drafts, self.manifest):
                folder.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for this run. The system releases it when the process ends. Raises UsageError."""
        with name_output_in_errors(self):
            lock_file = (self.manifest / "lock").open("w")
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
            for path in self.manifest.glob(".*.part"):  # entries in progress
                path.unlink()
        return count

    def name_draft(self, file: str) -> Path:
        """Return a new temporary path for a part."""
        return self.drafts / f"{file}.{os.getpid()}-{os.urandom(4).hex()}"

    def publish(self, draft: Path, part: Part) -> None:
        """Rename a complete draft to its part, then write its entry.

        An older entry of the same input is removed first, so that it never describes the new part.
        """
        entry = self.entry_file(part.key)
        entry.unlink(missing_ok=True)
        draft.replace(self.root / part.file)
        _flush_folder(self.root)
        with write_atomically(entry) as file:
            file.write(write_entry(part))
        _flush_folder(self.manifest)

    def read_entries(self) -> Iterator[Part]:
        """Yield the readable entries of the manifest, by name."""
        for path in sorted(self.manifest.glob("*.json")):
            if path != self.options_file and (part := self.read_entry(path.stem)):
                yield part

    def read_entry(self, key: str) -> Part | None:
        """Return the entry of an input, if there is one and its part is there, complete."""
        try:
            part = read_entry(self.entry_file(key).read_text("utf-8"))
            is_complete = (
                part is not None and part.key == key and (self.root / part.file).stat().st_size == part.file_bytes
            )
        except (OSError, UnicodeDecodeError):
            return None
        return part if is_complete else None

    def read_options(self) -> str | None:
        """Return the stored options; None if there are none. Raises UsageError."""
        try:
            return self.options_file.read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read {self.options_file}: {error}; write to another folder") from error

    def write_options(self, text: str) -> None:
        """Store the options."""
        with name_output_in_errors(self), write_atomically(self.options_file) as file:
            file.write(text)

    def write_text(self, name: str, text: str) -> None:
        """Write a file of the output, such as "report.json"."""
        with name_output_in_errors(self), write_atomically(self.root / name) as file:
            file.write(text)

    @contextlib.contextmanager
    def open_part(self, part: Part) -> Iterator[IO[bytes]]:
        """Open a part for reading."""
        with (self.root / part.file).open("rb") as file:
            yield file

    def remove(self, part: Part) -> None:
        """Remove a part and its entry."""
        self.entry_file(part.key).unlink(missing_ok=True)
        (self.root / part.file).unlink(missing_ok=True)


def _flush_folder(path: Path) -> None:
    """Write a rename to disk. Not on Windows, where folders cannot be opened."""
    with contextlib.suppress(PermissionError):
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
