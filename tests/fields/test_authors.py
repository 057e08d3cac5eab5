import json
import time
from collections.abc import Callable

import pytest

from broadsheet.fields import Fields

TEXT = "<p>The first paragraph of the story begins here, and it is long enough to be one.</p>"


def ld(author: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "Article", "author": author})}</script>'


MAX_SECONDS = 3.0  # twenty times the usual time, for slow machines
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
        # organizations too, but not the site itself
        (ld([{"@type": "Organization", "name": "Wire Agency"}, JANE]), ("Jane Doe", "Wire Agency"), "json-ld"),
        (ld("Jane Doe, dpa"), ("Jane Doe", "dpa"), "json-ld"),
        (ld("Jane Doe, MS, RDN"), ("Jane Doe",), "json-ld"),
        ("<h1>Headline</h1><div class=byline>By Moon Hill Staff</div>", ("Moon Hill Staff",), "text"),
        (
            "<h1>Headline</h1><div>By the Lake Institute for Water and Air | 5 May</div>",
            ("the Lake Institute for Water and Air",),
            "text",
        ),
        ("<h1>Headline</h1><div class=author>AFP, MANILA</div>", ("AFP",), "text"),
        ("<h1>Headline</h1><div>By Moon Post</div>", ("Moon Post",), "text"),
        ("<h1>Headline</h1><div class=author>By Jane and Ann</div>", ("Jane", "Ann"), "text"),
        ("<h1>Headline</h1><div class=author>History</div>", None, None),
        # places are not authors
        ("<meta name=author content='dpa, Frankfurt, Germany'>", ("dpa",), "meta"),
        ("<meta name=author content='Jane Doe, New York'>", ("Jane Doe",), "meta"),
        ("<h1>Headline</h1><div>By Jane Doe, Hong Kong</div>", ("Jane Doe",), "text"),
        ("<h1>Headline</h1><div>FORT MEADE, Md. –</div>", None, None),
        # nested bylines, and classes inside them
        ("<h1>Headline</h1><div class=byline><i class=author-label>By</i> Jane Doe</div>", ("Jane Doe",), "html"),
        (
            "<h1>Headline</h1><div class=author-box><b class=author-avatar>JD</b><b class=author-name>Jane Doe</b></div>",
            ("Jane Doe",),
            "html",
        ),
        ("<h1>Headline</h1><blockquote><div class=quote-author>Jane Doe</div></blockquote>", None, None),
        (ld({"@type": "Organization", "name": "Wire Agency"}), ("Wire Agency",), "json-ld"),
        (ld("EXA") + "<h1>Headline</h1><div>By Jane Doe</div>", ("Jane Doe",), "text"),
        (ld("EXA"), ("EXA",), "json-ld"),
        ("<meta name=author content='Wire Agency'>", ("Wire Agency",), "meta"),
        (ld({"@type": "Organization", "name": "Moon Post"}), None, None),
        (ld({"@type": "Person", "name": "Moon Post"}), None, None),
        ("<meta name=author content='Moon Post'>", None, None),
        # text around the headline
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
        # names of the metadata that the page shows; otherwise the names it shows
        (ld("Ann Lee") + "<h1>Headline</h1><div class=byline>By Jane Doe</div>", ("Jane Doe",), "html"),
        (ld("Ann Lee") + "<h1>Headline</h1><div class=byline>By Ann Lee and Jane Doe</div>", ("Ann Lee",), "json-ld"),
        (ld("Ann B. Lee") + "<h1>Headline</h1><div class=byline>By Ann Lee</div>", ("Ann B. Lee",), "json-ld"),
        (ld("Ann Lee") + "<h1>Headline</h1><a rel=author>janed</a>", ("Ann Lee",), "json-ld"),
        ("<meta name=author content='jdoe'><h1>Headline</h1><p>By Jane Doe</p>", ("Jane Doe",), "text"),
        ("<meta name=author content='Doe, Jane (Dr.)'><h1>Headline</h1><i>Dr. Jane Doe</i>", ("Jane Doe",), "meta"),
        # parts of a byline
        ("<h1>Headline</h1><div class=author><b>Jane Doe</b><i>Head Of Things</i></div>", ("Jane Doe",), "html"),
        ("<h1>Headline</h1><div class=author><b>Jane</b> <b>Doe</b></div>", ("Jane Doe",), "html"),
        (
            "<h1>Headline</h1><div class=author><a>Jane Doe</a> and <a>Ann Lee</a></div>",
            ("Jane Doe", "Ann Lee"),
            "html",
        ),
        ("<h1>Headline</h1><div class=author><a>Jane Doe</a>, <a>Ann Lee</a></div>", ("Jane Doe", "Ann Lee"), "html"),
        ("<h1>Headline</h1><div>x <a href=/author/jane/>Jane</a></div>", ("Jane",), "link"),
        ("<h1>Headline</h1><div>x <a href=/author/jane/>Moon</a></div>", None, None),
        (
            "<h1>Headline</h1><i itemprop=author>By <b>Jane Doe</b><span>City Columnist</span></i>",
            ("Jane Doe",),
            "microdata",
        ),
        ("<h1>Headline</h1><a rel=author href=/author/jane>View all posts by Jane Doe</a>", ("Jane Doe",), "link"),
        ("<h1>Headline</h1><p>Ein Beitrag von Hans Müller</p>", ("Hans Müller",), "text"),
        (ld("dpa"), ("dpa",), "json-ld"),
        # no author is better than a wrong one
        ("<h1>Headline</h1><a rel=author>moonpost</a>", None, None),
        ("<h1>Headline</h1><i itemprop=author>(Image: Example Images/Jane Doe)</i>", None, None),
        ("<h1>Headline</h1><figure><img><i class=author>Jane Doe</i></figure>", None, None),
        ("<h1>Headline</h1><div class=reviewer-author>Jane Doe</div>", None, None),
        # people who did something else
        ("<h1>Headline</h1><div class=byline>Reviewed by <a class=author-link>Jane Doe</a></div>", None, None),
        ("<h1>Headline</h1><div><b>Fact checked by</b> <i class=author>Jane Doe</i></div>", None, None),
        ("<figure><img><i itemprop=author>Jane Doe, Wire</i></figure><h1>Headline</h1>", None, None),
        # sections
        ("<h1>Headline</h1><div>5 May 2021 • <a rel=tag href=/m>Moon Travel</a></div>", None, None),
        ("<h1>Headline</h1><div>5 May 2021 • <a href=/category/moon>Moon Travel</a></div>", None, None),
        ("<meta property=article:section content='Moon Tour'><h1>Headline</h1><div>5 May 2021 • Moon Tour", None, None),
        ("<h1>Headline of Jane Doe</h1><div>5 May 2021 • Jane Doe</div>", None, None),
        ("<h1>Headline</h1><div>5 May 2021 • Moon EXA</div>", None, None),
        ("<h1>Headline</h1>" + TEXT * 9 + "<ul id=comments><li class=author>Jane Doe</li></ul>", None, None),
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
    authors = read(head + html + TEXT, "https://mp.moonpost.example/a").authors
    assert (authors and authors.value, authors and authors.source) == (names, source)


