"""Where pages come from: files, folders, patterns, addresses, stdin."""

from __future__ import annotations

import glob
import gzip
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from broadsheet.errors import BroadsheetError
from broadsheet.fetch import fetch_page, is_address
from broadsheet.page import DEFAULT_LIMITS
from broadsheet.page.decode import decode_page
from broadsheet.sniff import name_foreign

STDIN = "-"
_PAGE_ENDINGS = tuple(ending + pack for ending in (".html", ".htm", ".xhtml") for pack in ("", ".gz"))
_MOST = DEFAULT_LIMITS.max_bytes + 1  # of a file is read: one more than is used, so that the status can say so


class SourceError(BroadsheetError):
    """A page could not be read."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page to be read."""

    name: str  # file name or address as the user knows it, or "-"
    inside: str  # the same without the folder that the user named: what an output file is called after


@dataclass(frozen=True, slots=True)
class Found:
    """What the arguments mean."""

    sources: tuple[Source, ...]
    problems: tuple[str, ...]  # folders and patterns that hold no page
    is_several: bool  # several pages, or something that could have been


@dataclass(frozen=True, slots=True)
class Loaded:
    """A page that was read."""

    html: str | bytes
    url: str | None = None


def find_sources(arguments: Sequence[str]) -> Found:
    """Turn arguments into pages, in order; the pages of a folder sorted by name. Nothing is opened yet."""
    sources: list[Source] = []
    problems: list[str] = []
    has_group = False
    for argument in arguments:
        if argument == STDIN or is_address(argument):
            sources.append(Source(argument, argument))
        elif Path(argument).is_dir():
            has_group = True
            sources += (pages := list(_walk(argument)))
            if not pages:
                problems.append(f"no pages in {argument}; looked for *.html, *.htm, *.xhtml, also with .gz")
        elif glob.has_magic(argument) and not Path(argument).exists():
            has_group = True
            sources += (matches := list(_match(argument)))
            if not matches:
                problems.append(f"no file matches {argument}; check the pattern")
        else:
            sources.append(Source(argument, Path(argument).name))
    return Found(tuple(sources), tuple(problems), has_group or len(sources) > 1)


def read_source(name: str) -> Loaded:
    """Read a page by its file name or address, or from stdin. Raises SourceError or FetchError, in one line."""
    if is_address(name):
        return _fetch(name)
    try:
        html = sys.stdin.buffer.read(_MOST) if name == STDIN else _read_file(Path(name))
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"cannot read {name}: {_explain(error)}") from error
    if name == STDIN and not html:
        raise SourceError("nothing came from stdin; name a file or an address, or pipe a page in")
    if foreign := name_foreign(html):
        raise SourceError(f"{name} is no page but {foreign}; pass HTML")
    return Loaded(html)


def _walk(folder: str) -> Iterator[Source]:
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(_PAGE_ENDINGS):
                full = os.path.join(path, name)  # noqa: PTH118 - Path would lose a leading "./", which the user wrote
                yield Source(full, os.path.relpath(full, folder))


def _match(pattern: str) -> Iterator[Source]:
    steps = Path(pattern).parts
    plain = next(at for at, step in enumerate(steps) if glob.has_magic(step))
    root = Path(*steps[:plain])
    for name in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - patterns may be absolute
        if Path(name).is_file():
            yield Source(name, os.path.relpath(name, root))


def _fetch(address: str) -> Loaded:
    fetched = fetch_page(address)
    if fetched.charset is None:
        return Loaded(fetched.html, fetched.url)
    return Loaded(decode_page(fetched.html, charset=fetched.charset).text, fetched.url)


def _read_file(path: Path) -> bytes:
    if path.suffix.lower() == ".gz":
        with gzip.open(path) as packed:
            return packed.read(_MOST)
    with path.open("rb") as file:
        return file.read(_MOST)


def _explain(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file; check the name"
    if isinstance(error, PermissionError):
        return "no permission"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "it is not packed as its name says"
