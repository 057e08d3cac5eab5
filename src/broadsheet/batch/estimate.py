"""An estimate of a run, from a few pages of a few inputs: pages, hours and bytes, with an interval."""

from __future__ import annotations

import io
import math
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from broadsheet.batch.options import BatchOptions
from broadsheet.batch.process import make_sampler, read_source
from broadsheet.batch.report import show_bytes
from broadsheet.batch.sources import Source, copy_remote, is_remote
from broadsheet.capture import Capture
from broadsheet.errors import UsageError
from broadsheet.inputs import Kind
from broadsheet.many import extract_many
from broadsheet.output.tables.arrow import ParquetWriter
from broadsheet.workers import count_cores

SHARE = 0.001  # of the input bytes that is read
_MIN_PAGES = 100  # in all, so that small inputs give an estimate too
_MAX_INPUTS = 30
_REMOTE_BYTES = 8_000_000  # of a remote archive that are copied
_WARC_ENDINGS = (".warc", ".warc.gz")
_MAX_SEEN = 20  # records that are read for a page that filters and sample keep
_DRAWS = 1_000  # of the bootstrap
_COVERAGE = 0.9  # of the intervals
_SECONDS_PER_HOUR = 3_600


@dataclass(frozen=True, slots=True)
class Interval:
    """A number with its 90 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run will need."""

    inputs: int
    input_bytes: int
    read_inputs: int
    read_pages: int
    pages: Interval
    cpu_hours: Interval
    output_bytes: Interval


@dataclass(frozen=True, slots=True)
class _Probe:
    """What was read of one input."""

    bytes_read: float
    pages: int
    cpu_seconds: float
    output_bytes: int


def estimate_run(sources: Sequence[Source], options: BatchOptions) -> RunEstimate:
    """Read the beginning of some inputs, and extrapolate by their bytes. Raises UsageError if all are empty."""
    filled = [source for source in sources if source.size]
    if not filled:
        raise UsageError("an estimate needs an input with content")
    list(extract_many(["<p>Load everything before the clock starts.</p>"], workers=1, options=options.extract))
    chosen = _choose(filled)
    total = sum(source.size for source in sources)
    max_bytes = SHARE * total / len(chosen)
    min_pages = math.ceil(_MIN_PAGES / len(chosen))
    probes = [probe for source in chosen if (probe := _probe(source, options, max_bytes, min_pages)).bytes_read]
    if not any(probe.pages for probe in probes):
        raise UsageError(f"no page was found at the beginning of {len(chosen)} inputs, so nothing can be estimated")
    draws = [_scale(Random(seed).choices(probes, k=len(probes)), total) for seed in range(_DRAWS)]
    values = _scale(probes, total)
    intervals = [_make_interval(value, [draw[column] for draw in draws]) for column, value in enumerate(values)]
    return RunEstimate(
        inputs=len(sources),
        input_bytes=total,
        read_inputs=len(probes),
        read_pages=sum(probe.pages for probe in probes),
        pages=intervals[0],
        cpu_hours=intervals[1],
        output_bytes=intervals[2],
    )


def describe_estimate(estimate: RunEstimate) -> str:
    """Return an estimate in words."""
    cores = count_cores()
    hours = estimate.cpu_hours
    lines = [
        f"inputs   {estimate.inputs:,} ({show_bytes(estimate.input_bytes)})",
        f"read     {estimate.read_pages:,} pages of {estimate.read_inputs:,} inputs",
        f"pages    {_show(estimate.pages, _show_count)}",
        f"work     {_show(hours, _show_hours)} of one core",
        f"time     {_show_hours(hours.value / cores)} on {cores} cores, {_show_hours(hours.value / 100)} on 100",
        f"output   {_show(estimate.output_bytes, show_bytes)}",
    ]
    if estimate.read_inputs < 3:
        lines.append("The intervals are too narrow: fewer than three inputs were read.")
    return "\n".join(lines)


def _choose(sources: Sequence[Source]) -> list[Source]:
    """Choose inputs at equal distances in the order of their sizes."""
    ranked = sorted(sources, key=lambda source: (source.size, source.name))
    count = min(len(ranked), _MAX_INPUTS)
    return [ranked[int((number + 0.5) * len(ranked) / count)] for number in range(count)]