@pytest.mark.parametrize("html", [ld(JANE), "<meta name=author content='Jane Doe'>"])
def test_the_owner_of_a_personal_site_is_its_author(read: Callable[..., Fields], html: str) -> None:
    authors = read("<meta property=og:site_name content='Jane Doe'>" + html + TEXT).authors
    assert authors is not None
    assert (authors.value, authors.source) == (("Jane Doe",), "site")


def item(name: str) -> str:
    return f"<div itemscope itemtype=http://schema.org/Article><i itemprop=author>{name}</i></div>"


@pytest.mark.parametrize(
    ("below", "names"),
    [
        ("<div>（责编：王小明、李华）</div>", ("王小明", "李华")),
        (item("Jane Doe") + item("Ann Lee"), None),  # authors of other articles
        ("<ul id=comments><li><i class=author>Jane Doe</i></ul>", None),
    ],
)
def test_names_below_the_body(read: Callable[..., Fields], below: str, names: tuple[str, ...] | None) -> None:
    authors = read(f"<title>Headline</title><h1>Headline</h1>{TEXT * 9}{'<div>x</div>' * 3}{below}").authors
    assert (authors and authors.value) == names


@pytest.mark.parametrize(
    "html",
    [
        "<div class=author>" * 9_000 + "Jane Doe 5 May",
        "<div class=author>Jane D0e!</div>" * 9_000,
        "<a href=/author/jane>Jane-1</a>" * 9_000,
        "<meta name=author content='Doe, Jane'>" * 3_000 + f"<div>{'x ' * 20_000}</div>" * 20,
        ("<div>1 May 2021 • " + "Moon, " * 9 + "</div>") * 9_000,
    ],
)
def test_hostile_pages_are_fast(read: Callable[..., Fields], html: str) -> None:
    start = time.process_time()
    read("<title>Headline</title><h1>Headline</h1>" + html + TEXT)
    assert time.process_time() - start < MAX_SECONDS


@pytest.mark.parametrize(
    ("host", "name", "is_found"),
    [
        ("mp.example", "Moon Planet", False),
        ("www.moonpost.co.uk", "Chris Owen", True),
        ("en.moonpost.example", "Emma Nolan", True),
    ],
)
def test_initials_of_the_host_are_not_an_author(
    read: Callable[..., Fields], host: str, name: str, is_found: bool
) -> None:
    html = f"<title>Headline</title><meta name=author content='{name}'><h1>Headline</h1>"
    authors = read(html + TEXT, f"https://{host}/a").authors
    assert (authors is not None) is is_found


