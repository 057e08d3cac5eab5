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
from broadsheet.page import DEFAULT_LIMITS
from broadsheet.page.decode import decode_page
from broadsheet.page.file_type import detect_file_type
from broadsheet.web import fetch_page, is_address

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
    problems: tuple[str, ...]  # folders that cannot be read, folders and patterns that hold no page
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
        elif os.path.isdir(argument):  # noqa: PTH112 - Path.is_dir raises where it may not look
            has_group = True
            closed: list[str] = []
            sources += (pages := list(_walk(argument, closed)))
            problems += closed
            if not pages and not closed:
                problems.append(f"no pages in {argument}; looked for *.html, *.htm, *.xhtml, also with .gz")
        elif glob.has_magic(argument) and not os.path.exists(argument):  # noqa: PTH110 - the same
            has_group = True
            sources += (matches := list(_match(argument)))
            if not matches:
                problems.append(_explain_pattern(argument))
        else:
            sources.append(Source(argument, Path(argument).name))
    return Found(tuple(sources), tuple(problems), has_group or len(sources) > 1)


def read_source(name: str) -> Loaded:
    """Read a page by its file name or address, or from stdin. Raises SourceError or FetchError, in one line."""
    if is_address(name):
        return _fetch(name)
    if not name:
        raise SourceError("the name of a page is empty; name a file, a folder or an address")
    try:
        html = sys.stdin.buffer.read(_MOST) if name == STDIN else _read_file(Path(name))
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"cannot read {name}: {_explain(error, name)}") from error
    if name == STDIN and not html:
        raise SourceError("nothing came from stdin; name a file or an address, or pipe a page in")
    if file_type := detect_file_type(html):
        raise SourceError(f"{name} is {file_type}, not an HTML page")
    return Loaded(html)


def _walk(folder: str, closed: list[str]) -> Iterator[Source]:
    """Find the pages of a folder; folders that cannot be read are told in `closed`."""

    def tell(error: OSError) -> None:
        closed.append(f"cannot read {error.filename}: {_explain(error, folder)}")

    for path, folders, names in os.walk(folder, onerror=tell):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(_PAGE_ENDINGS):
                full = os.path.join(path, name)  # noqa: PTH118 - Path would lose a leading "./", which the user wrote
                yield Source(full, os.path.relpath(full, folder))


def _match(pattern: str) -> Iterator[Source]:
    root = _find_root(pattern)
    for name in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - patterns may be absolute
        if os.path.isfile(name):  # noqa: PTH113 - Path.is_file raises where it may not look
            yield Source(name, os.path.relpath(name, root))


def _find_root(pattern: str) -> Path:
    """Find the folder that a pattern begins in."""
    steps = Path(pattern).parts
    return Path(*steps[: next(at for at, step in enumerate(steps) if glob.has_magic(step))])


def _explain_pattern(pattern: str) -> str:
    root = _find_root(pattern)
    if os.path.isdir(root) and not os.access(root, os.R_OK | os.X_OK):  # noqa: PTH112
        return f"cannot read {root}: permission denied"
    return f"no file matches {pattern}; {_suggest_address(pattern) or 'check the pattern'}"


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


def _explain(error: Exception, name: str) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"no such file; {_suggest_address(name) or 'check the name'}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    return "it is not packed as its name says"


def _suggest_address(name: str) -> str:
    """Say how to write what looks like an address and is none that can be fetched."""
    scheme, mark, rest = name.partition("://")
    if mark and scheme.lower() == "file":
        return f"for a file write its path: {rest}"
    if mark:
        return f"only http and https addresses can be fetched: write https://{rest}"
    host, _, path = name.partition("/")
    is_host = host.lower().startswith("www.") or (path and "." in host.lstrip(".") and not os.path.exists(host))  # noqa: PTH110
    return f"for a page on the web write https://{name}" if is_host else ""
