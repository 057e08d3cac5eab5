"""The kind of a source, by its content; the ending of its name decides only where the content is ambiguous."""

from __future__ import annotations

import os
import re
import stat
import zlib
from collections.abc import Collection
from enum import StrEnum

from broadsheet.page.file_type import detect_file_type, is_html
from broadsheet.web import is_address


class Kind(StrEnum):
    """A kind of source. The values are words for messages."""

    PAGE = "a page"
    ADDRESS = "an address"
    WARC = "a WARC file"
    ARC = "an ARC file"
    WACZ = "a WACZ file"
    MHTML = "an MHTML file"
    JSON_LINES = "a JSON Lines file"
    CSV = "a CSV file"
    PARQUET = "a Parquet file"
    ADDRESSES = "a list of addresses"
    INDEX = "an index of archives"
    ZIP = "a ZIP file"
    TAR = "a tar file"

    @property
    def is_single(self) -> bool:
        """Return whether the source is one page."""
        return self in (Kind.PAGE, Kind.ADDRESS, Kind.MHTML)


PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".shtml", ".mhtml", ".mht")
_WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4")
_ARC_ENDINGS = (".arc", ".arc.gz")
ARCHIVE_ENDINGS = (*_WARC_ENDINGS, *_ARC_ENDINGS, ".wacz")
# Files of these endings may contain pages, but in a folder they may also be the output of an earlier run.
_CONTAINER_ENDINGS = (
    ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".zip", ".tar", ".tgz", ".bz2", ".xz", ".zst", ".lz4", ".7z",
    ".rar", ".cdx", ".cdxj",
)  # fmt: skip
# Files of these endings in a folder are not opened to see whether they are pages.
_OTHER_ENDINGS = (
    ".css", ".js", ".mjs", ".json", ".jsonl", ".ndjson", ".map", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg",
    ".ico",
    ".avif", ".woff", ".woff2", ".ttf", ".eot", ".otf", ".mp3", ".mp4", ".webm", ".pdf", ".txt", ".md", ".xml", ".rss",
    ".csv", ".tsv", ".parquet", ".xlsx", ".zip", ".tar", ".tgz", ".bz2", ".xz", ".zst", ".py", ".sh", ".db", ".sqlite",
)  # fmt: skip
# Browsers save the parts of NAME.html in a folder NAME_files. The word depends on the language of the system.
_SAVED_SUFFIXES = (
    "_files", ".files", "_file", "-Dateien", "_fichiers", "_bestanden", "_archivos", "-filer", "_tiedostot", "_pliki",
    "_soubory", "_elemei", "_ficheiros", "_arquivos", "_dosyalar", "_datoteke", "_fitxers", "_failid", "_fails",
    "_bylos", "_fajlovi", "_fitxategiak",
)  # fmt: skip
_HEAD_BYTES = 65_536
_SMALL_HEAD_BYTES = 2_048
_TAR_MAGIC = slice(257, 262)
_INDEX_LINE = re.compile(rb"(?: CDX [A-Za-z ]+|\S+\)[^\s]* \d{14} (?:\{.*|\S+ \S+ .*))\r?\n")  # CDX and CDXJ
_MHTML_HEADER = re.compile(rb"\A(?:[A-Za-z-]{2,40}:[^\n]{0,2000}\n(?:[ \t][^\n]{0,2000}\n){0,50}){1,50}\r?\n")
_JSON_START = re.compile(rb"\{\s*(?:\"|\}|\Z)|\[\s*[\[{\"]")
_SPACE_AND_MARK = b"\xef\xbb\xbf \t\r\n"
_UTF16_MARK = b"\xff\xfe"
_COLUMN_NAMES = {b"file", b"url", b"html"}


def detect_kind(name: str) -> Kind:
    """Return the kind of a source. A file that cannot be read is a page: reading it explains why."""
    if is_address(name):
        return Kind.ADDRESS
    if not os.path.isfile(name):  # noqa: PTH113 - Path.is_file raises without permission; and a pipe is read once only
        return Kind.PAGE
    kind = detect_content(_read_head(name), name)
    return Kind.WACZ if kind is Kind.ZIP and _is_wacz(name) else kind


def detect_content(head: bytes, name: str = "") -> Kind:
    """Return the kind of a file by its first bytes, unpacked, and its name. Opens no file: a client may name any."""
    return _detect_binary(head, name) or _detect_text(head, name)


def find_page_kind(name: str) -> Kind | None:
    """Return the kind of a file in a folder; None if it is neither a page nor an archive of pages.

    Tables, lists and ZIP files in a folder are not read: they may be outputs of an earlier run. Reading a pipe or a
    device may never end.
    """
    if _is_special(name):
        return None
    if is_page_name(name):
        return Kind.MHTML if name.lower().endswith((".mhtml", ".mht")) else Kind.PAGE
    if name.lower().endswith(ARCHIVE_ENDINGS):
        return _find_archive_kind(name.lower())
    if not may_be_page(name) or not os.path.isfile(name):  # noqa: PTH113 - the same
        return None
    head = _read_head(name, _SMALL_HEAD_BYTES)
    return Kind.PAGE if is_html(head) and not detect_file_type(head) else None


