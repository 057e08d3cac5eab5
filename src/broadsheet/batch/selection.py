"""Units of work that are smaller or larger than a file: pieces of big WARC files, and records that an index selects.

An index is a Parquet file of Common Crawl's columnar index, or a CDX or CDXJ file. The filters choose its lines; only
the records that they name are read, by ranges.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from broadsheet.batch.options import BatchOptions
from broadsheet.batch.sources import (
    InputUnavailable,
    Source,
    SourceList,
    describe_fault,
    is_remote,
    open_system,
    retry_steps,
)
from broadsheet.capture import Capture
from broadsheet.errors import InputError, UsageError
from broadsheet.extras import import_extra
from broadsheet.inputs import Kind
from broadsheet.inputs.warc import find_boundaries
from broadsheet.web.body import parse_content_type

_INDEX_ENDINGS = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz", ".parquet")
_MAX_GAP = 16_384  # bytes between two records that are read in one request
_RANGES_AT_A_TIME = 64
_MIN_PIECES = 1.5  # smaller files are not cut


def expand_sources(listed: SourceList, options: BatchOptions, archives: str = "") -> SourceList:
    """Replace indexes by the records that they select, and big files by pieces. `archives`: where the files are."""
    sources: list[Source] = []
    problems = list(listed.problems)
    records: dict[str, array[int]] = defaultdict(lambda: array("Q"))
    for source in listed.sources:
        if archives or source.kind is Kind.INDEX:
            if not source.name.lower().endswith(_INDEX_ENDINGS) and source.kind is not Kind.INDEX:
                raise UsageError(f"--archives is for indexes (CDX, CDXJ, Parquet), and {source.name} is none")
            _select(source, options, archives or os.path.dirname(source.path), records)  # noqa: PTH120
        else:
            sources.extend(_cut(source, options.piece_mb * 1_000_000))
    if archives and not records:
        problems.append("no line of the index passes the filters")
    sources.extend(_make_selected(name, places) for name, places in sorted(records.items()))
    return replace(listed, sources=tuple(sources), problems=tuple(problems))


def _cut(source: Source, piece_bytes: int) -> Iterator[Source]:
    """Yield the pieces of a local WARC file whose records are packed one by one, or not at all."""
    if (
        not piece_bytes
        or source.kind is not Kind.WARC
        or is_remote(source.path)
        or source.size < _MIN_PIECES * piece_bytes
    ):
        yield source
        return
    places = [0, *find_boundaries(source.path, piece_bytes), source.size]
    for start, end in pairwise(places):
        yield replace(source, size=end - start, start=start, end=end) if len(places) > 2 else source


def _make_selected(name: str, places: array[int]) -> Source:
    """Return the unit of work of the selected records of a file: pairs of offset and length."""
    pairs = sorted(set(zip(places[::2], places[1::2], strict=True)))
    records = array("Q", [number for pair in pairs for number in pair]).tobytes()
    path = name if is_remote(name) else str(Path(name).resolve())
    digest = hashlib.sha256(records).hexdigest()[:20]
    return Source(name, path, digest, sum(length for _, length in pairs), Kind.WARC, records=records)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of an index."""

    file: str
    offset: int
    length: int
    capture: Capture  # without a page
    languages: str = ""


def _select(source: Source, options: BatchOptions, archives: str, records: dict[str, array[int]]) -> None:
    reader = _read_columns if source.name.lower().endswith(".parquet") else _read_lines
    for line in reader(source, options):
        if line.length > 0 and _is_selected(line, options):
            # Names in an index may be absolute; otherwise they are relative to the archives.
            is_whole = is_remote(line.file) or not archives
            name = line.file if is_whole else f"{archives.rstrip('/')}/{line.file}"
            records[name].extend((line.offset, line.length))


def _is_selected(line: _Line, options: BatchOptions) -> bool:
    capture, filters = line.capture, options.filters
    if capture.http_status is not None and capture.http_status not in options.read.http_statuses:
        return False
    media_type = parse_content_type(capture.content_type).media_type
    if media_type not in ("", *_PAGE_TYPES):
        return False
    languages = {_LANGUAGES.get(code, code) for code in line.languages.split(",") if code}
    if filters.declared_languages and languages and languages.isdisjoint(filters.declared_languages):
        return False
    return not filters.check_capture(replace(capture, html=""))


