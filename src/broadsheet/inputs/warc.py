"""WARC and ARC files. WARC needs the extra `archive`.

fastwarc finds the records; bodies are decoded here. Its own decoding (`auto_decode`) ends the iteration at the first
body that does not match its headers. It also ends quietly where a gzip file is truncated, and stops at damaged data:
so announced lengths are compared with those that were read, and the next record after a damaged place is searched for.
"""

from __future__ import annotations

import io
import os
import re
import sys
import zlib
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import IO, Any

from broadsheet.capture import Capture
from broadsheet.errors import FetchError, InputError
from broadsheet.extras import import_extra
from broadsheet.inputs.files import DAMAGED_RECORD, GZIP_MAGIC, TRUNCATED_RECORD, UnpackedFile
from broadsheet.inputs.options import ReadOptions
from broadsheet.page.file_type import detect_file_type, is_html
from broadsheet.web.body import make_decoder, parse_content_type

_HTML_TYPES = frozenset(("text/html", "application/xhtml+xml"))
_UNSPECIFIC_TYPES = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/unknown"))
_MEMBER_START = b"\x1f\x8b\x08"  # gzip, with the only compression method there is
_OTHER_MAGIC = (b"\x04\x22\x4d\x18", b"\x28\xb5\x2f\xfd")  # lz4 and zstd, which fastwarc unpacks
_RECORD_START = b"WARC/1."
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_CONTENT_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,18})", re.IGNORECASE | re.MULTILINE)
_LENGTH = re.compile(r"[0-9]{1,18}")
_MAX_DIGEST_BYTES = 64_000_000
_MAX_ENCODING_OVERHEAD = 65_536  # bytes; an encoded body is seldom larger than the decoded one
_PIECE_BYTES = 65_536
_HEAD_BYTES = 1_024  # of a record; enough for its first line, also if it is packed and the header of gzip has a name
_NOT_HTML = "not HTML"


class MisfitPiece(InputError):
    """A piece does not end where a record begins, as in an archive that contains another one: read the file whole."""


class _SharedMember(Exception):
    """Several records share a gzip member: offsets of the packed file do not tell them apart."""


