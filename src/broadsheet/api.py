"""The whole program on one screen."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import replace

from broadsheet.article import Article, Status, assemble
from broadsheet.blocks import segment
from broadsheet.errors import LimitReached
from broadsheet.fields import read_fields
from broadsheet.gc_pause import PausedCollector
from broadsheet.methods import DEFAULT_METHOD, Method, check_method, load_method
from broadsheet.methods.apply import label_blocks
from broadsheet.page import DEFAULT_LIMITS, Limits, Page, read_page, read_text
from broadsheet.site import Site, Sites, find_link_titles

_NAME = re.compile(r"https?://\S+|\S+\.x?html?", re.IGNORECASE)
_LONGEST_NAME = 1000


def extract(
    html: str | bytes,
    url: str | None = None,
    method: str | Method = DEFAULT_METHOD,
    *,
    charset: str | None = None,
    home: str | bytes | None = None,
    site: Site | Sites | None = None,
    sheets: Mapping[str, str] | None = None,
    render: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Article:
    """Turn a news page into its article. Any bytes will do: the article's `status` says what went wrong, if anything.

    `url` is the page's address, `method` a name of `broadsheet.methods()` or a method of your own, `charset` what the
    HTTP header said of the page, `home` a home or section page of its site, whose links name the articles they lead to,
    `site` what was learned from other pages of it. For methods that look at looks: `sheets` are the style sheets that
    the page links to, by address, and `render=True` asks a real browser (extra `render`).
    """
    check_arguments(html, url, charset, home, limits)
    labeller = load_method(method) if isinstance(method, str) else check_method(method)
    try:
        with PausedCollector():
            link_titles = find_link_titles(home, url, limits=limits) if home and url else ()
            page = read_page(html, url=url, charset=charset, link_titles=link_titles, limits=limits)
            if sheets:
                page = replace(page, sheets=sheets)
            if render:
                page = _render(html, page, charset, limits)
            if site is not None:
                page = site.prepare(page)
            blocks = segment(page)
            labels = label_blocks(labeller, page, blocks)
            page.deadline.check()
            fields = read_fields(page, blocks, labels)
            page.deadline.check()
            return assemble(page, blocks, labels, fields, method=labeller.name)
    except LimitReached:
        return Article(url=url, status=Status.TIMEOUT, method=labeller.name)


def _render(html: str | bytes, page: Page, charset: str | None, limits: Limits) -> Page:
    from broadsheet.style.browser import render_page  # here: most never need it

    text, _ = read_text(html, charset=charset, limits=limits)
    return render_page(text, page)


def check_arguments(html: object, url: object, charset: object, home: object, limits: object) -> None:
    """Say plainly what is wrong with a call, before anything breaks on it."""
    if not isinstance(html, str | bytes):
        raise TypeError(f"html must be str or bytes, not {type(html).__name__}")
    for name, value, kinds in (("url", url, str), ("charset", charset, str), ("home", home, str | bytes)):
        if value is not None and not isinstance(value, kinds):
            raise TypeError(f"{name} must be {kinds if name == 'home' else 'str'} or None, not {type(value).__name__}")
    if isinstance(html, str) and len(html) < _LONGEST_NAME and _NAME.fullmatch(html.strip()):
        warnings.warn("this looks like an address or a file name, not like a page: read it first", stacklevel=3)
    if not isinstance(limits, Limits):
        raise TypeError(f"limits must be broadsheet.Limits, not {type(limits).__name__}")
