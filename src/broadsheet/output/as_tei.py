"""Write articles as TEI P5, the format of text archives and corpora."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit
from xml.sax.saxutils import escape, quoteattr

from broadsheet.article import Article
from broadsheet.fields import FIELDS
from broadsheet.fields.field import Element, TeiPlace
from broadsheet.fields.language import is_language_tag
from broadsheet.output.record import format_fetched_at
from broadsheet.output.safe import check_href, check_uri, clean_text
from broadsheet.output.tei_body import render_sections

# No encoding is declared: UTF-8 is the default, and lxml does not parse a str that declares one.
_DOCUMENT = """\
<?xml version="1.0"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader>
<fileDesc>
<titleStmt>
{titleStmt}
</titleStmt>
<publicationStmt>
{publicationStmt}
</publicationStmt>
<sourceDesc>
<bibl>
{bibl}
</bibl>
</sourceDesc>
</fileDesc>
{encodingDesc}<profileDesc>
{profileDesc}
</profileDesc>{revisionDesc}
</teiHeader>
<text{language}>
<body>
{body}
</body>
</text>
</TEI>"""
# The order of elements in a part of the header; others follow in the order of the table of fields.
_ELEMENT_ORDER = ("title", "author", "publisher", "date", "ref", "abstract", "langUsage", "textClass")
_RANK = {name: rank for rank, name in enumerate(_ELEMENT_ORDER)}
# The version numbers that TEI allows (teidata.versionNumber).
_VERSION_NUMBER = re.compile(r"\d+(?:\.\d+){0,2}")


def to_tei(article: Article) -> str:
    """Return a TEI P5 document. It is well-formed whatever the page contained."""
    header = {place: _write_elements(elements) for place, elements in _collect_header(article).items()}
    language = article.language if article.language and is_language_tag(article.language) else ""
    divisions = (_write_division("article", render_sections(article.body)), _write_comments(article))
    return _DOCUMENT.format(
        **header,
        encodingDesc=_format_application(article),
        revisionDesc=_format_revisions(article),
        language=_write_attribute("xml:lang", language),
        body="\n".join(filter(None, divisions)),
    )


def _collect_header(article: Article) -> dict[TeiPlace, list[Element]]:
    """Collect the elements of each part of the header."""
    header: dict[TeiPlace, list[Element]] = {
        "titleStmt": [], "publicationStmt": [], "bibl": [], "profileDesc": [], "keywords": []
    }  # fmt: skip
    for field in FIELDS:
        value = getattr(article, field.name)
        if value and field.tei:
            for place in field.tei.places:
                header[place] += field.tei.write(value)
    # TEI requires a title and a publisher.
    if not article.title:
        header["titleStmt"].append(Element("title"))
        header["bibl"].append(Element("title"))
    if not article.site_name:
        header["publicationStmt"].append(Element("publisher", _read_host(article.url) or "unknown"))
    header["bibl"] += make_identifiers(article)
    if keywords := header["keywords"]:
        header["profileDesc"].append(Element("textClass", (Element("keywords", tuple(keywords)),)))
    return header


def _read_host(url: str | None) -> str:
    try:
        return (urlsplit(url).hostname or "") if url and check_href(url) else ""
    except ValueError:
        return ""


def _write_comments(article: Article) -> str:
    paragraphs = _write_elements(Element("p", comment) for comment in article.comments)
    return _write_division("comments", paragraphs) if paragraphs else ""


def _write_division(kind: str, content: str) -> str:
    return f'<div type="{kind}">\n{content or "<p/>"}\n</div>'


def _write_elements(elements: Iterable[Element]) -> str:
    """Write elements one per line, in the order of `_ELEMENT_ORDER`."""
    ranked = sorted(elements, key=lambda element: _RANK.get(element.name, len(_RANK)))
    return "\n".join(map(_write_element, ranked))


def _write_element(element: Element) -> str:
    attributes = "".join(_write_attribute(name, value) for name, value in element.attributes.items())
    if isinstance(element.content, str):
        content = escape(clean_text(element.content))
    else:
        content = "".join(map(_write_element, element.content))
    return f"<{element.name}{attributes}>{content}</{element.name}>"


def _write_attribute(name: str, value: str) -> str:
    """Write an attribute, or nothing for an empty value or an address that is not safe to link to."""
    checked = check_uri(value) if name == "target" else clean_text(value)
    return f" {name}={quoteattr(checked)}" if checked else ""


def _format_application(article: Article) -> str:
    """Return `<encodingDesc>` with the program, its method and the hash of its weights; "" if unknown."""
    run = article.provenance
    version = _VERSION_NUMBER.match(run.broadsheet_version or "")
    if version is None:
        return ""
    weights = f", weights {run.weights}" if run.weights else ""
    return (
        f'<encodingDesc>\n<appInfo>\n<application ident="broadsheet" version={quoteattr(version[0])}>'
        f"<label>Broadsheet</label><desc>method {_escape(article.method)}{_escape(weights)}</desc></application>"
        "\n</appInfo>\n</encodingDesc>\n"
    )


def _format_revisions(article: Article) -> str:
    """Return `<revisionDesc>`, the latest change first: extraction, then capture; "" if nothing is known."""
    run = article.provenance
    changes = []
    if version := run.broadsheet_version:
        changes.append(f"<change>Extracted by Broadsheet {_escape(version)}.</change>")
    if moment := format_fetched_at(article):
        status = f" with HTTP status {run.http_status}" if run.http_status else ""
        changes.append(f"<change when={quoteattr(moment)}>Captured{status}.</change>")
    lines = "\n".join(changes)
    return f"\n<revisionDesc>\n{lines}\n</revisionDesc>" if lines else ""


def make_identifiers(article: Article) -> list[Element]:
    """Return `<idno>` elements of `<bibl>`: the file and offset that the page came from, and its hash."""
    run = article.provenance
    place = "" if run.source_offset is None else f"#{run.source_offset}"
    values = {"source": f"{run.source_file}{place}" if run.source_file else "", "sha256": run.html_hash or ""}
    return [Element("idno", value, {"type": kind}) for kind, value in values.items() if value]


def _escape(text: str) -> str:
    return escape(clean_text(text))
