"""Fields with simple strategies: addresses, site name, description, section, keywords."""

import json
from collections.abc import Callable

import pytest

from broadsheet.fields import Fields

TEXT = "<p>The first paragraph of the story begins here.</p>"


def ld(**values: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "Article", **values})}</script>'


@pytest.mark.parametrize(
    ("field", "html", "value", "source"),
    [
        ("url", "<link rel=canonical href=/b>", "https://example.org/a", "given"),
        ("canonical_url", "<link rel=canonical href=/b>", "https://example.org/b", "link"),
        ("canonical_url", "<meta property=og:url content=https://example.org/b>", "https://example.org/b", "opengraph"),
        ("canonical_url", "<link rel=canonical href=javascript:b>", None, None),
        ("amp_url", "<link rel=amphtml href=/amp/a>", "https://example.org/amp/a", "link"),
        ("amp_url", "", None, None),
        ("site_name", "<meta property=og:site_name content='Moon Post'>", "Moon Post", "opengraph"),
        ("site_name", ld(publisher={"@type": "Organization", "name": "Moon Post"}), "Moon Post", "json-ld"),
        ("site_name", "<meta name=application-name content='Moon Post'>", "Moon Post", "meta"),
        ("site_name", "<title>Headline | Example</title>", "Example", "html"),
        ("site_name", "<title>Headline | Whatever</title>", None, None),
        ("description", "<meta name=description content='What  it is about'>", "What it is about", "meta"),
        ("description", ld(description="What it is about"), "What it is about", "json-ld"),
        ("description", "<meta name=description content=''>", None, None),
        ("section", ld(articleSection=["Politics", "World"]), "Politics", "json-ld"),
        ("section", "<meta property=article:section content=Politics>", "Politics", "meta"),
        ("section", "<meta property=article:section content=https://example.org/x>", None, None),
        ("keywords", ld(keywords="bridge, river; Bridge"), ("bridge", "river"), "json-ld"),
        ("keywords", ld(keywords=["bridge", "river"]), ("bridge", "river"), "json-ld"),
        (
            "keywords",
            "<meta property=article:tag content=a1><meta property=article:tag content=b1>",
            ("a1", "b1"),
            "opengraph",
        ),
        ("keywords", "<meta name=keywords content='bridge,river,,'>", ("bridge", "river"), "meta"),
        ("keywords", "<a rel=tag href=/t>bridge</a>", ("bridge",), "link"),
        ("keywords", "", None, None),
    ],
)
def test_field(read: Callable[..., Fields], field: str, html: str, value: object, source: str | None) -> None:
    field_value = getattr(read(html + TEXT, "https://example.org/a"), field)
    assert (field_value and field_value.value, field_value and field_value.source) == (value, source)


@pytest.mark.parametrize(
    ("html", "value", "source"),
    [
        ("<link rel=canonical href=https://example.org/b>", "https://example.org/b", "link"),
        ("<meta property=og:url content=https://example.org/b>", "https://example.org/b", "opengraph"),
        (ld(url="https://example.org/b"), "https://example.org/b", "json-ld"),
        ("<link rel=canonical href=javascript:x>", None, None),
        ("<link rel=canonical href='https://'>", None, None),
        ("<link rel=canonical href='http://[x'>", None, None),
        ("<link rel=canonical href=/b>", None, None),
    ],
)
def test_url_that_the_caller_does_not_give(
    read: Callable[..., Fields], html: str, value: str | None, source: str | None
) -> None:
    url = read(html + TEXT).url
    assert (url and url.value, url and url.source) == (value, source)
