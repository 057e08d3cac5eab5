"""WACZ: a ZIP file with WARC files in the folder `archive/`. Extra `archive`."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.extras import import_extra
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.warc import read_warc_as


def read_wacz(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the records of all WARC files in it, each copied to a temporary file: reading needs random access."""
    import_extra("fastwarc.warc", "archive")
    with zipfile.ZipFile(name) as archive, tempfile.TemporaryDirectory(prefix="broadsheet-") as folder:
        members = [member for member in archive.namelist() if _is_warc(member)]
        if not members:
            raise InputError(f"{name} has no WARC file in its folder archive/")
        for member in members:
            copy = Path(folder) / "copy.warc"
            with archive.open(member) as packed, copy.open("wb") as file:
                shutil.copyfileobj(packed, file)
            yield from read_warc_as(str(copy), f"{name}/{member}", options)


def _is_warc(member: str) -> bool:
    return member.startswith("archive/") and member.lower().endswith((".warc", ".warc.gz"))
