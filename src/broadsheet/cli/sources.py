"""The pages that a command line names: files of all kinds, folders, patterns, addresses, stdin."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from broadsheet.capture import Capture
from broadsheet.errors import BroadsheetError, InputError
from broadsheet.inputs import Kind, ReadOptions, detect_kind, find_page_kind, read_captures, read_stdin
from broadsheet.inputs.files import explain_error, suggest_address
from broadsheet.inputs.kinds import drop_saved_parts
from broadsheet.web import is_address

STDIN = "-"


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A page to be read, or a file of pages."""

    name: str  # file name or address as the user wrote it, or "-"
    relative_name: str  # without the folder that the user named: output files are named after it
    kind: Kind = Kind.PAGE


@dataclass(frozen=True, slots=True)
class Sources:
    """The pages that the arguments name."""

    pages: tuple[NamedSource, ...]
    problems: tuple[str, ...]  # folders that cannot be read, folders and patterns without a page
    is_several: bool  # several pages, or a folder, a pattern or a file of pages, which may hold several

    @property
    def count(self) -> int | None:
        """Number of pages, as far as it is known before they are read."""
        is_known = all(source.kind.is_single for source in self.pages)
        return len(self.pages) + len(self.problems) if is_known else None


def find_sources(arguments: Sequence[str]) -> Sources:
    """List the sources of the arguments in order; those of a folder are sorted by name.

    The beginning of a file is read if its name does not tell what it is.
    """
    sources: list[NamedSource] = []
    problems: list[str] = []
    has_group = False
    for argument in arguments:
        if argument == STDIN or is_address(argument):
            sources.append(NamedSource(argument, argument, Kind.PAGE if argument == STDIN else Kind.ADDRESS))
        elif os.path.isdir(argument):  # noqa: PTH112 - Path.is_dir raises without permission
            has_group = True
            unreadable: list[str] = []
            sources += (pages := list(_walk(argument, unreadable)))
            problems += unreadable
            if not pages and not unreadable:
                problems.append(f"no pages in {argument}; looked for HTML pages, MHTML, WARC and WACZ files")
        elif glob.has_magic(argument) and not os.path.exists(argument):  # noqa: PTH110 - the same
            has_group = True
            sources += (matches := list(_match(argument)))
            if not matches:
                problems.append(_explain_pattern(argument))
        else:
            sources.append(NamedSource(argument, Path(argument).name, detect_kind(argument)))
    is_several = has_group or len(sources) > 1 or not all(source.kind.is_single for source in sources)
    return Sources(tuple(sources), tuple(problems), is_several)


def read_source(source: NamedSource, options: ReadOptions, skipped: Counter[str] | None = None) -> Iterator[Capture]:
    """Read the pages of a source. Raises InputError or FetchError if nothing of it can be read."""
    if source.name == STDIN:
        yield read_stdin(options)
    else:
        yield from read_captures(source.name, options, kind=source.kind, skipped=skipped)


def read_pages(
    sources: Sources, options: ReadOptions, miss: Callable[[str, str], None]
) -> Iterator[tuple[NamedSource, Capture]]:
    """Read the pages of all sources. `miss` is called with the reason and the name of what cannot be read."""
    for problem in sources.problems:
        miss(problem, "")
    for source in sources.pages:
        try:
            for capture in read_source(source, options):
                page = name_page(source, capture)
                if capture.html is None:
                    miss(capture.fault, page.name)
                else:
                    yield page, capture
        except BroadsheetError as error:
            miss(str(error), source.name)


def read_one(name: str, options: ReadOptions) -> Capture:
    """Read a source that is one page. Raises InputError or FetchError."""
    kind = detect_kind(name)
    if not kind.is_single:
        raise InputError(f"{name} is {kind}, not an HTML page")
    return next(read_source(NamedSource(name, name, kind), options))


def name_page(source: NamedSource, capture: Capture) -> NamedSource:
    """Return the name of one page of a source, for messages and output files."""
    if source.kind.is_single:
        return source
    if source.kind in (Kind.ZIP, Kind.TAR) and capture.source_file:
        return NamedSource(capture.source_file, capture.source_file.removeprefix(f"{source.name}/"))
    if capture.url:
        return NamedSource(capture.url, capture.url, Kind.ADDRESS)
    place = source.name if capture.source_offset is None else f"{source.name}:{capture.source_offset}"
    return NamedSource(place, source.relative_name)


def _walk(folder: str, unreadable: list[str]) -> Iterator[NamedSource]:
    """Yield the pages of a folder; add a message for each folder that cannot be read to `unreadable`."""

    def add_message(error: OSError) -> None:
        unreadable.append(f"cannot read {error.filename}: {explain_error(error, folder)}")

    for path, folders, names in os.walk(folder, onerror=add_message):
        folders.sort()
        drop_saved_parts(folders, names)
        for name in sorted(names):
            full = os.path.join(path, name)  # noqa: PTH118 - Path drops a leading "./" that the user wrote
            if kind := find_page_kind(full):
                yield NamedSource(full, os.path.relpath(full, folder), kind)


def _match(pattern: str) -> Iterator[NamedSource]:
    root = _find_root(pattern)
    for name in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - patterns may be absolute
        if os.path.isfile(name):  # noqa: PTH113 - Path.is_file raises without permission
            yield NamedSource(name, os.path.relpath(name, root), detect_kind(name))


def _find_root(pattern: str) -> Path:
    """Return the folder that a pattern starts in: the path before its first wildcard."""
    steps = Path(pattern).parts
    return Path(*steps[: next(at for at, step in enumerate(steps) if glob.has_magic(step))])


def _explain_pattern(pattern: str) -> str:
    root = _find_root(pattern)
    if os.path.isdir(root) and not os.access(root, os.R_OK | os.X_OK):  # noqa: PTH112
        return f"cannot read {root}: permission denied"
    return f"no file matches {pattern}; {suggest_address(pattern) or 'check the pattern'}"
