"""Bodies of HTTP messages: Content-Type, and decoding with bounded output."""

from __future__ import annotations

import gzip
import sys
import zlib
from types import SimpleNamespace

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.errors import FetchError
from broadsheet.web.body import ContentType, list_encodings, make_decoder, parse_content_type


@pytest.mark.parametrize(
    ("header", "media_type", "charset"),
    [
        (None, "", None),
        ("", "", None),
        ("text/html", "text/html", None),
        ("Text/HTML; Charset=UTF-8", "text/html", "utf-8"),
        ('text/html;charset="iso-8859-1"', "text/html", "iso-8859-1"),
        ("html", "text/plain", None),
    ],
)
def test_parse_content_type(header: str | None, media_type: str, charset: str | None) -> None:
    assert parse_content_type(header) == ContentType(media_type, charset)


@given(st.text(st.characters(max_codepoint=255)))
def test_any_header(text: str) -> None:
    parse_content_type(text)
    parse_content_type(f"text/html; charset={text}")
    parse_content_type(f"text/html; charset*={text}'en'{text}")


TEXT = b"".join(b"%d bottles, " % number for number in range(20_000))


def compress_raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


ENCODED = {
    "identity": TEXT,
    "gzip": gzip.compress(TEXT),
    "GZIP ": gzip.compress(TEXT[:1000]) + gzip.compress(b"") + gzip.compress(TEXT[1000:]) + b"trailing data",
    "deflate": zlib.compress(TEXT),
    " deflate": compress_raw_deflate(TEXT),
    "br": brotli.compress(TEXT),
}


@pytest.mark.parametrize("piece_bytes", [1, 1000, 1_000_000])
@pytest.mark.parametrize("encoding", ENCODED)
def test_decode_in_pieces_of_any_size(encoding: str, piece_bytes: int) -> None:
    decoder = make_decoder(encoding)
    data = ENCODED[encoding]
    pieces = (data[start : start + piece_bytes] for start in range(0, len(data), piece_bytes))
    assert b"".join(decoder.decode(piece, 10_000_000) for piece in pieces) == TEXT
    assert decoder.is_complete


@pytest.mark.parametrize("encoding", ["gzip", "deflate", " deflate", "br"])
def test_truncated_data_is_not_complete(encoding: str) -> None:
    decoder = make_decoder(encoding)
    decoder.decode(ENCODED[encoding][:-9], 10_000_000)
    assert not decoder.is_complete


ZEROS = bytes(30_000_000)


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("gzip", gzip.compress(ZEROS)),
        ("gzip", gzip.compress(ZEROS[:60_000]) * 500),
        ("deflate", zlib.compress(ZEROS)),
        ("deflate", compress_raw_deflate(ZEROS)),
        ("br", brotli.compress(ZEROS, quality=3)),
    ],
)
@pytest.mark.parametrize("max_bytes", [1, 1000, 1_000_000])
def test_bomb_is_cut(encoding: str, data: bytes, max_bytes: int) -> None:
    # brotli fills its buffers, the smallest of which has 32 KB.
    assert max_bytes <= len(make_decoder(encoding).decode(data, max_bytes)) <= max(2 * max_bytes, 33_000)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_other_data(encoding: str) -> None:
    with pytest.raises(FetchError, match="the body does not match its Content-Encoding"):
        make_decoder(encoding).decode(b"<p>The ferry was late.", 1000)


@pytest.mark.parametrize("encoding", ["zstd", "compress", "gzip, br", "utf-8"])
def test_unsupported_encoding(encoding: str) -> None:
    with pytest.raises(FetchError, match=f"unsupported Content-Encoding: {encoding}; save the page"):
        make_decoder(encoding)


@pytest.mark.parametrize("module", [None, SimpleNamespace(Decompressor=object)])  # not installed, without a limit
def test_without_brotli(monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    assert list_encodings() == "gzip, deflate, br"
    monkeypatch.setitem(sys.modules, "brotli", module)
    assert list_encodings() == "gzip, deflate"
    with pytest.raises(FetchError, match="unsupported Content-Encoding: br"):
        make_decoder("br")
