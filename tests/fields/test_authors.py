import json
from collections.abc import Callable

import pytest

from broadsheet.fields import Fields

TEXT = "<p>The first paragraph of the story stands here, and it is long enough to be one.</p>"


def ld(author: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "Article", "author": author})}</script>'


JANE = {"@type": "Person", "name": "Jane Doe"}


@pytest.mark.parametrize(
    ("html", "names", "source"),
    [
        (ld(JANE), ("Jane Doe",), "json-ld"),
        (ld([JANE, {"@type": "Person", "name": "Ann Lee"}, JANE]), ("Jane Doe", "Ann Lee"), "json-ld"),
        (ld("Jane Doe and Ann Lee"), ("Jane Doe", "Ann Lee"), "json-ld"),
        (ld({"@type": "Person", "givenName": "Jane", "familyName": "Doe"}), ("Jane Doe",), "json-ld"),
        (ld({"@type": "Person", "name": ["Jane Doe"]}), ("Jane Doe",), "json-ld"),
        ("<meta name=author content='By Jane Doe'>", ("Jane Doe",), "meta"),
        (
            "<meta property=article:author content=https://facebook.com/x><meta name=byl content='By Jane Doe'>",
            ("Jane Doe",),
            "meta",
        ),
        ("<meta name=DC.Creator content='Doe, Jane'>", ("Jane Doe",), "meta"),
        ("<meta name=citation_author content='Doe, Jane'>", ("Jane Doe",), "meta"),
        ("<meta name=author content='Madonna, Prince'>", None, None),
        (ld("Madonna, Prince"), None, None),
        ("<i itemprop=author>Jane Doe</i>", ("Jane Doe",), "microdata"),
        ("<i itemprop=author itemscope><b>by</b> <b itemprop=name>Jane Doe</b></i>", ("Jane Doe",), "microdata"),
        ("<h1>Headline</h1><a rel=author href=/jane>Jane Doe</a>", ("Jane Doe",), "link"),
        ("<h1>Headline</h1><div class=byline><span>By</span><a>Jane Doe</a></div>", ("Jane Doe",), "html"),
        ("<h1>Headline</h1><div class=ArticleAuthor_x>Jane Doe</div>", ("Jane Doe",), "html"),
        ("<h1>Headline</h1><div>By Jane Doe and Ann Lee</div>", ("Jane Doe", "Ann Lee"), "text"),
        ("<h1>Headline</h1><div>14.03.2021 | Von Jana Dorn</div>", ("Jana Dorn",), "text"),
        # organisations only when there is nobody else, and never the site itself
        (ld([{"@type": "Organization", "name": "Wire Agency"}, JANE]), ("Jane Doe",), "json-ld"),
        (ld({"@type": "Organization", "name": "Wire Agency"}), ("Wire Agency",), "json-ld"),
        (ld("EXA") + "<h1>Headline</h1><div>By Jane Doe</div>", ("Jane Doe",), "text"),
        (ld("EXA"), ("EXA",), "json-ld"),
        ("<meta name=author content='Wire Agency'>", ("Wire Agency",), "meta"),
        (ld({"@type": "Organization", "name": "Moon Post"}), None, None),
        (ld({"@type": "Person", "name": "Moon Post"}), None, None),
        ("<meta name=author content='Moon Post'>", None, None),
        # what surrounds the headline
        ("<h1>Headline</h1><div>x <a href=/authors/jane-doe>Jane Doe</a></div>", ("Jane Doe",), "link"),
        ("<h1>Headline</h1><div>x <a href=/authors/jane-doe>Click here</a></div>", None, None),
        ("<h1>Headline</h1><div>5 May 2021 • Jane Doe in Travel</div>", ("Jane Doe",), "text"),
        ("<h1>Headline</h1><div><span>Jane Doe</span><span>May 5, 2021</span></div>", ("Jane Doe",), "text"),
        ("<h1>Headline</h1><div>5 May 2021 • Travel Tips</div>", None, None),
        ("<h1>Headline</h1><div>2021-05-05 太原晚报</div>", None, None),
        (
            "<h1>Headline</h1><i itemprop=author>Jane Doe</i>" + TEXT * 9 + "<i itemprop=author>Reader One</i>",
            ("Jane Doe",),
            "microdata",
        ),
        ("<h1>Headline</h1>" + TEXT * 9 + "<div class=author-name>Jane Doe</div>", ("Jane Doe",), "html"),
        # no author rather than a wrong one
        (ld({"@type": "Person", "name": "admin"}), None, None),
        (ld({"@type": "Person", "name": {"@type": "Person"}}), None, None),
        (ld([None, 1, [], {}]), None, None),
        ("<h1>Headline</h1><div class=author>Email The Author</div>", None, None),
        ("<h1>Headline</h1><div class=author-bio>Jane Doe</div>", None, None),
        ("<h1>Headline</h1><div>By the river</div>", None, None),
        (
            "<h1>Headline</h1>" + TEXT * 9 + "<div class=author>Jane Doe</div><div class=author>Ann Lee</div>",
            None,
            None,
        ),
        ("", None, None),
    ],
)
def test_authors(read: Callable[..., Fields], html: str, names: tuple[str, ...] | None, source: str | None) -> None:
    head = "<title>Headline</title><meta property=og:site_name content='Moon Post'>"
    authors = read(head + html + TEXT, "https://moonpost.example/a").authors
    assert (authors and authors.value, authors and authors.source) == (names, source)


@pytest.mark.parametrize("html", [ld(JANE), "<meta name=author content='Jane Doe'>"])
def test_a_person_may_have_a_site_of_the_same_name(read: Callable[..., Fields], html: str) -> None:
    authors = read("<meta property=og:site_name content='Jane Doe'>" + html + TEXT).authors
    assert authors is not None
    assert (authors.value, authors.source) == (("Jane Doe",), "site")
