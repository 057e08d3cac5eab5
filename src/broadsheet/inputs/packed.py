"""Files that may be packed with gzip, recognized by their content."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

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
