"""WACZ: a ZIP file with WARC files in the folder `archive/`. Extra `archive`."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.extras import import_extra
from broadsheet.inputs.explain import explain_error
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
            copy, place = Path(folder) / "copy.warc", f"{name}/{member}"
            try:
                with archive.open(member) as packed, copy.open("wb") as file:
                    shutil.copyfileobj(packed, file)
                yield from read_warc_as(str(copy), place, options)
            except InputError as error:  # the other files may have pages
                if len(members) == 1:
                    raise
                yield Capture(source_file=place, fault=str(error))
            except (zipfile.BadZipFile, RuntimeError, EOFError, zlib.error, NotImplementedError) as error:
                yield Capture(source_file=place, fault=f"cannot read {place}: {explain_error(error, place)}")


def _is_warc(member: str) -> bool:
    return member.startswith("archive/") and member.lower().endswith((".warc", ".warc.gz"))
