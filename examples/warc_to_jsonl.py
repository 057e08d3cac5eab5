"""Extract the pages of a web archive. Needs the package warcio.

python examples/warc_to_jsonl.py crawl.warc.gz articles.jsonl
"""

import sys
from collections.abc import Iterator

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders

import broadsheet


def read_pages(path: str) -> Iterator[tuple[str, bytes]]:
    """Read address and HTML of all pages that were answered with status 200."""
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type == "response" and is_page(record.http_headers):
                address = record.rec_headers.get_header("WARC-Target-URI")
                yield address, record.content_stream().read()  # unpacked


def is_page(headers: StatusAndHeaders) -> bool:
    """Tell by the HTTP headers whether an answer is a page."""
    content_type = headers.get_header("Content-Type") or ""
    return headers.get_statuscode() == "200" and "html" in content_type.lower()


def write_articles(source: str, target: str, workers: int | None = None) -> None:
    """Write one record for each page."""
    with open(target, "w", encoding="utf-8") as lines:
        articles = broadsheet.extract_many(read_pages(source), workers=workers)
        lines.writelines(article.to_json() + "\n" for article in articles)


if __name__ == "__main__":
    write_articles(*sys.argv[1:3])