JSON_LD = (
    "<title>Headline</title><script type=application/ld+json>"
    '{"@type": "NewsArticle", "headline": "Headline", "author": {"@type": "Person", "name": "%s"}}</script>'
)


@pytest.mark.parametrize(
    ("stated", "html", "name"),
    [
        ("Ann Lee", "<h1>Headline</h1><p class=author style=display:none>Jane Doe</p>", "Ann Lee"),
        ("Ann Lee", "<h1>Headline</h1><aside><p class=author>Jane Doe</p></aside>", "Ann Lee"),
        ("Ann Lee", "<h1>Headline</h1><p class=author>Jane Doe</p>", "Jane Doe"),
        ("José García", "<h1>Headline</h1><p class=byline>By Jose Garcia</p>", "José García"),
        ("Al Bo Li", "<h1>Headline</h1><p class=byline>By Alma Lindt</p>", "Alma Lindt"),
        ("sinaweb", "<h1>Headline</h1><p class=author>作者：王小明</p>", "王小明"),
    ],
)
def test_metadata_against_shown_names(read: Callable[..., Fields], stated: str, html: str, name: str) -> None:
    authors = read(JSON_LD % stated + html + TEXT).authors
    assert authors is not None
    assert authors.value == (name,)


@pytest.mark.parametrize(
    ("class_name", "is_found"), [("journalists", True), ("cardiology", True), ("post-list", False), ("userCard", False)]
)
def test_classes_of_lists_are_other_content(read: Callable[..., Fields], class_name: str, is_found: bool) -> None:
    below = f"<div class={class_name}><span class=author>Jane Doe</span></div>"
    authors = read(f"<title>Headline</title><h1>Headline</h1>{TEXT * 9}{'<div>x</div>' * 3}{below}").authors
    assert (authors is not None) is is_found


SIDEBAR = "<h1>Headline</h1><div><a href=/people/rob-roe>Rob Roe</a></div>"


@pytest.mark.parametrize(
    ("html", "names"),
    [
        (SIDEBAR, ("Rob Roe",)),
        (ld(JANE) + SIDEBAR, ("Jane Doe",)),
        (ld(JANE) + "<meta name=author content='Jane Doe'><h1>Headline</h1><a rel=author>Rob Roe</a>", ("Jane Doe",)),
        (ld(JANE) + "<h1>Headline</h1><a rel=author>Rob Roe</a>", ("Rob Roe",)),
        (ld("jdoe") + SIDEBAR, ("Rob Roe",)),  # a login
    ],
)
def test_stated_names_against_links(read: Callable[..., Fields], html: str, names: tuple[str, ...]) -> None:
    authors = read(html + 3 * TEXT).authors
    assert authors is not None
    assert authors.value == names


def test_a_person_in_the_story_is_not_its_author(read: Callable[..., Fields]) -> None:
    story = f"<p>{'The match was long. ' * 10}<a href=/people/rob-roe>Rob Roe</a> scored twice.</p>"
    assert read(f"<h1>Headline</h1>{story}{TEXT}").authors is None


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Jane Doe", ("Jane Doe",)),
        ("— Jane Doe, London", ("Jane Doe",)),
        ("Jane Doe is the winner of the race", None),
        ("Moon Race ONE", None),
        ("Dear Readers,", None),
        ("Liebe Grüße", None),
        ("Interview de", None),
        ("Until Next Time ~", None),
        ("Download Moon Scout at <a href=/m>the moon</a>.", None),
    ],
)
def test_signature_in_the_last_line(read: Callable[..., Fields], line: str, names: tuple[str, ...] | None) -> None:
    authors = read(f"<h1>Headline</h1>{TEXT * 3}<p>{line}</p>").authors
    assert (authors.value if authors else None) == names


def test_a_repeated_label_is_no_signature(read: Callable[..., Fields]) -> None:
    assert read(f"<h1>Headline</h1><b>Moon Offer</b>{TEXT * 3}<p>Moon Offer</p>").authors is None


def test_kinds_of_authors(read: Callable[..., Fields]) -> None:
    stated = [JANE, {"@type": "Organization", "name": "Wire Agency"}, {"@type": "Organization", "name": "Ada Lake"}]
    fields = read(f"{ld(stated)}<h1>Headline</h1>{TEXT}")
    assert fields.authors is not None
    assert fields.authors.value == ("Jane Doe", "Wire Agency", "Ada Lake")
    kinds = getattr(fields, "author_kinds")  # noqa: B009 - not declared for type checkers
    assert kinds.value == ("person", "organization", "organization")
    assert getattr(read(TEXT), "author_kinds") is None  # noqa: B009
