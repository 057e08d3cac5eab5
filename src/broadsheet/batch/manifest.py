"""The manifest: an entry for each part, written after it. An input is done if entry, options, input and part agree.

_manifest/options.json           the options of the run
_manifest/<key>.json             the entry of a part
_manifest/segment-<hash>.jsonl   entries of many parts: a start reads a few files instead of one per part
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadsheet.batch.store import Output

ENTRY_VERSION = 1
FOLDER = "_manifest"
OPTIONS = f"{FOLDER}/options.json"
SEGMENT_PARTS = 1_000  # entries that are moved to a segment together
_SEGMENT = re.compile(rf"{FOLDER}/segment-[0-9a-f]+\.jsonl")
_ENTRY = re.compile(rf"{FOLDER}/([0-9a-f]{{1,64}})\.json")
_KEY = re.compile(r"[0-9a-f]{1,64}")
_PART_NAME = re.compile(r"[^/\\\0._][^/\\\0]*\.parquet")
_MAX_LISTINGS = 5  # while another run moves entries to segments


@dataclass(frozen=True, slots=True)
class Part:
    """The output of one unit of work, and the entry of the manifest."""

    source: str  # name of the input, as the user wrote it
    key: str  # hash of its location
    stamp: str  # size and time of change, or the etag: tells whether the input has changed
    options: str  # hash of the options
    file: str  # name of the Parquet file in the output folder
    file_bytes: int
    rows: int
    statuses: Mapping[str, int] = field(default_factory=dict)  # rows by status
    skipped: Mapping[str, int] = field(default_factory=dict)  # records that are not pages, by reason
    dropped: Mapping[str, int] = field(default_factory=dict)  # pages that a filter or the sample left out, by reason
    fault: str = ""  # what was wrong with the file; its readable pages are rows anyway
    input_bytes: int = 0
    seconds: float = 0.0  # elapsed
    cpu_seconds: float = 0.0
    version: int = ENTRY_VERSION
    passing: int = 0  # rows that failed for a reason that can pass: time, memory, a lost process
    origin: str = ""  # key of the whole input, if this is a piece of it
    hosts: Mapping[str, int] = field(default_factory=dict)  # rows by host; the most frequent ones
    host_count: int = -1  # -1: entries of 0.2, which have no counts by host, language, year and confidence
    languages: Mapping[str, int] = field(default_factory=dict)
    years: Mapping[str, int] = field(default_factory=dict)
    confidences: Mapping[str, int] = field(default_factory=dict)  # rows with the status ok, by tenth


_REQUIRED = tuple(item.name for item in fields(Part))[:15]  # of the first version


def write_entry(part: Part) -> str:
    """Return a part as one line of JSON. ASCII, because names of files may not be valid Unicode."""
    values = {item.name: getattr(part, item.name) for item in fields(part)}
    return json.dumps({name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()})


def read_entry(text: str | bytes) -> Part | None:
    """Return the part of an entry; None if it is damaged, of another version, or not one that `batch` writes."""
    try:
        values = json.loads(text)
        if values["version"] != ENTRY_VERSION:
            return None
        part = Part(
            **{item.name: values[item.name] for item in fields(Part) if item.name in values or item.name in _REQUIRED}
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return part if _has_valid_values(part) else None


def _has_valid_values(part: Part) -> bool:
    """Check the types, and that key and file are plain names: parts are removed by their names."""
    texts = (part.source, part.key, part.stamp, part.options, part.file, part.fault, part.origin)
    numbers = (part.file_bytes, part.rows, part.input_bytes, part.seconds, part.cpu_seconds, part.passing)
    counts = (
        *(part.statuses, part.skipped, part.dropped),
        *(part.hosts, part.languages, part.years, part.confidences),
    )
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(number, int | float) and number >= 0 for number in numbers)
        and all(isinstance(count, dict) and all(isinstance(n, int) for n in count.values()) for count in counts)
        and isinstance(part.host_count, int)
        and _KEY.fullmatch(part.key) is not None
        and _PART_NAME.fullmatch(part.file) is not None
    )


def name_entry(key: str) -> str:
    """Return the name of an entry."""
    return f"{FOLDER}/{key}.json"


def read_entries(output: Output) -> Iterator[Part]:
    """Yield the entries whose parts are there, complete, each key once. Two listings tell the sizes of all parts."""
    sizes = output.list_sizes("")
    for part in _read_all(output).values():
        if sizes.get(part.file) == part.file_bytes:
            yield part


def _read_all(output: Output) -> dict[str, Part]:
    """Read segments and entries. An entry is newer than that of a segment with the same key."""
    for _ in range(_MAX_LISTINGS):
        names = sorted(output.list_sizes(FOLDER))
        segments = [name for name in names if _SEGMENT.fullmatch(name)]
        singles = [name for name in names if _ENTRY.fullmatch(name)]
        contents = dict(output.read_many([*segments, *singles]))
        if None not in contents.values():
            break
    entries: dict[str, Part] = {}
    for name in segments:
        entries |= {part.key: part for line in (contents.pop(name) or b"").splitlines() if (part := read_entry(line))}
    for name in singles:
        part = read_entry(contents[name] or b"")
        if part is not None and name == name_entry(part.key):
            entries[part.key] = part
    return entries


def move_to_segment(output: Output, parts: Sequence[Part]) -> None:
    """Write the entries of parts to a segment, then remove the single ones."""
    _write_segment(output, [write_entry(part) for part in parts])
    output.delete([name_entry(part.key) for part in parts])


def _write_segment(output: Output, lines: Iterable[str]) -> str:
    data = "".join(f"{line}\n" for line in lines).encode()
    name = f"{FOLDER}/segment-{hashlib.sha256(data).hexdigest()[:20]}.jsonl"
    output.write(name, data)
    return name


def gather(output: Output, parts: Sequence[Part]) -> None:
    """Move single entries of these parts to a segment if there are many, as after a run that was killed."""
    names = output.list_sizes(FOLDER)
    loose = [part for part in parts if name_entry(part.key) in names]
    if len(loose) >= SEGMENT_PARTS:
        move_to_segment(output, loose)


def loosen(output: Output, parts: Sequence[Part]) -> None:
    """Move entries from segments to files of their own, which are replaced when their parts are."""
    _take_from_segments(output, {part.key: part for part in parts}, is_kept=True)


def remove_parts(output: Output, parts: Sequence[Part]) -> None:
    """Remove parts and their entries. The entries first: a part without one is not counted as done."""
    if parts:
        _take_from_segments(output, {part.key: part for part in parts}, is_kept=False)
        names = output.list_sizes(FOLDER)
        output.delete([name for part in parts if (name := name_entry(part.key)) in names])
        output.delete([part.file for part in parts])


def _take_from_segments(output: Output, parts: Mapping[str, Part], *, is_kept: bool) -> None:
    if not parts:
        return
    segments = [name for name in output.list_sizes(FOLDER) if _SEGMENT.fullmatch(name)]
    for name, content in output.read_many(segments):
        entries = [entry for line in (content or b"").splitlines() if (entry := read_entry(line))]
        kept = [entry for entry in entries if entry.key not in parts]
        if len(kept) == len(entries):
            continue
        if is_kept:
            for entry in entries:
                if parts.get(entry.key) == entry:
                    output.write(name_entry(entry.key), write_entry(entry).encode())
        if kept:
            _write_segment(output, [write_entry(entry) for entry in kept])
        output.delete([name])
