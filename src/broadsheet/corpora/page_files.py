"""Pages stored as one file each, for the layouts that are folders."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import json
import lzma
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from broadsheet.errors import UsageError

_PAGE_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MAX_NAMES = 3  # in a message about skipped files


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file that holds one page."""

    name: str  # without the suffix
    path: Path

    def read(self) -> bytes:
        """Return the page, decompressed."""
        with explain_failure(self.path):
            raw = self.path.read_bytes()
            return gzip.decompress(raw) if self.path.suffix == ".gz" else raw


def list_pages(folder: Path) -> list[PageFile]:
    """Return the pages in a folder, sorted by file name. Raises UsageError if two of them have the same name."""
    pages: dict[str, PageFile] = {}
    for path in sorted(folder.iterdir()):
        name = remove_page_suffix(path.name)
        if name == path.name:
            continue
        if name in pages:
            raise UsageError(
                f"{folder} has two pages named {name!r}: {pages[name].path.name} and {path.name}; rename or remove one"
            )
        pages[name] = PageFile(name, path)
    return list(pages.values())


def remove_page_suffix(name: str) -> str:
    """Return the file name of a page without its suffix, and any other name as it is."""
    suffix = next((suffix for suffix in _PAGE_SUFFIXES if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(suffix)]


def describe_unpaired(pages: Path, labelled: Collection[str], place: Path) -> list[str]:
    """Describe the pages that have no labels and the labels that have no page: both are skipped."""
    names = {page.name for page in list_pages(pages)}
    kinds = (("pages without labels", names.difference(labelled)), ("labels without a page", set(labelled) - names))
    return [f"{place}: skipped {kind} ({len(found)}): {_list_names(found)}" for kind, found in kinds if found]


def _list_names(names: Collection[str]) -> str:
    listed = ", ".join(sorted(names)[:_MAX_NAMES])
    return f"{listed}, ..." if len(names) > _MAX_NAMES else listed


def name_dataset(folder: Path) -> str:
    """Return the folder's name as the user wrote it. `.` and `..` are resolved."""
    return folder.name if folder.name not in {"", ".."} else folder.resolve().name


def read_text(path: Path) -> str:
    """Read a gold text: UTF-8, UTF-16 with a byte order mark, otherwise Windows-1252."""
    raw = path.read_bytes()
    try:
        if raw.startswith(_UTF_16_MARKS):
            return raw.decode("utf-16")
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def read_json_object(path: Path) -> dict[str, Any]:
    """Read a gold file in JSON. Raises UsageError."""
    with explain_failure(path):
        try:
            values = json.loads(path.read_text(encoding="utf-8-sig"))
        except (json.JSONDecodeError, RecursionError) as error:
            raise UsageError(f"{path}: not JSON ({error})") from error
    return check_object(values, str(path))


def check_object(values: Any, location: str) -> dict[str, Any]:
    """Return the values of a JSON object. Raises UsageError for anything else."""
    if not isinstance(values, dict):
        raise UsageError(f"{location}: expected a JSON object with labels, not {values!r:.80}")
    return values


@contextlib.contextmanager
def explain_failure(path: Path) -> Iterator[None]:
    """Turn errors of reading, unpacking and decoding a file into a UsageError with its name."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 (byte {error.start}: {error.reason})") from error
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise UsageError(f"{path}: cannot be read ({error})") from error


def find_folder(path: Path, *names: str) -> Path | None:
    """Return the subfolder with the first of the names that exists, ignoring case."""
    if not path.is_dir():
        return None
    folders = {child.name.lower(): child for child in sorted(path.iterdir()) if child.is_dir()}
    return next((folders[name.lower()] for name in names if name.lower() in folders), None)
