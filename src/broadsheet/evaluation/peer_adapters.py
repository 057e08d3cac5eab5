"""Adapters: one function `extract(html, url, lang) -> values` for each peer.

Nothing of Broadsheet is imported here, because a worker process in a peer's separate environment loads this file by its
path (`open_peer`).
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable
from typing import Any

Values = dict[str, Any]  # text, title, authors, date: those that the peer extracts
Adapter = Callable[[str, str | None, str | None], Values]

_MAX_ERROR_CHARS = 300


def extract_trafilatura(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run trafilatura with metadata and without comments."""
    from trafilatura import bare_extraction

    return _read_document(bare_extraction(html, url=url, with_metadata=True, include_comments=False))


def extract_trafilatura_fast(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run trafilatura without its fallbacks."""
    from trafilatura import bare_extraction

    return _read_document(bare_extraction(html, url=url, with_metadata=True, include_comments=False, fast=True))


def _read_document(document: Any) -> Values:
    if document is None:
        return {"text": ""}
    authors = [name.strip() for name in (document.author or "").split(";") if name.strip()]
    return {"text": document.text or "", "title": document.title, "authors": authors, "date": document.date}


def extract_resiliparse(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run resiliparse's main content extraction."""
    from resiliparse.extract.html2text import extract_plain_text

    return {"text": extract_plain_text(html, main_content=True)}


def extract_readability(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run readability-lxml and take the text of its summary."""
    from readability import Document

    document = Document(html)
    return {"text": _read_html_text(document.summary()), "title": document.short_title()}


def extract_justext(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run jusText with the stop words of the page's language, or without stop words if it has none for it."""
    import justext

    if name := _JUSTEXT_LANGUAGES.get(lang or "en"):
        paragraphs = justext.justext(html, justext.get_stoplist(name))
    else:
        paragraphs = justext.justext(html, frozenset(), stopwords_low=0, stopwords_high=0)
    return {"text": "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)}


_JUSTEXT_LANGUAGES = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fi": "Finnish",
    "fr": "French",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "nl": "Dutch",
    "no": "Norwegian_Bokmal",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sr": "Serbian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
}


def extract_boilerpy3(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run boilerpy3's ArticleExtractor."""
    from boilerpy3.extractors import ArticleExtractor

    document = ArticleExtractor(raise_on_failure=False).get_doc(html)
    return {"text": document.content, "title": document.title}


def extract_turbohtml(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run the extractor of turbohtml."""
    import turbohtml

    article = turbohtml.parse(html).article()
    authors = [article.byline] if article.byline else []
    return {"text": article.text, "title": article.title, "authors": authors, "date": article.date}


def extract_htmldate(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run htmldate, which only finds publication dates."""
    from htmldate import find_date

    return {"date": find_date(html, url=url, original_date=True)}


def extract_newspaper4k(html: str, url: str | None, lang: str | None) -> Values:
    """Run newspaper4k without fetching anything."""
    from newspaper import Article
    from newspaper.languages import get_available_languages

    language = lang if lang in set(get_available_languages()) else "en"
    article = Article(url or "https://example.org/", language=language, fetch_images=False)
    article.download(input_html=html)
    article.parse()
    date = article.publish_date
    return {
        "text": article.text,
        "title": article.title,
        "authors": list(article.authors),
        "date": date.isoformat() if hasattr(date, "isoformat") else None,
    }


def extract_goose3(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run goose3 without fetching anything."""
    from goose3 import Goose

    article = Goose({"enable_image_fetching": False}).extract(raw_html=html)
    return {
        "text": article.cleaned_text,
        "title": article.title,
        "authors": list(article.authors or ()),
        "date": article.publish_date,
    }


def extract_rs_trafilatura(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run the Rust port of trafilatura."""
    import rs_trafilatura

    result = rs_trafilatura.extract(html, url=url)
    authors = [result.author] if result.author else []
    return {"text": result.main_content or "", "title": result.title, "authors": authors, "date": result.date}


def extract_magic_html(html: str, url: str | None, lang: str | None) -> Values:  # noqa: ARG001
    """Run magic-html's article extractor and take the text of its HTML."""
    from magic_html import GeneralExtractor

    result = GeneralExtractor().extract(html, base_url=url or "")
    return {"text": _read_html_text(result.get("html") or ""), "title": result.get("title")}


_BLOCK_TAGS = tuple(
    "p div br h1 h2 h3 h4 h5 h6 li ul ol table tr td th blockquote pre section article figcaption".split()
)


def _read_html_text(html: str) -> str:
    """Return the text of a piece of HTML, one block per line."""
    import lxml.html

    if not html.strip():
        return ""
    root = lxml.html.fromstring(html)
    pieces: list[str] = []
    for event, element in lxml.etree.iterwalk(root, events=("start", "end")):
        is_block = element.tag in _BLOCK_TAGS
        if event == "start":
            pieces += ["\n" if is_block else "", element.text or "" if isinstance(element.tag, str) else ""]
        else:
            pieces += ["\n" if is_block else "", element.tail or ""]
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    return "\n".join(filter(None, lines))


ADAPTERS: dict[str, Adapter] = {
    "trafilatura": extract_trafilatura,
    "trafilatura-fast": extract_trafilatura_fast,
    "resiliparse": extract_resiliparse,
    "readability": extract_readability,
    "justext": extract_justext,
    "boilerpy3": extract_boilerpy3,
    "turbohtml": extract_turbohtml,
    "htmldate": extract_htmldate,
    "newspaper4k": extract_newspaper4k,
    "goose3": extract_goose3,
    "rs-trafilatura": extract_rs_trafilatura,
    "magic-html": extract_magic_html,
}


def call(adapter: Adapter, html: str, url: str | None, lang: str | None) -> Values:
    """Run an adapter and measure its time. A failure becomes an empty answer with the error."""
    start = time.perf_counter()
    try:
        values = adapter(html, url, lang)
    except Exception as error:  # a failure is a result, which the report counts
        values = {"text": "", "error": f"{type(error).__name__}: {error}"[:_MAX_ERROR_CHARS]}
    return {**values, "seconds": time.perf_counter() - start}


def open_peer(name: str) -> Callable[[tuple[str, str | None, str | None]], list[Values]]:
    """Return the handler of a worker process (`broadsheet.workers`): html, url and language in, values out.

    The first call is made here, so that imports are not part of any page's time.
    """
    logging.disable(logging.CRITICAL)  # peers log warnings about many pages
    warnings.simplefilter("ignore")
    adapter = ADAPTERS[name]
    call(adapter, "<p>Imports are not part of a page's time.</p>", None, "en")
    return lambda page: [call(adapter, *page)]