_PAGE_TYPES = ("text/html", "application/xhtml+xml", "application/octet-stream")
# Common Crawl's index has codes of ISO 639-3. Those of languages that are not here are compared as they are.
_LANGUAGES = dict(
    pair.split(":")
    for pair in (
        "ara:ar ben:bn bul:bg cat:ca ces:cs dan:da deu:de ell:el eng:en est:et eus:eu fas:fa fin:fi fra:fr glg:gl "
        "guj:gu heb:he hin:hi hrv:hr hun:hu hye:hy ind:id isl:is ita:it jpn:ja kan:kn kat:ka kaz:kk kor:ko lav:lv "
        "lit:lt mal:ml mar:mr mkd:mk msa:ms nep:ne nld:nl nno:nn nor:no pan:pa pol:pl por:pt ron:ro rus:ru sin:si "
        "slk:sk slv:sl spa:es sqi:sq srp:sr swa:sw swe:sv tam:ta tel:te tha:th tur:tr ukr:uk urd:ur uzb:uz "
        "vie:vi zho:zh"
    ).split()
)

_INDEX_COLUMNS = ("warc_filename", "warc_record_offset", "warc_record_length")
_FILTER_COLUMNS = ("url", "fetch_status", "content_mime_detected", "content_languages", "fetch_time", "url_surtkey")


def _read_columns(source: Source, options: BatchOptions) -> Iterator[_Line]:
    """Yield the rows of a columnar index. Groups of rows whose addresses cannot match are not read."""
    parquet = import_extra("pyarrow.parquet", "tables")
    with _open(source) as opened, parquet.ParquetFile(opened) as file:
        names = file.schema_arrow.names
        if missing := [name for name in _INDEX_COLUMNS if name not in names]:
            raise InputError(f"{source.name} has no column {missing[0]!r}; it is not an index of archives")
        columns = [name for name in (*_INDEX_COLUMNS, *_FILTER_COLUMNS[:-1]) if name in names]
        groups = [group for group in range(file.num_row_groups) if _may_have_hosts(file, group, options.filters.hosts)]
        for batch in file.iter_batches(row_groups=groups, columns=columns) if groups else ():
            for row in batch.to_pylist():
                moment = row.get("fetch_time")
                capture = Capture(
                    url=row.get("url"),
                    fetched_at=moment.replace(tzinfo=UTC) if isinstance(moment, datetime) else None,
                    content_type=row.get("content_mime_detected"),
                    http_status=row.get("fetch_status"),
                )
                places = (row["warc_filename"], row["warc_record_offset"], row["warc_record_length"])
                yield _Line(*places, capture, row.get("content_languages") or "")


def _may_have_hosts(file: Any, group: int, hosts: Sequence[str]) -> bool:
    """Compare the least and the greatest address of a group of rows with the hosts, as "com,example"."""
    names = file.schema_arrow.names
    if not hosts or "url_surtkey" not in names:
        return True
    statistics = file.metadata.row_group(group).column(names.index("url_surtkey")).statistics
    if statistics is None or not statistics.has_min_max:
        return True
    prefixes = (",".join(reversed(host.split("."))) for host in hosts)
    return any(statistics.min <= f"{prefix}\U0010ffff" and statistics.max >= prefix for prefix in prefixes)


_LETTERS = {"a": "url", "b": "timestamp", "m": "mime", "s": "status", "S": "length", "V": "offset", "g": "filename"}
_USUAL_LETTERS = "N b a m s k r M S V g".split()


