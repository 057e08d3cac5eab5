"""The pages that a command line names: files, folders, patterns, addresses, stdin."""

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
from broadsheet.page import DEFAULT_LIMITS, Limits
from broadsheet.page.decode import decode_page
from broadsheet.page.file_type import detect_file_type
from broadsheet.web import DEFAULT_GUARD, AddressGuard, fetch_page, is_address

STDIN = "-"
_PAGE_ENDINGS = tuple(ending + pack for ending in (".html", ".htm", ".xhtml") for pack in ("", ".gz"))


class SourceError(BroadsheetError):
    """A page could not be read."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page to be read."""

    name: str  # file name or address as the user wrote it, or "-"
    relative_name: str  # without the folder that the user named: output files are named after it


@dataclass(frozen=True, slots=True)
class Sources:
    """The pages that the arguments name."""

    pages: tuple[Source, ...]
    problems: tuple[str, ...]  # folders that cannot be read, folders and patterns without a page
    is_several: bool  # several pages, or a folder or pattern, which may name several


@dataclass(frozen=True, slots=True)
class Loaded:
    """A page that was read."""

    html: str | bytes
    url: str | None = None


def find_sources(arguments: Sequence[str]) -> Sources:
    """List the pages of the arguments in order; those of a folder are sorted by name. Nothing is opened yet."""
    sources: list[Source] = []
    problems: list[str] = []
    has_group = False
    for argument in arguments:
        if argument == STDIN or is_address(argument):
            sources.append(Source(argument, argument))
        elif os.path.isdir(argument):  # noqa: PTH112 - Path.is_dir raises without permission
            has_group = True
            unreadable: list[str] = []
            sources += (pages := list(_walk(argument, unreadable)))
            problems += unreadable
            if not pages and not unreadable:
                problems.append(f"no pages in {argument}; looked for *.html, *.htm, *.xhtml, also with .gz")
        elif glob.has_magic(argument) and not os.path.exists(argument):  # noqa: PTH110 - the same
            has_group = True
            sources += (matches := list(_match(argument)))
            if not matches:
                problems.append(_explain_pattern(argument))
        else:
            sources.append(Source(argument, Path(argument).name))
    return Sources(tuple(sources), tuple(problems), has_group or len(sources) > 1)


def read_source(name: str, limits: Limits = DEFAULT_LIMITS, guard: AddressGuard = DEFAULT_GUARD) -> Loaded:
    """Read a page by its file name or address, or from stdin. Raises SourceError or FetchError with a one-line message.

    One byte more than the limit is read, so that the article's status can say that the page is too large.
    """
    if is_address(name):
        return _fetch(name, limits, guard)
    if not name:
        raise SourceError("the name of a page is empty; name a file, a folder or an address")
    try:
        html = sys.stdin.buffer.read(limits.max_bytes + 1) if name == STDIN else _read_file(Path(name), limits)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"cannot read {name}: {_explain(error, name)}") from error
    if name == STDIN and not html:
        raise SourceError("stdin is empty; name a file or an address, or pipe a page in")
    if file_type := detect_file_type(html):
        raise SourceError(f"{name} is {file_type}, not an HTML page")
    return Loaded(html)


def _walk(folder: str, unreadable: list[str]) -> Iterator[Source]:
    """Yield the pages of a folder; add a message for each folder that cannot be read to `unreadable`."""

    def add_message(error: OSError) -> None:
        unreadable.append(f"cannot read {error.filename}: {_explain(error, folder)}")

    for path, folders, names in os.walk(folder, onerror=add_message):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(_PAGE_ENDINGS):
                full = os.path.join(path, name)  # noqa: PTH118 - Path drops a leading "./" that the user wrote
                yield Source(full, os.path.relpath(full, folder))


def _match(pattern: str) -> Iterator[Source]:
    root = _find_root(pattern)
    for name in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - patterns may be absolute
        if os.path.isfile(name):  # noqa: PTH113 - Path.is_file raises without permission
            yield Source(name, os.path.relpath(name, root))


def _find_root(pattern: str) -> Path:
    """Return the folder that a pattern starts in: the path before its first wildcard."""
    steps = Path(pattern).parts
    return Path(*steps[: next(at for at, step in enumerate(steps) if glob.has_magic(step))])


def _explain_pattern(pattern: str) -> str:
    root = _find_root(pattern)
    if os.path.isdir(root) and not os.access(root, os.R_OK | os.X_OK):  # noqa: PTH112
        return f"cannot read {root}: permission denied"
    return f"no file matches {pattern}; {_suggest_address(pattern) or 'check the pattern'}"


def _fetch(address: str, limits: Limits, guard: AddressGuard) -> Loaded:
    fetched = fetch_page(address, limits=limits, guard=guard)
    if fetched.charset is None:
        return Loaded(fetched.html, fetched.url)
    return Loaded(decode_page(fetched.html, charset=fetched.charset).text, fetched.url)


def _read_file(path: Path, limits: Limits) -> bytes:
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        return file.read(limits.max_bytes + 1)


def _explain(error: Exception, name: str) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"no such file; {_suggest_address(name) or 'check the name'}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    return "the file is not valid gzip"


def _suggest_address(name: str) -> str:
    """Return advice for a name that looks like an address but cannot be fetched as written."""
    scheme, mark, rest = name.partition("://")
    if mark and scheme.lower() == "file":
        return f"for a file write its path: {rest}"
    if mark:
        return f"only http and https addresses can be fetched: write https://{rest}"
    host, _, path = name.partition("/")
    is_host = host.lower().startswith("www.") or (path and "." in host.lstrip(".") and not os.path.exists(host))  # noqa: PTH110
    return f"for a page on the web write https://{name}" if is_host else ""