class _FileBytes:
    """The bytes of a file, read when they are asked for.

    Not mmap: if another process truncated the file, this one would be killed.
    """

    def __init__(self, file: FileIO) -> None:
        self._file = file
        self.is_packed = self._starts_packed()

    def __len__(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def __getitem__(self, place: slice) -> bytes:
        start = place.start or 0
        end = len(self) if place.stop is None else place.stop
        self._file.seek(start)
        return self._file.read(max(end - start, 0))

    def find_all(self, mark: bytes, start: int = 0, end: int | None = None) -> Iterator[int]:
        """Yield the places of a mark, in order."""
        end = len(self) if end is None else min(end, len(self))
        while start < end:
            piece = self[start : min(start + _PIECE_BYTES, end) + len(mark) - 1]
            at = piece.find(mark)
            while at >= 0:
                yield start + at
                at = piece.find(mark, at + 1)
            start += _PIECE_BYTES

    def _starts_packed(self) -> bool:
        """Return whether a file is packed with gzip; its first bytes may be damaged."""
        if self[:2] == GZIP_MAGIC or self[:4] in _OTHER_MAGIC or self[: len(_RECORD_START)] == _RECORD_START:
            return self[:2] == GZIP_MAGIC
        has_record = any(True for _ in self.find_all(_RECORD_START, 0, _PIECE_BYTES))
        return not has_record and any(True for _ in self.find_all(_MEMBER_START, 0, _PIECE_BYTES))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A record as it was read."""

    capture: Capture
    is_damaged: bool = False  # what follows may not be where the record ends


def read_warc(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield a capture for every record: a page, a record that is skipped, or a fault. Offsets are those of the file.

    In a gzip file whose records are not packed one by one, offsets are those of the unpacked data.
    """
    yield from read_warc_as(name, name, options)


def read_warc_piece(path: str, name: str, options: ReadOptions, place: range) -> Iterator[Capture]:
    """Read the records that begin in a piece of a WARC file, whose borders are those of `find_boundaries`."""
    yield from _read_by_offset(path, name, options, place)


def find_boundaries(path: str, piece_bytes: int) -> list[int]:
    """Return offsets of records, about `piece_bytes` apart. None if records share a gzip member, or cannot be found.

    In a file that is not packed, the lengths of the records are followed: the text of a record may look like one.
    """
    with open(path, "rb") as file, open(path, "rb", buffering=0) as raw:  # noqa: PTH123
        data = _FileBytes(raw)
        if data[:4] in _OTHER_MAGIC:
            return []
        places = range(piece_bytes, len(data), piece_bytes)
        if not data.is_packed:
            return _follow_records(data, places)
        starts = (_find_readable(file, data, place, place + piece_bytes // 2) for place in places)
        return sorted({start for start in starts if start is not None})


def _follow_records(data: _FileBytes, places: range) -> list[int]:
    position = 0
    found: list[int] = []
    for place in places:
        while position < place:
            end = _find_end(data, position)
            if end is None or end + 4 >= len(data):
                return found
            position = end + 4  # two line ends
            if data[position : position + len(_RECORD_START)] != _RECORD_START:
                return found
        found.append(position)
    return sorted(set(found))


def read_warc_as(path: str, name: str, options: ReadOptions) -> Iterator[Capture]:
    """Read a WARC file under another name."""
    import_extra("fastwarc.warc", "archive")
    if not Path(path).stat().st_size:
        raise InputError(f"{name} is empty")
    count = 0
    try:
        for capture in _read_by_offset(path, name, options):
            count += 1
            yield capture
    except _SharedMember:
        for number, capture in enumerate(_read_unpacked(path, name, options)):
            if number >= count:
                yield capture


def _read_by_offset(path: str, name: str, options: ReadOptions, place: range = range(sys.maxsize)) -> Iterator[Capture]:
    """Read the records that begin in a place, and after a damaged one those that follow it."""
    with open(path, "rb") as file, open(path, "rb", buffering=0) as raw:  # noqa: PTH123
        data = _FileBytes(raw)
        start = _find_readable(file, data, place.start)
        if start is None and place.start == 0:
            raise InputError(f"{name} is not a WARC file, or it is damaged from its first record on")
        if start != place.start:
            yield _make_fault(name, place.start, f"damaged up to byte {start or place.stop}")
        while start is not None and start < place.stop:
            start = yield from _read_from(range(start, place.stop), file, data, name, options)


def _read_from(
    place: range, file: IO[bytes], data: _FileBytes, name: str, options: ReadOptions
) -> Generator[Capture, None, int | None]:
    """Read records up to a damaged place, or to other line ends. Return where to continue, or None at the end."""
    start, stop = place.start, place.stop
    has_line_feeds = _has_bare_line_feeds(data, start)
    last = start
    try:
        for record in _iterate(file, start, is_lenient=has_line_feeds):
            offset: int = record.stream_pos
            if offset >= stop:
                if offset > stop:
                    raise MisfitPiece(f"{name}: no record begins at byte {stop}, where a piece of the file ends")
                return None
            _check_offset(record, data, last, is_first=offset == start)
            if _has_bare_line_feeds(data, offset) != has_line_feeds:
                return offset
            if has_line_feeds and offset > last and _has_rest(data, last, offset):
                yield _make_fault(name, last + 1, f"damaged after the record at byte {last}")
            last = offset
            reading = _read_record(record, name, options, is_checked=data.is_packed)
            yield reading.capture
            if reading.is_damaged:
                return _find_readable(file, data, last + 1)
        fault = _find_truncation(data, last)
    except OSError as error:
        fault = f"damaged after the record at byte {last} ({str(error)[:100]})"
    if not fault:
        return None
    yield _make_fault(name, last + 1, fault)
    return _find_readable(file, data, last + 1)


def _read_unpacked(path: str, name: str, options: ReadOptions) -> Iterator[Capture]:
    with open(path, "rb") as packed:  # noqa: PTH123
        has_line_feeds = _has_bare_line_feeds(packed.read(_HEAD_BYTES))
        packed.seek(0)
        file = UnpackedFile(packed)
        last = 0
        try:
            for record in _iterate(file, 0, is_lenient=has_line_feeds):
                last = record.stream_pos
                yield _read_record(record, name, options, is_checked=True).capture
        except OSError:
            file.is_damaged = True
        if file.is_damaged:
            yield _make_fault(
                name, last + 1, f"truncated or damaged after the record at byte {last} of the unpacked data"
            )


def _iterate(file: IO[bytes] | UnpackedFile, start: int, *, is_lenient: bool = False) -> Iterator[Any]:
    """Yield the records of fastwarc from an offset on. Raises OSError where the data is damaged.

    Lenient: header lines may end in LF alone, and what is between two records is skipped silently.
    """
    iterator = import_extra("fastwarc.warc", "archive").ArchiveIterator
    file.seek(start)
    try:
        yield from iterator(file, parse_http=False, auto_decode="none", quirks_mode=is_lenient)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of Rust; not an Exception
            raise
        raise OSError(f"fastwarc failed: {error}") from error


def _check_offset(record: Any, data: _FileBytes, last: int, *, is_first: bool) -> None:
    """Raise _SharedMember if the record is not at the start of a gzip member of its own."""
    offset = record.stream_pos
    if data.is_packed and not is_first and (offset <= last or data[offset : offset + 2] != GZIP_MAGIC):
        raise _SharedMember


def _find_readable(file: IO[bytes], data: _FileBytes, position: int, end: int | None = None) -> int | None:
    """Return the offset of the first record at or after a position, or None. `end`: the search ends there."""
    # The start is tried in any case: it may be of another compression, or of another version of the format.
    if position == 0 and _is_readable(file, data, 0):
        return 0
    mark = _MEMBER_START if data.is_packed else _RECORD_START
    candidates = (at for at in data.find_all(mark, position, end) if not data.is_packed or _unpack_head(data, at))
    return next((at for at in candidates if _is_readable(file, data, at)), None)


def _is_readable(file: IO[bytes], data: _FileBytes, start: int) -> bool:
    with suppress(OSError):
        return next(_iterate(file, start, is_lenient=_has_bare_line_feeds(data, start)), None) is not None
    return False


def _unpack_head(data: bytes | _FileBytes, start: int = 0) -> bytes:
    """Return the first bytes of a packed record; b"" if there is none. Much faster than an attempt to read it."""
    try:
        head = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(data[start : start + _HEAD_BYTES], _HEAD_BYTES)
    except zlib.error:
        return b""
    return head if head.startswith(b"WARC/") else b""


def _find_truncation(data: _FileBytes, last: int) -> str:
    """Return what is wrong with the end of a file, given the offset of its last record; "" for nothing."""
    if not data.is_packed:
        return f"truncated in the record at byte {last}" if _is_cut(data, last) else ""
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    position = last
    try:
        while not stream.eof and position < len(data):
            stream.decompress(data[position : position + _PIECE_BYTES])
            position += _PIECE_BYTES
    except zlib.error:
        return f"damaged at the record at byte {last}"
    if not stream.eof:
        return f"truncated in the record at byte {last}"
    rest = stream.unused_data or data[min(position, len(data)) :]
    return f"truncated or damaged after the record at byte {last}" if rest.strip(b"\0\r\n") else ""


def _is_cut(data: _FileBytes, start: int) -> bool:
    """Tell whether a record that is not packed is longer than what is left of the file."""
    end = _find_end(data, start)
    return end is not None and end > len(data)


def _has_rest(data: _FileBytes, start: int, next_start: int) -> bool:
    """Tell whether there is more than white space between two records that are not packed."""
    end = None if data.is_packed else _find_end(data, start)
    return end is not None and bool(data[end:next_start].strip())


def _find_end(data: _FileBytes, start: int) -> int | None:
    """Return where a record that is not packed ends by its header, or None if the header is damaged."""
    head = data[start : start + _PIECE_BYTES]
    header_end = _HEADER_END.search(head)
    length = _CONTENT_LENGTH.search(head, 0, header_end.start()) if header_end else None
    return start + header_end.end() + int(length[1]) if header_end and length else None


def _has_bare_line_feeds(data: bytes | _FileBytes, start: int = 0) -> bool:
    """Tell whether the header lines of a record, which may be packed, end in LF alone."""
    head = data[start : start + _HEAD_BYTES]
    if head[:2] == GZIP_MAGIC:
        head = _unpack_head(head)
    line, line_feed, _ = head.partition(b"\n")
    return line.startswith(b"WARC/") and bool(line_feed) and not line.endswith(b"\r")


def _make_fault(name: str, offset: int, reason: str) -> Capture:
    # The offset is behind the start of the last record, so that the fault and that record have different ids.
    return Capture(source_file=name, source_offset=offset, fault=f"{name}: {reason}")


def _read_record(record: Any, name: str, options: ReadOptions, *, is_checked: bool) -> _Reading:
    """Read a record: its page, or why it has none. `is_checked`: gzip compares a checksum of its own."""
    url = (record.headers.get("WARC-Target-URI") or "").strip().strip("<>") or None
    origin = Capture(None, url, name, record.stream_pos, record.record_date)
    if record.headers.get("Content-Length") is None or "\n" in (record.headers.get("WARC-Type") or ""):
        fault = f"{name}: truncated or damaged in the header of the record at byte {record.stream_pos}"
        return _Reading(replace(origin, url=None, fault=fault), is_damaged=True)  # the address may be cut off too
    kind = str(record.record_type)
    if kind != "resource" and (kind != "response" or not record.is_http):
        return _skip(origin, "not HTTP" if kind == "response" else kind)
    has_wrong_digest = not is_checked and _has_wrong_digest(record)
    if kind == "resource":
        reading = _read_body(record, replace(origin, content_type=record.headers.get("Content-Type")), {}, options)
    else:
        reading = _read_response(record, origin, options)
    capture = reading.capture
    if has_wrong_digest and not capture.skipped and not reading.is_damaged and not capture.fault:
        return replace(reading, capture=replace(capture, fault=f"{DAMAGED_RECORD}: its WARC-Block-Digest differs"))
    return reading


def _has_wrong_digest(record: Any) -> bool:
    """Compare the digest of a record. That of its payload is not used: archives differ in what it covers."""
    if not record.headers.get("WARC-Block-Digest") or record.content_length > _MAX_DIGEST_BYTES:
        return False
    with suppress(OSError, ValueError):  # an unknown algorithm; damage is found when the body is read
        return not record.verify_block_digest(consume=False)
    return False


def _read_response(record: Any, origin: Capture, options: ReadOptions) -> _Reading:
    with suppress(OSError):
        record.parse_http(auto_decode="none", quirks_mode=True)  # servers may end header lines in LF alone
    http_headers = record.http_headers  # None, or an object that is false if it has a status line only
    status = None if http_headers is None else http_headers.status_code
    if status is None:
        return _Reading(replace(origin, fault=f"{origin.source_file}: the record has no HTTP header"))
    headers = {name.lower(): value for name, value in http_headers.astuples()}
    return _read_http(record, replace(origin, http_status=status), headers, options)


def _read_http(record: Any, origin: Capture, headers: Mapping[str, str], options: ReadOptions) -> _Reading:
    origin = replace(origin, content_type=headers.get("content-type"))
    if origin.http_status not in options.http_statuses:
        return _skip(origin, f"status {origin.http_status}")
    return _read_body(record, origin, headers, options)


def _read_body(record: Any, origin: Capture, headers: Mapping[str, str], options: ReadOptions) -> _Reading:
    media_type = parse_content_type(origin.content_type).media_type
    if media_type not in _HTML_TYPES | _UNSPECIFIC_TYPES:
        return _skip(origin, _NOT_HTML)
    max_bytes = options.max_read_bytes
    announced = min(record.content_length, max_bytes + _MAX_ENCODING_OVERHEAD)
    try:
        data = record.reader.read(announced)
    except OSError as error:
        fault = f"{origin.source_file}: {DAMAGED_RECORD} ({str(error)[:100]})"
        return _Reading(replace(origin, fault=fault), is_damaged=True)
    body = decode_body(
        data,
        transfer_encoding=headers.get("transfer-encoding", ""),
        content_encoding=headers.get("content-encoding", ""),
        max_bytes=max_bytes,
    )
    is_cut = len(data) < announced
    fault = TRUNCATED_RECORD if is_cut else body.fault or _find_cut(record, headers, data)
    if not body.data:
        return _Reading(replace(origin, fault=fault or "the body is empty"), is_cut)
    if detect_file_type(body.data) or (media_type in _UNSPECIFIC_TYPES and not is_html(body.data)):
        if fault:
            return _Reading(replace(origin, fault=fault), is_cut)
        return _Reading(replace(origin, skipped=_NOT_HTML))
    return _Reading(replace(origin, html=body.data, fault=fault), is_cut)


def _find_cut(record: Any, headers: Mapping[str, str], data: bytes) -> str:
    """Return what the archive says about a body that is not complete."""
    if reason := record.headers.get("WARC-Truncated"):
        return f"the body is truncated (WARC-Truncated: {reason})"
    length = headers.get("content-length", "")
    if "content-encoding" in headers or "transfer-encoding" in headers or not _LENGTH.fullmatch(length):
        return ""
    return "the body is truncated" if len(data) < min(int(length), record.content_length + 1) else ""


def _skip(origin: Capture, reason: str) -> _Reading:
    return _Reading(replace(origin, skipped=reason))


# ARC files, the format before WARC: a line with address, date, type and length, then the response.
_ARC_LINE = re.compile(rb"[a-z][a-z0-9+.-]*:\S.* \d{14} \S+ (?:.* )?\d{1,12}\r?\n", re.IGNORECASE)
_STATUS_LINE = re.compile(rb"HTTP/\d\S* (\d{3})")
_ARC_FIELDS = 5  # of version 1; the header of the file names those of its records


@dataclass(frozen=True, slots=True)
class _ArcRecord:
    """What `_read_body` reads of a record."""

    content_length: int
    reader: IO[bytes]
    headers: Mapping[str, str]


def read_arc(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield a capture for every record of an ARC file. Offsets are those of the unpacked data."""
    with open(name, "rb") as packed:  # noqa: PTH123 - the name as the user wrote it
        is_packed = packed.read(2) == GZIP_MAGIC
        packed.seek(0)
        unpacked = UnpackedFile(packed) if is_packed else None
        file = io.BufferedReader(unpacked) if unpacked else packed
        if _ARC_LINE.fullmatch(file.peek(_PIECE_BYTES)[:_PIECE_BYTES].partition(b"\n")[0] + b"\n") is None:
            raise InputError(f"{name} is not an ARC file, or it is damaged from its first record on")
        offset = yield from _read_arc_records(file, name, options)
        if unpacked and unpacked.is_damaged:
            yield _make_fault(name, offset + 1, f"truncated or damaged before byte {offset} of the unpacked data")


def _read_arc_records(file: IO[bytes], name: str, options: ReadOptions) -> Generator[Capture, None, int]:
    """Read records, and after a damaged place those that follow it. Return the offset of the end."""
    field_count, offset, is_damaged = _ARC_FIELDS, 0, False
    while line := file.readline(_PIECE_BYTES):
        start, offset = offset, offset + len(line)
        if not line.strip():
            continue
        if _ARC_LINE.fullmatch(line) is None:
            if not is_damaged:
                yield _make_fault(name, start, f"damaged at byte {start}")
            is_damaged = True
            continue
        is_damaged = False
        fields = line.decode("utf-8", "replace").rstrip("\r\n").rsplit(" ", field_count - 1)
        length, max_bytes = int(fields[-1]), options.max_read_bytes + 2 * _MAX_ENCODING_OVERHEAD
        data = file.read(min(length, max_bytes))
        offset += len(data)
        while offset < start + len(line) + length and (rest := file.read(min(length, _PIECE_BYTES))):
            offset += len(rest)
        if line.startswith(b"filedesc:"):
            names = data.split(b"\n")[1:2]
            field_count = len(names[0].split()) if names and names[0].split() else field_count
        else:
            yield _read_arc_record(fields, data, length, Capture(None, fields[0], name, start), options)
    return offset


def _read_arc_record(fields: list[str], data: bytes, length: int, origin: Capture, options: ReadOptions) -> Capture:
    with suppress(ValueError, IndexError):
        origin = replace(origin, fetched_at=datetime.strptime(fields[2], "%Y%m%d%H%M%S").replace(tzinfo=UTC))
    status, head_end = _STATUS_LINE.match(data), _HEADER_END.search(data)
    if status is None:
        return replace(origin, skipped="not HTTP")
    head, body = (data[: head_end.start()], data[head_end.end() :]) if head_end else (data, b"")
    lines = (line.partition(":") for line in head.decode("latin-1").splitlines()[1:])
    headers = {name.strip().lower(): value.strip() for name, mark, value in lines if mark}
    record = _ArcRecord(length - (len(data) - len(body)), io.BytesIO(body), {})
    return _read_http(record, replace(origin, http_status=int(status[1])), headers, options).capture


# Bodies of HTTP responses in archives: undo Transfer-Encoding and Content-Encoding, and keep what can be read.
# Archives contain bodies that do not match their headers: some crawlers store them decoded, connections break off. A
# body that does not match its header is taken as it is if it looks like HTML.
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_BODY_PIECE_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Body:
    """A decoded body."""

    data: bytes
    fault: str = ""  # what is missing


def decode_body(data: bytes, *, transfer_encoding: str, content_encoding: str, max_bytes: int) -> Body:
    """Decode a body to at most about `max_bytes`."""
    body = Body(data)
    if "chunked" in transfer_encoding.lower():
        body = _join_chunks(data)
    for encoding in reversed([name.strip() for name in content_encoding.split(",") if name.strip()]):
        unpacked = _unpack(body.data, encoding, max_bytes)
        body = Body(unpacked.data, body.fault or unpacked.fault)
    return Body(body.data[:max_bytes], body.fault)


def _join_chunks(data: bytes) -> Body:
    """Join the chunks of a body. One that is not chunked, in spite of its header, is returned as it is."""
    if not _CHUNK_SIZE.match(data):
        return Body(data)
    pieces: list[bytes] = []
    position = 0
    while size := _CHUNK_SIZE.match(data, position):
        length = int(size[1], 16)
        if not length:
            return Body(b"".join(pieces))
        pieces.append(data[size.end() : size.end() + length])
        position = size.end() + length
        position += 2 if data[position : position + 2] == b"\r\n" else 1
    if position >= len(data):
        return Body(b"".join(pieces), "the body is truncated: its last chunk is missing")
    pieces.append(data[position:])  # keep what follows, with the broken size: HTML is tolerant
    return Body(b"".join(pieces), "the body is garbled: a chunk has no size")


def _unpack(data: bytes, encoding: str, max_bytes: int) -> Body:
    """Undo one content encoding, piece by piece, so that the part before an error is kept."""
    if not data:
        return Body(data)
    output = bytearray()
    try:
        decoder = make_decoder(encoding)
        for start in range(0, len(data), _BODY_PIECE_BYTES):
            output += decoder.decode(data[start : start + _BODY_PIECE_BYTES], max_bytes - len(output))
            if len(output) >= max_bytes:
                return Body(bytes(output))
        if decoder.is_complete:
            return Body(bytes(output))
        fault = f"the body is truncated: its {encoding} data has no end"
    except FetchError as error:
        if not output and is_html(data):
            return Body(data)  # decoded by the crawler
        fault = f"the body is garbled: {str(error).partition(';')[0]}"
    return Body(bytes(output), fault)
