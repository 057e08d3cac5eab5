"""The whole program on one screen."""

from __future__ import annotations

from broadsheet.article import Article, Status, assemble
from broadsheet.blocks import segment
from broadsheet.errors import LimitReached
from broadsheet.fields import read_fields
from broadsheet.methods import DEFAULT_METHOD, Method, label_blocks, load_method
from broadsheet.page import DEFAULT_LIMITS, Limits, read_metadata, read_page
from broadsheet.site import Site, Sites, find_link_titles


def extract(
    html: str | bytes,
    url: str | None = None,
    method: str | Method = DEFAULT_METHOD,
    *,
    charset: str | None = None,
    home: str | bytes | None = None,
    site: Site | Sites | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Article:
    """Turn a news page into its article. Any bytes will do: the article's `status` says what went wrong, if anything.

    `url` is the page's address, `method` a name of `broadsheet.methods()` or a method of your own, `charset` what the
    HTTP header said of the page, `home` a home or section page of its site, whose links name the articles they lead to,
    `site` what was learned from other pages of it.
    """
    if not isinstance(html, str | bytes):
        raise TypeError(f"html must be str or bytes, not {type(html).__name__}")
    labeller = load_method(method) if isinstance(method, str) else method
    link_titles = find_link_titles(home, url) if home and url else ()
    try:
        page = read_page(html, url=url, charset=charset, link_titles=link_titles, limits=limits)
        if site is not None:
            page = site.prepare(page)
        blocks = segment(page)
        labels = label_blocks(labeller, page, blocks)
        fields = read_fields(page, blocks, labels, read_metadata(page))
        return assemble(page, blocks, labels, fields, method=labeller.name)
    except LimitReached:
        return Article(url=url, status=Status.TIMEOUT, method=labeller.name)
