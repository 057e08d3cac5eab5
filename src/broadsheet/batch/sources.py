"""The inputs of a batch: files, patterns, folders, and objects in stores that fsspec can open."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from broadsheet.batch.remote import find_remote, is_remote
from broadsheet.inputs import Kind, detect_kind, find_page_kind

PAGES_PER_UNIT = 1_000  # single pages of a folder that are one unit of work
_KEY_DIGITS = 20
_UNSAFE_CHARS = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_STEM_CHARS = 80


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a unit of work."""

    name: str  # as the user wrote it; `source_file` of its rows
    path: str  # absolute path or address
    stamp: str  # changes when the content does
    size: int  # bytes
    kind: Kind | None = None  # None: found when the file is there
    pages: tuple[str, ...] = ()  # of a folder: the files of its pages, relative to it

    @property
    def key(self) -> str:
        """Hash of the location: the same input has the same key, however it was written."""
        return hashlib.sha256(self.path.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_DIGITS]

    @property
    def part_file(self) -> str:
        """Name of its part."""
        stem = _UNSAFE_CHARS.sub("_", re.split(r"[\\/]", self.name.rstrip("/\\"))[-1]).strip("._") or "pages"
        return f"{stem[:_MAX_STEM_CHARS]}-{self.key}.parquet"


@dataclass(frozen=True, slots=True)
class SourceList:
    """The inputs that the arguments name."""

    sources: tuple[Source, ...]
    problems: tuple[str, ...] = ()  # arguments without an input


def find_sources(arguments: Sequence[str]) -> SourceList:
    """List the inputs of the arguments, each once, in order."""
    sources: dict[str, Source] = {}
    problems: list[str] = []
    for argument in arguments:
        matches = list(_find(argument))
        if not matches:
            is_folder = os.path.isdir(argument)  # noqa: PTH112 - the name as the user wrote it
            problems.append(
                f"no pages in {argument}; looked for HTML pages, MHTML, WARC and WACZ files"
                if is_folder
                else f"no input matches {argument}; check the name"
            )
        for match in matches:
            if isinstance(match, Source):
                sources.setdefault(match.key, match)
            else:
                problems.append(match)
    return SourceList(tuple(sources.values()), tuple(problems))


def _find(argument: str) -> Iterator[Source | str]:
    """Yield the inputs of an argument; for one that cannot be read, the reason."""
    if is_remote(argument):
        for found in find_remote(argument):
            yield Source(found.address, found.address, found.stamp, found.size)
    elif os.path.isdir(argument):  # noqa: PTH112 - the name as the user wrote it
        yield from _walk(argument)
    else:
        names = [argument] if os.path.exists(argument) else sorted(glob.glob(argument, recursive=True))  # noqa: PTH110, PTH207
        for name in names:
            if os.path.isdir(name):  # noqa: PTH112
                yield from _walk(name)
            else:
                yield _make_source(name)


def _walk(folder: str) -> Iterator[Source | str]:
    """Yield the archives below a folder, and its single pages in groups."""
    pages: list[str] = []
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            full = os.path.join(path, name)  # noqa: PTH118
            kind = find_page_kind(full)
            if kind in (Kind.PAGE, Kind.MHTML):
                pages.append(os.path.relpath(full, folder))
            elif kind is not None:
                yield _make_source(full, kind)
    for start in range(0, len(pages), PAGES_PER_UNIT):
        yield _group_pages(folder, start // PAGES_PER_UNIT, pages[start : start + PAGES_PER_UNIT])


def _make_source(name: str, kind: Kind | None = None) -> Source | str:
    try:
        status = Path(name).stat()
        kind = kind or detect_kind(name)
    except OSError as error:  # a broken symbolic link, or a file that may not be read
        return f"cannot read {name}: {(error.strerror or str(error)).lower()}"
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
