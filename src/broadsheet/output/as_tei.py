"""Article as a TEI P5 document, the format of text archives and corpora."""

from __future__ import annotations

import re
from urllib.parse import urlsplit
from xml.sax.saxutils import escape, quoteattr

from broadsheet.article import Article
from broadsheet.output.as_json import write_date
from broadsheet.output.characters import clean_text
from broadsheet.output.links import check_href
from broadsheet.output.tei_body import write_sections

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")  # xsd:language
# No encoding is named: UTF-8 is the default, and lxml refuses to parse a str that names one.
_FRAME = """\
<?xml version="1.0"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader>
<fileDesc>
<titleStmt>
{title}
</titleStmt>
<publicationStmt>
{publication}
</publicationStmt>
<sourceDesc>
<bibl>
{source}
</bibl>
</sourceDesc>
</fileDesc>
<profileDesc>
{profile}
</profileDesc>
</teiHeader>
<text{language}>
<body>
{body}
</body>
</text>
</TEI>"""


def to_tei(article: Article) -> str:
    """Write a TEI P5 document: well-formed whatever the page held."""
    names = [_element("author", name) for name in article.authors]
    title = _element("title", article.title or "")
    language = article.language if article.language and _LANGUAGE.fullmatch(article.language) else None
    return _FRAME.format(
        title=_lines(title, *names),
        publication=_lines(_element("publisher", _name_publisher(article) or "unknown"), _write_date(article)),
        source=_lines(title, *names, _write_date(article), _write_address(article.url)),
        profile=_lines(_write_abstract(article), _write_language(language), _write_keywords(article)),
        language=_attribute("xml:lang", language),
        body=_lines(_write_div("article", write_sections(article.body)), _write_comments(article)),
    )


def _name_publisher(article: Article) -> str:
    """Name the site; without a name its host stands for it. The element itself is required."""
    if article.site_name or not check_href(article.url):
        return article.site_name or ""
    try:
        return urlsplit(article.url or "").hostname or ""
    except ValueError:
        return ""


def _write_date(article: Article) -> str:
    when = write_date(article.date)
    return f"<date{_attribute('when', when)}>{when}</date>" if when else ""


def _write_address(url: str | None) -> str:
    if not url:
        return ""
    return f"<ref{_attribute('target', check_href(url))}>{_escape(url)}</ref>"


def _write_abstract(article: Article) -> str:
    return f"<abstract>{_element('p', article.description)}</abstract>" if article.description else ""


def _write_language(language: str | None) -> str:
    return f"<langUsage><language ident={quoteattr(language)}>{language}</language></langUsage>" if language else ""


def _write_keywords(article: Article) -> str:
    section = f'<term type="section">{_escape(article.section)}</term>' if article.section else ""
    terms = section + "".join(_element("term", keyword) for keyword in article.keywords)
    return f"<textClass><keywords>{terms}</keywords></textClass>" if terms else ""


def _write_comments(article: Article) -> str:
    comments = "\n".join(_element("p", comment) for comment in article.comments)
    return _write_div("comments", comments) if comments else ""


def _write_div(kind: str, inner: str) -> str:
    return f'<div type="{kind}">\n{inner or "<p/>"}\n</div>'


def _element(name: str, text: str) -> str:
    return f"<{name}>{_escape(text)}</{name}>"


def _attribute(name: str, value: str | None) -> str:
    return f" {name}={quoteattr(value)}" if value else ""


def _escape(text: str) -> str:
    return escape(clean_text(text))


def _lines(*elements: str) -> str:
    return "\n".join(filter(None, elements))