def drop_saved_parts(folders: list[str], names: Collection[str]) -> None:
    """Remove the folders that a browser saved with a page, such as Story_files beside Story.html: frames and images."""
    stems = {name.rpartition(".")[0] for name in names if name.lower().endswith((".html", ".htm", ".xhtml"))}
    saved = {f"{stem}{suffix}" for stem in stems for suffix in _SAVED_SUFFIXES}
    folders[:] = [folder for folder in folders if folder not in saved]


def is_container_name(name: str) -> bool:
    """Return whether a file in a folder that was not read may contain pages, by its name."""
    lower = name.lower()
    return lower.endswith(".gz") or lower.endswith(_CONTAINER_ENDINGS)


def _find_archive_kind(name: str) -> Kind:
    if name.endswith(".wacz"):
        return Kind.WACZ
    return Kind.ARC if name.endswith(_ARC_ENDINGS) else Kind.WARC


def _is_special(name: str) -> bool:
    """Tell whether a name is that of a pipe, a socket or a device. A broken link is not: reading it explains why."""
    try:
        mode = os.stat(name).st_mode  # noqa: PTH116 - the same
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def is_json(head: bytes) -> bool:
    """Return whether a file starts like JSON."""
    return _JSON_START.match(head.lstrip(_SPACE_AND_MARK)) is not None


def is_page_name(name: str) -> bool:
    """Return whether a file in a folder or archive is a page, by its name."""
    return name.lower().removesuffix(".gz").endswith(PAGE_ENDINGS)


def may_be_page(name: str) -> bool:
    """Return whether a file in a folder or archive may be a page by its name; its content decides."""
    return not name.lower().removesuffix(".gz").endswith(_OTHER_ENDINGS)


def _detect_binary(head: bytes, name: str) -> Kind | None:
    lower = name.lower()
    if head.startswith(b"filedesc://") or lower.endswith(_ARC_ENDINGS):
        return Kind.ARC
    if head.startswith(b"WARC/") or lower.endswith(_WARC_ENDINGS):
        return Kind.WARC
    if head.startswith(b"PAR1"):
        return Kind.PARQUET
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return Kind.WACZ if lower.endswith(".wacz") else Kind.ZIP
    is_packed_tar = lower.endswith((".tar.bz2", ".tbz2", ".tar.xz", ".txz"))
    return Kind.TAR if head[_TAR_MAGIC] == b"ustar" or is_packed_tar else None


def _detect_text(head: bytes, name: str) -> Kind:
    lower = name.lower().removesuffix(".gz")
    text = head.lstrip(_SPACE_AND_MARK)
    if _INDEX_LINE.match(head):
        return Kind.INDEX
    if is_json(text) or lower.endswith((".jsonl", ".ndjson")):
        return Kind.JSON_LINES
    if lower.endswith((".mhtml", ".mht")) or _is_mhtml(text):
        return Kind.MHTML
    if _is_list_of_addresses(text, is_whole=len(head) < _HEAD_BYTES):
        return Kind.ADDRESSES
    return Kind.CSV if _is_table(head, lower) else Kind.PAGE


def _is_table(head: bytes, name: str) -> bool:
    """Tell a table from a page by its first line, which names the columns: the pages in a table are HTML too."""
    first_line = head.replace(b"\0", b"").lstrip(_SPACE_AND_MARK + _UTF16_MARK).partition(b"\n")[0]
    if b"<" in first_line or name.endswith(PAGE_ENDINGS):
        return False
    columns = {column.strip(b'" \r\n') for column in re.split(rb"[,;\t]", first_line)}
    has_columns = not columns.isdisjoint(_COLUMN_NAMES) and (len(columns) > 1 or not is_html(head))
    return has_columns or name.endswith((".csv", ".tsv"))


def _is_mhtml(text: bytes) -> bool:
    header = _MHTML_HEADER.match(text)
    return header is not None and b"multipart/related" in header[0].lower()


def _is_list_of_addresses(text: bytes, *, is_whole: bool) -> bool:
    lines = text.split(b"\n") if is_whole else text.split(b"\n")[:-1]  # the last line may be cut
    entries = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith(b"#")]
    return bool(entries) and all(
        entry.lower().startswith((b"http://", b"https://")) and b"<" not in entry and b" " not in entry
        for entry in entries
    )


def _is_wacz(name: str) -> bool:
    import zipfile  # imported here: most pages are not in archives

    try:
        with zipfile.ZipFile(name) as archive:
            return "datapackage.json" in archive.namelist() and any(
                member.startswith("archive/") for member in archive.namelist()
            )
    except (OSError, zipfile.BadZipFile, NotImplementedError):
        return False


def _read_head(name: str, size: int = _HEAD_BYTES) -> bytes:
    try:
        with open(name, "rb") as file:  # noqa: PTH123 - the name as the user wrote it
            head = file.read(size)
        if not head.startswith(b"\x1f\x8b"):
            return head
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(head, size)  # works on truncated data
    except (OSError, zlib.error):
        return b""
