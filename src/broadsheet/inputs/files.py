"""Files of pages: opened, also packed with gzip; their errors in words; and what is wrong with them at a page."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from broadsheet.capture import Capture

GZIP_MAGIC = b"\x1f\x8b"
_PIECE_BYTES = 65_536


def open_packed(name: str) -> BinaryIO:
    """Open a file for reading bytes, unpacked."""
    path = Path(name)
    with path.open("rb") as file:
        is_packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    return cast("BinaryIO", gzip.open(path)) if is_packed else path.open("rb")


class UnpackedFile(io.RawIOBase):
    """The unpacked data of a gzip file, read once from its start. Damaged data ends it; `is_damaged` says so."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._position = 0
        self.is_damaged = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True: fastwarc asks for the position, but never moves it."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Return the position. It cannot be changed."""
        if (offset, whence) not in ((self._position, io.SEEK_SET), (0, io.SEEK_CUR)):
            raise io.UnsupportedOperation("an unpacked file is read from its start to its end")
        return self._position

    def tell(self) -> int:
        """Return the position in the unpacked data."""
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, and return the number of bytes; 0 at the end."""
        view = memoryview(buffer).cast("B")
        data = self._unpack(len(view))
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _unpack(self, size: int) -> bytes:
        data = b""
        while not data and not self.is_damaged:
            piece = self._stream.unconsumed_tail or self._stream.unused_data or self._file.read(_PIECE_BYTES)
            if not piece:
                self.is_damaged = not self._stream.eof
                break
            if self._stream.eof:  # the next member
                self._stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
            try:
                data = self._stream.decompress(piece, size)
            except zlib.error:
                self.is_damaged = True
        return data


def list_file_errors() -> tuple[type[Exception], ...]:
    """Return the errors of files that are missing, damaged, or of a kind that cannot be unpacked."""
    import lzma  # imported here: most pages are not in archives
    import struct
    import tarfile
    import zipfile

    # RuntimeError: a member of a ZIP file is encrypted, or its compression is not supported.
    archive_errors = (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, struct.error)
    return OSError, EOFError, ValueError, RuntimeError, *archive_errors


def explain_error(error: Exception, name: str) -> str:
    """Return the reason why a file could not be read, with advice where there is some."""
    import tarfile  # imported here: most pages are not in archives
    import zipfile

    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"no such file; {suggest_address(name) or 'check the name'}"
    if isinstance(error, zipfile.BadZipFile | NotImplementedError):
        return f"the file is not valid ZIP ({_first_line(error)})"
    if isinstance(error, tarfile.TarError):
        return f"the file is not valid tar ({_first_line(error)})"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    if isinstance(error, EOFError | zlib.error) or type(error).__name__ == "BadGzipFile":
        return "the file is truncated" if isinstance(error, EOFError) else "the file is not valid gzip"
    return _first_line(error) or type(error).__name__


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(" :")


def suggest_address(name: str) -> str:
    """Return advice for a name that looks like an address but cannot be fetched as written."""
    scheme, mark, rest = name.partition("://")
    if mark and scheme.lower() == "file":
        return f"for a file write its path: {rest}"
    if mark:
        return f"only http and https addresses can be fetched: write https://{rest}"
    host, _, path = name.partition("/")
    is_host = host.lower().startswith("www.") or (path and "." in host.lstrip(".") and not os.path.exists(host))  # noqa: PTH110
    return f"for a page on the web write https://{name}" if is_host else ""


TRUNCATED_FILE = "the file is truncated"  # fault of a page that is a file of its own
TRUNCATED_RECORD = "the record is truncated"  # of a page whose file ends or is damaged inside it
DAMAGED_RECORD = "the record is damaged"


def find_file_fault(capture: Capture, name: str) -> str:
    """Return what is wrong with the file at the page of a capture; "" for nothing, or for a fault of the page."""
    if capture.fault == TRUNCATED_FILE:
        return f"{name}: {TRUNCATED_FILE}"
    if capture.fault != TRUNCATED_RECORD and DAMAGED_RECORD not in capture.fault:
        return ""
    return f"{name}: truncated or damaged in the record at byte {capture.source_offset}"
