"""process_file: one input to one part. A plain function; engines only schedule it.

The part is written under a temporary name, flushed to disk and renamed; then its entry is added to the manifest. A
process may be killed at any point: what is not in the manifest is done again, and replaces what was there.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from broadsheet.article import Article, Status
from broadsheet.batch.folder import OutputFolder, name_output_in_errors
from broadsheet.batch.manifest import Part
from broadsheet.batch.options import BatchOptions, hash_options
from broadsheet.batch.selection import Offsets, copy_records
from broadsheet.batch.sources import InputUnavailable, Source, copy_remote, is_remote
from broadsheet.batch.store import Output, open_output
from broadsheet.capture import Capture
from broadsheet.errors import FetchError, InputError
from broadsheet.inputs import detect_kind, read_captures
from broadsheet.inputs.files import find_file_fault
from broadsheet.inputs.warc import MisfitPiece, read_warc_piece
from broadsheet.many import extract_many
from broadsheet.options import ExtractOptions
from broadsheet.output.tables.arrow import ParquetWriter
from broadsheet.page import host_of

CONFIDENCE_BINS = 10
_MAX_HOSTS = 50  # in the entry of a part
_SIGN_SECONDS = 0.5  # between two signs of life
_SAFE_WORKERS = 2  # processes beside the one that reads: extract_many does the work itself if there is only one


def process_file(source: Source, options: BatchOptions, folder: str | Path) -> Part:
    """Extract the pages of an input into a part of the output folder.

    Pages that fail are rows with the status "failed" or "timeout" and a reason; so is an input that is damaged from its
    start. Raises InputUnavailable if it cannot be opened, and BatchOutputError if the part cannot be written.
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
    """What the entry of the part says about its rows, so that no report has to read them."""

    statuses: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    years: Counter[str] = field(default_factory=Counter)
    confidences: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0  # captures without a page
    lost: int = 0  # pages that could not be extracted, the unreadable ones included
    fault: str = ""

    def add(self, article: Article) -> None:
        """Count a row."""
        self.statuses[article.status.value] += 1
        if host := host_of(article.url):
            self.hosts[host] += 1
        if article.language:
            self.languages[article.language] += 1
        if article.date:
            self.years[str(article.date.year)] += 1
        if article.status is Status.OK:
            self.confidences[str(min(int(article.confidence * CONFIDENCE_BINS), CONFIDENCE_BINS - 1))] += 1


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
            passing=max(counts.lost - counts.unreadable, 0),
            origin=source.origin,
            hosts=dict(rank_counts(counts.hosts)[:_MAX_HOSTS]),
            host_count=len(counts.hosts),
            languages=dict(rank_counts(counts.languages)),
            years=dict(sorted(counts.years.items())),
            confidences=dict(sorted(counts.confidences.items())),
            input_bytes=source.size,
            seconds=round(time.monotonic() - began, 3),
            cpu_seconds=round(_read_cpu_seconds() - cpu_began, 3),
        )
        with name_output_in_errors(output):
            yield from output.publish(draft, part)
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
            # Articles that `extract` itself calls failed, such as PDF files, have weights.
            counts.lost += article.status.is_failure and (
                article.status is Status.TIMEOUT or article.provenance.weights is None
            )
            reason = options.filters.check_article(article)
            if reason:
                counts.dropped[reason] += 1
            else:
                counts.add(article)
                writer.write(article)
        yield None


def _extract(unit: FileUnit, counts: _Counts) -> Generator[Article | None, None, None]:
    """Yield the articles of the input in its order; None while it is copied."""
    is_copied = is_remote(unit.source.path) or unit.source.records
    with tempfile.TemporaryDirectory(prefix="broadsheet-") if is_copied else nullcontext() as folder:
        path = unit.source.path
        try:
            if folder is not None:
                path = str(Path(folder) / (Path(unit.source.name).name or "input"))
                copied = copy_records(unit.source, Path(path)) if unit.source.records else None
                for _ in copied or copy_remote(unit.source.path, Path(path)):
                    yield None
            elif not unit.source.pages:
                Path(path).open("rb").close()
        except (OSError, InputError) as error:
            reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
            raise InputUnavailable(f"cannot read {unit.source.name}: {reason}") from error
        captures = _read(unit.source, path, unit.options, counts)
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
    keep = make_sampler(options.sample)
    for capture in read_source(source, path, options, counts.skipped, lambda text: _note_fault(counts, text)):
        if reason := options.filters.check_capture(capture):
            counts.dropped[reason] += 1
        elif capture.html is not None and not keep(capture):
            counts.dropped["sample"] += 1
        else:
            counts.unreadable += capture.html is None
            yield capture


def read_source(
    source: Source, path: str, options: BatchOptions, skipped: Counter[str], note_fault: Callable[[str], None]
) -> Iterator[Capture]:
    """Yield the captures of an input; if it cannot be read, the fault as a capture."""
    files = [(path, source.name)]
    offsets = Offsets(source) if source.records else None
    if source.pages:
        root, _, _ = path.rpartition("#")
        shown_root, _, _ = source.name.rpartition("#")
        files = [(str(Path(root) / page), f"{shown_root}/{page}") for page in source.pages]
    for file, name in files:
        try:
            kind = detect_kind(file) if source.kind is None or source.pages else source.kind
            reader = _open_piece(source, file, options) if source.end else None
            for capture in read_captures(file, options.read, kind=kind, skipped=skipped, reader=reader):
                shown = _show_name(capture, file, name)
                if offsets is not None and shown.source_offset is not None:
                    shown = replace(shown, source_offset=offsets.restore(shown.source_offset))
                if shown.html is None and shown.url is None:
                    note_fault(shown.fault)
                elif fault := find_file_fault(shown, name):
                    note_fault(fault)
                yield shown
        except MisfitPiece:
            raise
        except (InputError, FetchError) as error:
            fault = str(error).replace(file, name)
            note_fault(fault)
            yield Capture(source_file=name, fault=fault)


def _open_piece(source: Source, path: str, options: BatchOptions) -> Iterator[Capture]:
    return read_warc_piece(path, path, options.read, range(source.start, source.end))


def _note_fault(counts: _Counts, fault: str) -> None:
    counts.fault = counts.fault or fault


def _show_name(capture: Capture, path: str, name: str) -> Capture:
    """Replace the path that was read by the name that the user gave."""
    if path == name or capture.source_file is None:
        return capture
    file = name + capture.source_file.removeprefix(path) if capture.source_file.startswith(path) else None
    fault = capture.fault.replace(path, name) if capture.fault else ""
    return replace(capture, source_file=file or capture.source_file, fault=fault)


def make_sampler(share: float) -> Callable[[Capture], bool]:
    """Return a function that keeps a share of the pages: the same ones in every run."""
    if share >= 1:
        return lambda _: True
    limit = int(share * 2**64)

    def keep(capture: Capture) -> bool:
        place = f"{capture.source_file}\n{capture.source_offset}".encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(place, digest_size=8).digest()) < limit

    return keep


def rank_counts(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return names and counts, the most frequent first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _read_cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
