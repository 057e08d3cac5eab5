"""Where a batch writes: a folder, or a prefix of an object store."""

from __future__ import annotations

from pathlib import Path

from broadsheet.batch.folder import OutputFolder
from broadsheet.batch.remote import is_remote
from broadsheet.batch.store import OutputStore

Output = OutputFolder | OutputStore


def open_output(name: str) -> Output:
    """Return the output of a path or an address."""
    return OutputStore(name) if is_remote(name) else OutputFolder(Path(name))
