"""A reader for LlamaIndex. Extra `llamaindex`.

from broadsheet.integrations.llamaindex import ArticleReader
documents = ArticleReader().load_data("crawl.warc.gz")
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from broadsheet.extras import import_extra
from broadsheet.integrations.documents import LoadOptions, Sources, choose_options, load_pieces

import_extra("llama_index", "llamaindex")

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

# Stored with a node, but neither embedded nor shown to the model.
_HIDDEN_KEYS = ["confidence", "end", "links", "start", "status"]


class ArticleReader(BaseReader):
    """Reads the articles of files, archives and addresses, or articles that were extracted before.

    Args:
        max_tokens: The size of chunks; None for one document per article, for a node parser.
        options: More options.

    """

    def __init__(self, *, max_tokens: int | None = None, options: LoadOptions | None = None) -> None:
        self._options = choose_options(options, max_tokens=max_tokens)

    def lazy_load_data(self, sources: Sources, **_: Any) -> Iterator[Document]:
        """Yield the documents of a path, an address, an `Article`, or several of them."""
        for piece in load_pieces(sources, self._options):
            yield Document(
                text=piece.text,
                metadata=piece.metadata,
                excluded_embed_metadata_keys=_HIDDEN_KEYS,
                excluded_llm_metadata_keys=_HIDDEN_KEYS,
            )
