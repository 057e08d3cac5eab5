"""The one place that knows the parser (turbohtml): HTML in, events out, and its detectors.

The parser builds the WHATWG tree, as a browser does, and reports it as events; no parser object outlives the call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from turbohtml import detect as _detect
from turbohtml.saxparse import SaxHandler, sax_parse

SHADOW_ROOT = "data-shadow-root"  # marks a <template> whose content is shown
_MIN_LANGUAGE_CONFIDENCE = 0.5

Attributes = tuple[tuple[str, str | None], ...]


def parse_html(
    html: str,
    on_start: Callable[[str, Attributes], None],
    on_text: Callable[[str], None],
    on_end: Callable[[str], None],
) -> None:
    """Parse a page and report its elements and texts in document order. A callback may raise to stop it."""
    handler = _Handler(on_start, on_end, on_text, _ignore, _ignore, _ignore)
    # The parser sets declarative shadow roots apart; a reader sees them, so they stay in the tree as templates.
    sax_parse(html.replace("shadowrootmode", SHADOW_ROOT), cast("SaxHandler", handler))


def detect_encoding(data: bytes) -> str:
    """Guess the character set of undeclared bytes, as a codec name for `bytes.decode`."""
    return _detect.detect(data).codec or "utf-8"


def detect_language(text: str) -> str | None:
    """Guess the language of a text, as an ISO 639-3 code; None when it is too short or unclear."""
    match = _detect.detect_language(text)
    return match.language if match.confidence >= _MIN_LANGUAGE_CONFIDENCE else None


@dataclass(frozen=True, slots=True)
class _Handler:
    """The callbacks of a SaxHandler as plain functions, which are faster than methods."""

    start_element: Callable[[str, Attributes], None]
    end_element: Callable[[str], None]
    characters: Callable[[str], None]
    comment: Callable[..., None]
    doctype: Callable[..., None]
    processing_instruction: Callable[..., None]


def _ignore(*_: object) -> None: ...
