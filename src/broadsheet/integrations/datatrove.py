"""Steps for datatrove pipelines: a reader of pages and an extractor. Extra `datatrove`.

pipeline = [PageReader("crawl/", glob_pattern="*.warc.gz"), ArticleExtractor(), JsonlWriter("out/")]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from broadsheet.api import PageInput
from broadsheet.article import Status
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.inputs import read_captures
from broadsheet.integrations.documents import make_metadata
from broadsheet.options import ExtractOptions
from broadsheet.page import read_text
from broadsheet.workers.extraction import extract_safely

import_extra("datatrove", "datatrove")

from datatrove.data import DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.readers.base import BaseDiskReader
from datatrove.utils.typeshelper import StatHints


class PageReader(BaseDiskReader):
    """Reads pages from all files that `broadsheet.read_captures` reads: WARC, WACZ, ZIP, JSON Lines, Parquet, HTML.

    The text of a document is the HTML, decoded; `metadata["url"]` is its address. Files must be on this machine.
    """

    name = "📰 Broadsheet pages"

    def __init__(self, data_folder: Any, **options: Any) -> None:
        super().__init__(data_folder, **options)
        if not self.data_folder.is_local():
            raise UsageError(f"PageReader reads local files only, not {self.data_folder.path}")

    def read_file(self, filepath: str) -> DocumentsPipeline:
        """Yield the pages of a file. Those that cannot be read are counted as `unreadable`."""
        path = Path(self.data_folder.path) / filepath
        for number, capture in enumerate(read_captures(path)):
            if capture.html is None:
                self.stat_update("unreadable")
                continue
            html, _ = read_text(capture.html, charset=capture.content_type)
            data = {"text": html, "id": f"{filepath}/{capture.source_offset or number}", "url": capture.url or ""}
            if document := self.get_document_from_dict(data, filepath, number):
                yield document


class ArticleExtractor(PipelineStep):
    """Replaces the HTML of documents with the text of the article, and adds its fields to the metadata.

    Documents without text are dropped. Each status is counted. Pages are bounded by the limits of the options; they
    need no sandbox.

    Args:
        options: Options of `broadsheet.extract`.
        is_markdown: Whether the text is Markdown.
        only_ok: Whether pages with a status other than "ok" are dropped.

    """

    type = "🛢 - EXTRAC"
    name = "📰 Broadsheet"

    def __init__(
        self, options: ExtractOptions | None = None, *, is_markdown: bool = False, only_ok: bool = False
    ) -> None:
        super().__init__()
        self._options = options or ExtractOptions()
        self._is_markdown = is_markdown
        self._only_ok = only_ok

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:  # noqa: ARG002
        """Yield the documents that have an article."""
        for document in data:
            self.stat_update(StatHints.total)
            with self.track_time():
                page = PageInput(document.metadata.get("url") or None, document.text)
                article = extract_safely(page, self._options)
                document.text = article.markdown if self._is_markdown else article.text
            self.stat_update(f"status_{article.status}")
            if not document.text or (self._only_ok and article.status is not Status.OK):
                self.stat_update(StatHints.dropped)
                continue
            fields = make_metadata(article)
            document.metadata.update((name, fields[name]) for name in fields.keys() - {"source"})
            self.stat_update(StatHints.forwarded)
            self.update_doc_stats(document)
            yield document