def _probe(source: Source, options: BatchOptions, max_bytes: float, min_pages: int) -> _Probe:
    """Extract the first pages of an input. Of a remote one, only its beginning is copied."""
    with tempfile.TemporaryDirectory(prefix="broadsheet-") as folder:
        path = source.path
        if is_remote(path):
            path = str(Path(folder) / (Path(source.name).name or "input"))
            limit = _REMOTE_BYTES if source.name.endswith(_WARC_ENDINGS) else math.inf
            next((count for count in copy_remote(source.path, Path(path)) if count >= limit), None)
        captures = _Counting(source, path, options, max_bytes, min_pages)
        file = io.BytesIO()
        began = time.process_time()
        writer = ParquetWriter(file, options.choose_columns())
        for article in extract_many(captures, workers=1, options=options.page_options):
            if not options.filters.check_article(article):
                writer.write(article)
        writer.close()
        seconds = time.process_time() - began
    return _Probe(captures.bytes_read, captures.pages, seconds, writer.row_bytes)


class _Counting:
    """The first captures of an input; counts them and the bytes that they take in the file."""

    def __init__(self, source: Source, path: str, options: BatchOptions, max_bytes: float, min_pages: int) -> None:
        self._source = source
        self._path = path
        self._options = options
        self._max_bytes = max_bytes
        self._min_pages = min_pages
        self.pages = 0
        self.bytes_read = 0.0

    def __iter__(self) -> Iterator[Capture]:
        source = self._source
        if source.pages:
            source = Source(source.name, source.path, "", source.size, source.kind, source.pages[: self._min_pages])
        captures = read_source(source, self._path, self._options, Counter(), lambda _: None)
        keep = make_sampler(self._options.sample)
        is_whole = not is_remote(source.path) or Path(self._path).stat().st_size >= source.size
        last = 0.0
        for seen, capture in enumerate(captures):
            place = _find_place(capture, source)
            is_enough = self.pages >= self._min_pages or seen >= _MAX_SEEN * self._min_pages
            if is_enough and place is not None and place >= self._max_bytes:
                self.bytes_read = place
                return
            last = place or last
            if capture.html is not None and not self._options.filters.check_capture(capture) and keep(capture):
                self.pages += 1
                yield capture
        if is_whole:
            self.bytes_read = self._source.size * (len(source.pages) / len(self._source.pages) if source.pages else 1.0)
        else:  # the copy ends in the last record
            self.bytes_read = last


def _find_place(capture: Capture, source: Source) -> float | None:
    """Return how many bytes of the file come before a capture; None if the offset is not in bytes of the file."""
    is_warc = source.kind is Kind.WARC or source.name.endswith(_WARC_ENDINGS)
    is_in_bytes = is_warc or (source.kind is Kind.JSON_LINES and not source.name.endswith(".gz"))
    return capture.source_offset if is_in_bytes else None


def _scale(probes: Sequence[_Probe], total: int) -> tuple[float, ...]:
    """Return pages, hours and output bytes of the whole input."""
    factor = total / sum(probe.bytes_read for probe in probes)
    return (
        factor * sum(probe.pages for probe in probes),
        factor * sum(probe.cpu_seconds for probe in probes) / _SECONDS_PER_HOUR,
        factor * sum(probe.output_bytes for probe in probes),
    )


def _make_interval(value: float, draws: Sequence[float]) -> Interval:
    ranked = sorted(draws)
    tail = (1 - _COVERAGE) / 2
    low, high = ranked[int(tail * len(ranked))], ranked[int((1 - tail) * len(ranked))]
    return Interval(value, min(low, value), max(high, value))


def _show(interval: Interval, show: object) -> str:
    assert callable(show)
    return f"{show(interval.value)} ({show(interval.low)} to {show(interval.high)})"


def _show_count(value: float) -> str:
    return f"{round(value):,}"


def _show_hours(value: float) -> str:
    return f"{value:,.1f} hours" if value >= 1 else f"{value * _SECONDS_PER_HOUR:,.0f} s"
