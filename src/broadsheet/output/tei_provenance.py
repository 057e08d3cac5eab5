"""The provenance of an article in the header of TEI: the program, and what happened to the text.

The time of the extraction is not written, so that the same page gives the same file.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from broadsheet.article import Article
from broadsheet.fields.field import Element
from broadsheet.output.characters import clean_text
from broadsheet.output.record import write_fetched_at

# The version numbers that TEI allows (teidata.versionNumber).
_VERSION_NUMBER = re.compile(r"\d+(?:\.\d+){0,2}")


def write_application(article: Article) -> str:
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


def write_revisions(article: Article) -> str:
    """Return `<revisionDesc>`, the latest change first: extraction, then capture; "" if nothing is known."""
    run = article.provenance
    changes = []
    if version := run.broadsheet_version:
        changes.append(f"<change>Extracted by Broadsheet {_escape(version)}.</change>")
    if moment := write_fetched_at(article):
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
