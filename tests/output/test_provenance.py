"""Where an article came from, in every format that has a place for it."""

from __future__ import annotations

import hashlib
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.output.test_golden import FULL_ARTICLE
from tests.tei_schema import find_tei_error, load_tei_schema

import broadsheet
from broadsheet.article import Article
from broadsheet.capture import Capture
from broadsheet.methods import load_method

HTML = (Path(__file__).parents[2] / "examples" / "pages" / "harbour.html").read_bytes()
CAPTURE = Capture(
    HTML, "https://a.example/1", "crawl.warc.gz", 946, datetime(2024, 3, 16, 8, 30, tzinfo=UTC), "text/html", 200
)
TEI = "{http://www.tei-c.org/ns/1.0}"


def extract() -> Article:
    (article,) = broadsheet.extract_many([CAPTURE], workers=1)
    return article


def test_record() -> None:
    record = extract().to_dict()
    weights = load_method("fusion").weights_hash  # type: ignore[attr-defined]
    assert len(weights) == 16
    expected = {
        "source_file": "crawl.warc.gz",
        "source_offset": 946,
        "fetched_at": "2024-03-16T08:30:00Z",
        "http_status": 200,
        "html_hash": hashlib.sha256(HTML).hexdigest(),
        "method": "fusion",
        "weights": weights,
        "broadsheet_version": broadsheet.__version__,
        "schema_version": 2,
    }
    assert {name: record[name] for name in expected} == expected


def test_id_is_that_of_file_and_offset_or_of_the_page() -> None:
    first, again = extract().to_dict(), extract().to_dict()
    other = broadsheet.extract(HTML).to_dict()
    assert first["id"] == again["id"] != other["id"] == first["html_hash"][:32]
    assert Article().to_dict()["id"] is None


def test_method_without_weights_has_no_hash() -> None:
    assert broadsheet.extract(HTML, method="twcem").to_dict()["weights"] is None


def test_tei() -> None:
    root = ET.fromstring(extract().to_tei())
    header = f"{TEI}teiHeader/"
    application = root.find(f"{header}{TEI}encodingDesc/{TEI}appInfo/{TEI}application")
    assert application is not None
    assert application.attrib == {"ident": "broadsheet", "version": broadsheet.__version__}
    assert (application.findtext(f"{TEI}desc") or "").startswith("method fusion, weights ")
    changes = root.findall(f"{header}{TEI}revisionDesc/{TEI}change")
    assert [change.text for change in changes] == [
        f"Extracted by Broadsheet {broadsheet.__version__}.",
        "Captured with HTTP status 200.",
    ]
    assert changes[1].get("when") == "2024-03-16T08:30:00Z"
    identifiers = root.findall(f"{header}{TEI}fileDesc/{TEI}sourceDesc/{TEI}bibl/{TEI}idno")
    assert {element.get("type"): element.text for element in identifiers} == {
        "source": "crawl.warc.gz#946",
        "sha256": hashlib.sha256(HTML).hexdigest(),
    }


def test_tei_is_valid() -> None:
    if load_tei_schema() is None:
        pytest.skip("the schema of TEI is not installed")
    assert find_tei_error(extract().to_tei()) is None
    assert find_tei_error(FULL_ARTICLE.to_tei()) is None


def test_schema_org() -> None:
    written = extract().to_schema_org()
    assert written["isBasedOn"] == {
        "@type": "MediaObject",
        "dateCreated": "2024-03-16T08:30:00Z",
        "identifier": "crawl.warc.gz#946",
        "sha256": hashlib.sha256(HTML).hexdigest(),
    }
    assert written["sdPublisher"]["name"] == f"Broadsheet {broadsheet.__version__}"
    assert written["sdPublisher"]["description"].startswith("method fusion, weights ")


def test_blocks_lead_to_their_place_in_the_page() -> None:
    article = broadsheet.extract(HTML)
    blocks = article.to_dict(fields=["title"], include=["blocks"])["blocks"]
    assert len(blocks) == len(article.blocks)
    body = [block for block in blocks if block["role"] == "body"]
    assert body
    assert {block["path"].split("/")[0] for block in body} == {"html"}
    assert all(0 < block["first_row"] <= block["last_row"] for block in blocks)


def test_short_repr_and_notebook() -> None:
    article = broadsheet.extract(HTML)
    assert repr(article).startswith("<Article ok 0.")
    assert "'Harbour ferry returns after eleven years', 2024-03-16, 1,4" in repr(article)
    assert len(repr(Article(title="word " * 100))) < 120
    assert repr(Article()) == "<Article ok 0.00 without title, 0 characters>"
    html = article._repr_html_()
    assert "hsl(" in html
    assert "<script" not in Article(title="<script>x</script>", authors=("<b>",))._repr_html_()
