"""A converter for Haystack pipelines. Extra `haystack`.

from broadsheet.integrations.haystack import ArticleConverter
pipeline.add_component("converter", ArticleConverter(max_tokens=400))
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from broadsheet.api import extract
from broadsheet.extras import import_extra
from broadsheet.integrations.documents import LoadOptions, TextPiece, load_pieces
from broadsheet.options import ExtractOptions

import_extra("haystack", "haystack")

from haystack import Document, component
from haystack.dataclasses import ByteStream


@component
class ArticleConverter:
    """Turns pages, archives and addresses into documents. Pages without text give none.

    Args:
        max_tokens: The size of chunks; None for one document per article, for a splitter.
        method: A name from `broadsheet.methods()`.
        min_confidence: Articles with a lower confidence are left out.

    """

    def __init__(self, max_tokens: int | None = None, method: str | None = None, min_confidence: float = 0.0) -> None:
        self.max_tokens = max_tokens
        self.method = method
        self.min_confidence = min_confidence
        options = ExtractOptions() if method is None else ExtractOptions(method=method)
        self._options = LoadOptions(max_tokens=max_tokens, min_confidence=min_confidence, extract=options)

    @component.output_types(documents=list[Document])
    def run(self, sources: list[str | Path | ByteStream], meta: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the documents of paths, addresses, and pages as byte streams (with `url` in their `meta`)."""
        pieces = (piece for source in sources for piece in self._load(source))
        documents = [Document(content=piece.text, meta={**piece.metadata, **(meta or {})}) for piece in pieces]
        return {"documents": documents}

    def _load(self, source: str | Path | ByteStream) -> Iterator[TextPiece]:
        if not isinstance(source, ByteStream):
            return load_pieces(source, self._options)
        article = extract(source.data, url=source.meta.get("url"), options=self._options.extract)
        return load_pieces(article, self._options)
