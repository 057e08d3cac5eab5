"""Pages that are files of their own: what the folder layouts share."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

_ENDINGS = (".html", ".htm", ".html.gz", ".htm.gz")


def name_dataset(folder: Path) -> str:
    """Name of a folder as its user calls it; of `.` and `..`, the name that is meant."""
    return folder.name if folder.name not in {"", ".."} else folder.resolve().name


def find_pages(folder: Path) -> Iterator[tuple[str, Path]]:
    """Name and file of every page in a folder, in order of the names."""
    for path in sorted(folder.iterdir()):
        for ending in _ENDINGS:
            if path.name.lower().endswith(ending):
                yield path.name[: -len(ending)], path
                break


def find_pairs(pages: Path | None, texts: Path | None, ending: str) -> Iterator[tuple[str, Path, Path]]:
    """Name, page and gold file of every page that has one: the gold of NAME.html is NAME and the ending."""
    if pages is None or texts is None:
        return
    for name, page in find_pages(pages):
        gold = texts / f"{name}{ending}"
        if gold.is_file():
            yield name, page, gold


def read_bytes(path: Path) -> bytes:
    """Read a page, unpacked."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def read_text(path: Path) -> str:
    """Read a gold text: UTF-8 with or without a mark, else the encoding of old Windows files."""
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def find_folder(path: Path, *names: str) -> Path | None:
    """The first subfolder that has one of the names, large or small letters alike."""
    if not path.is_dir():
        return None
    folders = {child.name.lower(): child for child in sorted(path.iterdir()) if child.is_dir()}
    return next((folders[name.lower()] for name in names if name.lower() in folders), None)
