from __future__ import annotations

import pytest

from broadsheet.site import find_link_titles, simplify_address

HOME = """<a href="/news/a.html">More</a> <a href="https://www.x.example/news/a.html#top"><h2>Cats  win</h2></a>
<a href="news/a.html"><img></a> <a href="/news/b.html">Dogs lose</a> <a name=x>No link</a> <a href="http://[">Broken</a>"""


@pytest.mark.parametrize(
    ("url", "titles"),
    [
        ("https://x.example/news/a.html", ("Cats win", "More")),
        ("http://x.example/news/b.html", ("Dogs lose",)),
        ("https://x.example/news/c.html", ()),
        ("https://y.example/news/b.html", ()),
    ],
)
def test_link_texts_are_titles_of_the_linked_page(url: str, titles: tuple[str, ...]) -> None:
    # Relative links refer to the site of `url`, so the links are made absolute here.
    home = HOME.replace('"/news', '"https://x.example/news')
    assert find_link_titles(home, url) == titles


def test_relative_links_of_the_home_page() -> None:
    home = "<base href=https://x.example/front/><a href=../news/a.html>Cats win</a><a href=b.html>Dogs lose</a>"
    assert find_link_titles(home, "https://x.example/news/a.html") == ("Cats win",)
    assert find_link_titles("<a href=news/a.html>Cats win</a>", "https://x.example/news/a.html") == ("Cats win",)


@pytest.mark.parametrize(
    ("address", "simple"),
    [
        ("https://www.X.example/a/", "x.example/a"),
        ("http://x.example/a?id=3#c", "x.example/a?id=3"),
        ("http://[", "http://["),
    ],
)
def test_simplify_address(address: str, simple: str) -> None:
    assert simplify_address(address) == simple
