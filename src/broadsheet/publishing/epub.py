"""Write an EPUB 3 book: one chapter for each article, a table of contents, no images, nothing from other hosts."""

from __future__ import annotations

import hashlib
import uuid
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from typing import BinaryIO

from broadsheet.article import Article
from broadsheet.errors import UsageError
from broadsheet.output.safe import clean_text
from broadsheet.publishing.collection import BookText, describe_article, is_language, name_article, render_xhtml

_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
_CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
_PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"
lang="{language}" xml:lang="{language}">
<head><title>{title}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>
<body>
{body}
</body>
</html>
"""
_PACKAGE = """<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="{language}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{identifier}</dc:identifier>
<dc:title>{title}</dc:title>
{languages}
<meta property="dcterms:modified">{modified}</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="style" href="style.css" media-type="text/css"/>
{items}
</manifest>
<spine>
<itemref idref="nav"/>
{spine}
</spine>
</package>
"""


@dataclass(frozen=True, slots=True)
class _Chapter:
    name: str  # of its file, without the ending
    title: str
    line: str  # below the title in the table of contents
    language: str


def write_epub(articles: Iterable[Article], file: BinaryIO, text: BookText) -> None:
    """Write a book. The articles are read once, one at a time. Raises UsageError if there are none."""
    digest = hashlib.sha256(text.title.encode("utf-8", "surrogatepass"))
    chapters: list[_Chapter] = []
    with zipfile.ZipFile(file, "w") as book:
        _add(book, "mimetype", "application/epub+zip", zipfile.ZIP_STORED)  # first and not compressed
        _add(book, "META-INF/container.xml", _CONTAINER)
        for number, article in enumerate(articles, start=1):
            language = _choose_language(article, text)
            chapter = _Chapter(f"a{number:05}", name_article(article), describe_article(article), language)
            page = _make_page(chapter.title, f'<section dir="auto">\n{render_xhtml(article)}\n</section>', language)
            digest.update(page.encode())
            _add(book, f"book/{chapter.name}.xhtml", page)
            chapters.append(chapter)
        if not chapters:
            raise UsageError(
                "there are no articles to publish; none in the file has text, the status ok and enough confidence"
            )
        _add(book, "book/style.css", files("broadsheet.publishing").joinpath("epub.css").read_text("utf-8"))
        _add(book, "book/nav.xhtml", _make_page(text.title, _write_contents(chapters, text), text.language))
        _add(book, "book/package.opf", _write_package(chapters, text, digest.hexdigest()))


def _choose_language(article: Article, text: BookText) -> str:
    language = article.language or ""
    return language if is_language(language) else text.language


def _add(book: zipfile.ZipFile, name: str, content: str, compression: int = zipfile.ZIP_DEFLATED) -> None:
    entry = zipfile.ZipInfo(name, _ZIP_DATE)
    entry.external_attr = 0o644 << 16
    book.writestr(entry, content.encode(), compression)


def _make_page(title: str, body: str, language: str) -> str:
    return _PAGE.format(title=escape(clean_text(title)), body=body, language=escape(language))


def _write_contents(chapters: Iterable[_Chapter], text: BookText) -> str:
    rows = "\n".join(
        f'<li dir="auto"><a href="{chapter.name}.xhtml">{escape(_join(chapter.title, chapter.line))}</a></li>'
        for chapter in chapters
    )
    title = f"<h1>{escape(clean_text(text.title))}</h1>"
    return f'<section epub:type="titlepage">{title}</section>\n<nav epub:type="toc" id="toc"><ol>\n{rows}\n</ol></nav>'


def _join(title: str, line: str) -> str:
    return f"{title} ({line})" if line else title


def _write_package(chapters: list[_Chapter], text: BookText, digest: str) -> str:
    languages = dict.fromkeys([text.language, *(chapter.language for chapter in chapters)])
    media_type = "application/xhtml+xml"
    return _PACKAGE.format(
        language=escape(text.language),
        identifier=uuid.UUID(digest[:32], version=4),
        title=escape(clean_text(text.title)),
        languages="\n".join(f"<dc:language>{escape(language)}</dc:language>" for language in languages),
        modified=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        items="\n".join(
            f'<item id="{chapter.name}" href="{chapter.name}.xhtml" media-type="{media_type}"/>' for chapter in chapters
        ),
        spine="\n".join(f'<itemref idref="{chapter.name}"/>' for chapter in chapters),
    )