def _read_lines(source: Source, options: BatchOptions) -> Iterator[_Line]:  # noqa: ARG001 - the signature of readers
    """Yield the lines of a CDX or CDXJ file. Those that cannot be read are left out."""
    letters = _USUAL_LETTERS
    with _open(source) as opened:
        is_packed = opened.read(2) == b"\x1f\x8b"
        opened.seek(0)
        file: Any = gzip.GzipFile(fileobj=opened) if is_packed else opened
        for line in io.TextIOWrapper(file, "utf-8", "replace"):
            if line.startswith(" CDX "):
                letters = line.split()[1:]
                continue
            fields = _read_json_line(line) if "{" in line else _read_field_line(line, letters)
            try:
                yield _Line(
                    fields["filename"], int(fields["offset"]), int(fields["length"]), _make_capture(fields),
                    fields.get("languages", ""),
                )  # fmt: skip
            except (KeyError, ValueError, TypeError):
                continue


def _read_json_line(line: str) -> dict[str, str]:
    head, _, rest = line.partition("{")
    try:
        fields = json.loads("{" + rest)
    except ValueError:
        return {}
    words = head.split()
    return {"timestamp": words[1] if len(words) > 1 else "", **{key: str(value) for key, value in fields.items()}}


def _read_field_line(line: str, letters: Sequence[str]) -> dict[str, str]:
    return {_LETTERS[letter]: value for letter, value in zip(letters, line.split(), strict=False) if letter in _LETTERS}


def _make_capture(fields: Mapping[str, str]) -> Capture:
    moment = None
    if re.fullmatch(r"\d{14}", fields.get("timestamp", "")):
        moment = datetime.strptime(fields["timestamp"], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    status, mime = fields.get("status", ""), fields.get("mime-detected") or fields.get("mime", "")
    return Capture(
        url=fields.get("url"),
        fetched_at=moment,
        content_type=mime if "/" in mime else None,
        http_status=int(status) if status.isdigit() else None,
    )


def _open(source: Source) -> Any:
    if not is_remote(source.path):
        return Path(source.path).open("rb")
    system, path = open_system(source.path)
    return system.open(path, "rb")


def copy_records(source: Source, target: Path) -> Iterator[None]:
    """Copy the selected records of a file, one after the other. Raises InputUnavailable."""
    places = array("Q", source.records)
    pairs = list(zip(places[::2], places[1::2], strict=True))
    with target.open("wb") as file:
        for number in range(0, len(pairs), _RANGES_AT_A_TIME):
            some = pairs[number : number + _RANGES_AT_A_TIME]
            try:
                for data in (yield from _read_ranges(source, some)):
                    file.write(data)
            except InputUnavailable:
                raise
            except Exception as error:  # stores raise errors of their own
                raise InputUnavailable(f"cannot read {source.name}: {describe_fault(error)}") from error
            yield None


def _read_ranges(source: Source, pairs: Sequence[tuple[int, int]]) -> Any:
    """Return the bytes of each record. Records that are close are read together."""
    runs: list[tuple[int, int]] = []
    for offset, length in pairs:
        if runs and offset - runs[-1][1] <= _MAX_GAP:
            runs[-1] = (runs[-1][0], max(runs[-1][1], offset + length))
        else:
            runs.append((offset, offset + length))
    if is_remote(source.path):
        system, path = open_system(source.path)
        starts, ends = [start for start, _ in runs], [end for _, end in runs]
        pieces = yield from retry_steps(lambda: system.cat_ranges([path] * len(runs), starts, ends), source.name)
    else:
        with Path(source.path).open("rb") as file:
            pieces = [(file.seek(start), file.read(end - start))[1] for start, end in runs]
    firsts = [start for start, _ in runs]
    records = []
    for offset, length in pairs:
        run = bisect_right(firsts, offset) - 1
        data = bytes(pieces[run][offset - firsts[run] : offset - firsts[run] + length])
        if len(data) < length:
            raise InputUnavailable(f"cannot read {source.name}: it has no {length:,} bytes at byte {offset}")
        records.append(data)
    return records


class Offsets:
    """The places in an archive of the records that were copied from it."""

    def __init__(self, source: Source) -> None:
        places = array("Q", source.records)
        self._starts = places[::2]
        self._copied = array("Q", [0])
        for length in places[1::2]:
            self._copied.append(self._copied[-1] + length)

    def restore(self, offset: int) -> int:
        """Return the place in the archive of a place in the copy."""
        number = min(bisect_right(self._copied, offset), len(self._starts)) - 1
        return self._starts[number] + offset - self._copied[number]
