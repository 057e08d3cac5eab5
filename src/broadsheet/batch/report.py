"""report.json and report.html: what is in the parts, and what went wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from broadsheet.batch.output import Output
from broadsheet.batch.part import Failure, Part
from broadsheet.batch.report_html import write_html
from broadsheet.extras import import_extra
from broadsheet.version import __version__

_BINS = 10  # of confidences
_MAX_NAMES = 50  # hosts and languages in the report
_MAX_FAULTS = 1_000
_COLUMNS = ["status", "host", "language", "date", "confidence"]


@dataclass(frozen=True, slots=True)
class BatchReport:
    """Numbers of all parts."""

    broadsheet_version: str
    inputs: int
    input_bytes: int
    output_bytes: int
    rows: int
    statuses: dict[str, int]
    skipped: dict[str, int]  # records that are not pages, by reason
    dropped: dict[str, int]  # pages that a filter or the sample left out, by reason
    hosts: dict[str, int]  # the most frequent
    host_count: int
    languages: dict[str, int]
    years: dict[str, int]
    confidences: list[int]  # articles with the status ok, in ten bins from 0 to 1
    cpu_seconds: float
    ms_per_row: float  # of processor time
    faults: list[dict[str, str]] = field(default_factory=list)  # inputs that could not be read completely
    failures: list[dict[str, str]] = field(default_factory=list)  # inputs without a part: run again


def write_reports(output: Output, parts: Sequence[Part], failures: Sequence[Failure]) -> BatchReport:
    """Write report.json and report.html to the output folder."""
    report = make_report(output, parts, failures)
    output.write_text("report.json", json.dumps(asdict(report), ensure_ascii=False, indent=1))
    output.write_text("report.html", write_html(report, output.name))
    return report


def make_report(output: Output, parts: Sequence[Part], failures: Sequence[Failure]) -> BatchReport:
    """Count the rows of all parts. Only the columns that are counted are read."""
    counts: dict[str, Counter[Any]] = {name: Counter() for name in ("host", "language", "year", "bin")}
    for batch in _read_parts(output, parts):
        _count_batch(batch, counts)
    rows, cpu = sum(part.rows for part in parts), sum(part.cpu_seconds for part in parts)
    return BatchReport(
        broadsheet_version=__version__,
        inputs=len(parts) + len(failures),
        input_bytes=sum(part.input_bytes for part in parts),
        output_bytes=sum(part.file_bytes for part in parts),
        rows=rows,
        statuses=_add_counts([part.statuses for part in parts]),
        skipped=_add_counts([part.skipped for part in parts]),
        dropped=_add_counts([part.dropped for part in parts]),
        hosts=dict(_rank(counts["host"])[:_MAX_NAMES]),
        host_count=len(counts["host"]),
        languages=dict(_rank(counts["language"])[:_MAX_NAMES]),
        years=dict(sorted(counts["year"].items())),
        confidences=[counts["bin"][number] for number in range(_BINS)],
        cpu_seconds=round(cpu, 1),
        ms_per_row=round(1000 * cpu / rows, 2) if rows else 0.0,
        faults=[{"source": part.source, "reason": part.fault} for part in parts if part.fault][:_MAX_FAULTS],
        failures=[{"source": item.source.name, "reason": item.reason} for item in failures][:_MAX_FAULTS],
    )


def _read_parts(output: Output, parts: Sequence[Part]) -> Iterator[dict[str, list[Any]]]:
    parquet = import_extra("pyarrow.parquet", "tables")
    for part in parts:
        with output.open_part(part) as opened, parquet.ParquetFile(opened) as file:
            for batch in file.iter_batches(columns=_COLUMNS):
                yield batch.to_pydict()


def _count_batch(batch: dict[str, list[Any]], counts: dict[str, Counter[Any]]) -> None:
    counts["host"].update(host for host in batch["host"] if host)
    counts["language"].update(language for language in batch["language"] if language)
    counts["year"].update(str(moment.year) for moment in batch["date"] if moment)
    pairs = zip(batch["status"], batch["confidence"], strict=True)
    counts["bin"].update(min(int(value * _BINS), _BINS - 1) for status, value in pairs if status == "ok")


def _add_counts(items: Sequence[Any]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for item in items:
        total.update(item)
    return dict(_rank(total))


def _rank(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
