"""A document loader for LangChain. Extra `langchain`.

from broadsheet.integrations.langchain import ArticleLoader
documents = ArticleLoader("crawl.warc.gz").load()
"""

from __future__ import annotations

from collections.abc import Iterator

from broadsheet.extras import import_extra
from broadsheet.integrations.documents import LoadOptions, Sources, choose_options, load_pieces

import_extra("langchain_core", "langchain")

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document


class ArticleLoader(BaseLoader):
    """Loads the articles of files, archives and addresses, or articles that were extracted before.

    Args:
        sources: A path or an address of anything that `broadsheet.read_captures` reads, an `Article`, or several.
        max_tokens: The size of chunks; None for one document per article, for a splitter of your own.
        options: More options.

    """

    def __init__(self, sources: Sources, *, max_tokens: int | None = None, options: LoadOptions | None = None) -> None:
        self._sources = sources
        self._options = choose_options(options, max_tokens=max_tokens)

    def lazy_load(self) -> Iterator[Document]:
        """Yield the documents."""
        for piece in load_pieces(self._sources, self._options):
            yield Document(page_content=piece.text, metadata=piece.metadata)
