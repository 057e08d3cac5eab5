"""process_file: one input to one part. A plain function; engines only schedule it.

The part is written under a temporary name, flushed to disk and renamed; then its entry is added to the manifest. A
process may be killed at any point: what is not in the manifest is done again, and replaces what was there.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from broadsheet.article import Article
from broadsheet.batch.folder import OutputFolder, Part, name_output_in_errors
from broadsheet.batch.options import BatchOptions, hash_options
from broadsheet.batch.sources import Source, copy_remote, is_remote
from broadsheet.batch.store import Output, open_output
from broadsheet.capture import Capture
from broadsheet.errors import FetchError, InputError
from broadsheet.inputs import detect_kind, read_captures
from broadsheet.inputs.files import find_file_fault
from broadsheet.many import extract_many
from broadsheet.options import ExtractOptions
from broadsheet.output.tables.arrow import ParquetWriter

_SIGN_SECONDS = 0.5  # between two signs of life
_SAFE_WORKERS = 2  # processes beside the one that reads: extract_many does the work itself if there is only one


def process_file(source: Source, options: BatchOptions, folder: str | Path) -> Part:
    """Extract the pages of an input into a part of the output folder.

    Pages that fail are rows with the status "failed" or "timeout" and a reason; so is an input that cannot be read.
    Raises BatchOutputError if the part cannot be written.
    """
    output = open_output(str(folder))
    output.create()
    (part,) = (step for step in process_steps(FileUnit(source, options, output)) if step is not None)
    return part


@dataclass(frozen=True, slots=True)
class FileUnit:
    """A unit of work."""

    source: Source
    options: BatchOptions
    output: Output
    options_hash: str = ""  # made from the options if empty
    # Extract pages in further processes: slower, but a page that kills its process is one failed row.
    is_safe: bool = False


@dataclass(slots=True)
class _Counts:
    statuses: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    fault: str = ""


def process_steps(unit: FileUnit) -> Generator[Part | None, None, None]:
    """Process a unit. Yield None as a sign of life from time to time, and finally the part."""
    source, output = unit.source, unit.output
    began, cpu_began, counts = time.monotonic(), _read_cpu_seconds(), _Counts()
    draft = output.name_draft(source.part_file)
    try:
        with ExitStack() as stack:
            articles = stack.enter_context(closing(_extract(unit, counts)))
            with name_output_in_errors(output):
                file = stack.enter_context(draft.open("wb"))
                writer = _SafeWriter(ParquetWriter(file, unit.options.choose_columns()), output)
            stack.push(writer.discard_if_open)
            yield from thin_out(_write_rows(articles, writer, counts, unit.options))
            with name_output_in_errors(output):
                writer.close()
                file.flush()
                os.fsync(file.fileno())
                size = file.tell()
        part = Part(
            source=source.name,
            key=source.key,
            stamp=source.stamp,
            options=unit.options_hash or hash_options(unit.options.describe()),
            file=source.part_file,
            file_bytes=size,
            rows=counts.statuses.total(),
            statuses=dict(sorted(counts.statuses.items())),
            skipped=dict(sorted(counts.skipped.items())),
            dropped=dict(sorted(counts.dropped.items())),
            fault=counts.fault,
            input_bytes=source.size,
            seconds=round(time.monotonic() - began, 3),
            cpu_seconds=round(_read_cpu_seconds() - cpu_began, 3),
        )
        with name_output_in_errors(output):
            output.publish(draft, part)
    finally:
        draft.unlink(missing_ok=True)
    yield part


def thin_out(steps: Iterable[None]) -> Iterator[None]:
    """Pass on a step from time to time, as a sign of life: sending every one to the caller would take time."""
    sign_at = time.monotonic() + _SIGN_SECONDS
    for _ in steps:
        if time.monotonic() >= sign_at:
            yield None
            sign_at = time.monotonic() + _SIGN_SECONDS


class _SafeWriter:
    """Writes rows. Errors name the output folder."""

    def __init__(self, writer: ParquetWriter, output: Output) -> None:
        self._writer = writer
        self._output = output
        self._is_open = True

    def write(self, article: Article) -> None:
        with name_output_in_errors(self._output):
            self._writer.write(article)

    def close(self) -> None:
        self._writer.close()
        self._is_open = False

    def discard_if_open(self, *_: object) -> None:
        if self._is_open:
            self._writer.discard()


def _write_rows(
    articles: Iterator[Article | None], writer: _SafeWriter, counts: _Counts, options: BatchOptions
) -> Iterator[None]:
    """Write the articles that pass the filters; yield after each step."""
    for article in articles:
        if article is not None:
            reason = options.filters.check_article(article)
            if reason:
                counts.dropped[reason] += 1
            else:
                counts.statuses[article.status.value] += 1
                writer.write(article)
        yield None


def _extract(unit: FileUnit, counts: _Counts) -> Generator[Article | None, None, None]:
    """Yield the articles of the input in its order; None while it is copied."""
    with tempfile.TemporaryDirectory(prefix="broadsheet-") if is_remote(unit.source.path) else nullcontext() as folder:
        path = unit.source.path
        captures: Iterator[Capture]
        try:
            if folder is not None:
                path = str(Path(folder) / (Path(unit.source.name).name or "input"))
                for _ in copy_remote(unit.source.path, Path(path)):
                    yield None
            captures = _read(unit.source, path, unit.options, counts)
        except InputError as error:
            captures = iter([_make_fault(unit.source, str(error), counts)])
        workers = _SAFE_WORKERS if unit.is_safe else 1
        yield from extract_many(captures, workers=workers, options=_open_extract_options(unit))


def _open_extract_options(unit: FileUnit) -> ExtractOptions:
    if not unit.options.is_by_site:
        return unit.options.page_options
    assert isinstance(unit.output, OutputFolder)  # checked at the start of a run
    # Imported here: that module reads inputs with functions of this one.
    from broadsheet.batch.by_site import StoredSites, open_site_folder

    return replace(unit.options.page_options, site=StoredSites(str(open_site_folder(unit.output).root)))


def _read(source: Source, path: str, options: BatchOptions, counts: _Counts) -> Iterator[Capture]:
    """Yield the captures that are extracted: pages that pass the filters, and faults."""
    keep = _make_sampler(options.sample)
    for capture in read_source(source, path, options, counts.skipped, lambda text: _note_fault(counts, text)):
        if reason := options.filters.check_capture(capture):
            counts.dropped[reason] += 1
        elif capture.html is not None and not keep(capture):
            counts.dropped["sample"] += 1
        else:
            yield capture


def read_source(
    source: Source, path: str, options: BatchOptions, skipped: Counter[str], note_fault: Callable[[str], None]
) -> Iterator[Capture]:
    """Yield the captures of an input; if it cannot be read, the fault as a capture."""
    files = [(path, source.name)]
    if source.pages:
        root, _, _ = path.rpartition("#")
        shown_root, _, _ = source.name.rpartition("#")
        files = [(str(Path(root) / page), f"{shown_root}/{page}") for page in source.pages]
    for file, name in files:
        try:
            kind = detect_kind(file) if source.kind is None or source.pages else source.kind
            for capture in read_captures(file, options.read, kind=kind, skipped=skipped):
                shown = _show_name(capture, file, name)
                if shown.html is None and shown.url is None:
                    note_fault(shown.fault)
                elif fault := find_file_fault(shown, name):
                    note_fault(fault)
                yield shown
        except (InputError, FetchError) as error:
            fault = str(error).replace(file, name)
            note_fault(fault)
            yield Capture(source_file=name, fault=fault)


def _note_fault(counts: _Counts, fault: str) -> None:
    counts.fault = counts.fault or fault


def _make_fault(source: Source, fault: str, counts: _Counts) -> Capture:
    _note_fault(counts, fault)
    return Capture(source_file=source.name, fault=fault)


def _show_name(capture: Capture, path: str, name: str) -> Capture:
    """Replace the path that was read by the name that the user gave."""
    if path == name or capture.source_file is None:
        return capture
    file = name + capture.source_file.removeprefix(path) if capture.source_file.startswith(path) else None
    fault = capture.fault.replace(path, name) if capture.fault else ""
    return replace(capture, source_file=file or capture.source_file, fault=fault)


def _make_sampler(share: float) -> Callable[[Capture], bool]:
    """Return a function that keeps a share of the pages: the same ones in every run."""
    if share >= 1:
        return lambda _: True
    limit = int(share * 2**64)

    def keep(capture: Capture) -> bool:
        place = f"{capture.source_file}\n{capture.source_offset}".encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(place, digest_size=8).digest()) < limit

    return keep


def _read_cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
