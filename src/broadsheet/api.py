"""The whole program on one screen.

    read_page -> read_metadata -> segment -> find_headline -> label -> Fields -> assemble -> keep_fields

`read_page` ends with `read_metadata` (`page.metadata`), `segment` with `find_headline` (`blocks.headline`): both are
computed once and passed on as typed values. `Fields` and the article find each value when it is first read.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import NamedTuple, Unpack

from broadsheet.article import Article, Extraction, Provenance, Status, assemble, read_early_fields
from broadsheet.article.lazy import complete
from broadsheet.blocks import segment
from broadsheet.errors import LimitReached
from broadsheet.fields import Fields
from broadsheet.gc_pause import GcPause
from broadsheet.methods import Method
from broadsheet.methods.apply import label_blocks
from broadsheet.options import ExtractOptions, OptionChanges, make_options
from broadsheet.output.requested import keep_fields
from broadsheet.page import Page, read_page, read_text
from broadsheet.page.file_type import detect_file_type
from broadsheet.page.other_markup import OtherMarkup, read_other_markup


class PageInput(NamedTuple):
    """A page as it was given, with what the caller knows of it."""

    url: str | None
    html: str | bytes | None  # None: the caller's item is not a page
    sheets: Mapping[str, str] | None = None  # the style sheets that it links to, by address
    problem: str = ""  # why html is None
    charset: str | None = None  # from the page's own HTTP header; replaces the one of the options
    origin: Provenance | None = None  # of a capture
    fault: str = ""  # of a capture of which only a part could be read


_NAME = re.compile(r"https?://\S+|\S+\.x?html?", re.IGNORECASE)
_MAX_NAME_CHARS = 1000


def extract(
    html: str | bytes,
    url: str | None = None,
    method: str | Method | None = None,
    *,
    sheets: Mapping[str, str] | None = None,
    options: ExtractOptions | None = None,
    **changes: Unpack[OptionChanges],
) -> Article:
    """Extract the article from a news page. Bad HTML never raises: see the article's `status`.

    Args:
        html: The page.
        url: Its address.
        method: A name from `broadsheet.methods()`, or a method object.
        sheets: The style sheets that the page links to, by address, for methods that use styles.
        options: An `ExtractOptions` value, for programs that pass the same options to many calls.
        changes: Fields of `ExtractOptions` as keyword arguments: `charset`, `home`, `site`, `render`,
            `explain`, `images`, `corrections`, `limits`, `weights`, `fields`.

    """
    settings = make_options(options, method, **changes)
    check_page(html, url)
    return extract_input(PageInput(url, html, sheets), settings)


def extract_input(given: PageInput, options: ExtractOptions, *, keep_page: bool = True) -> Article:
    """Extract a page. With `keep_page=False` all values are made at once, for programs that send or keep articles."""
    extraction = _start_extraction(given, options)
    markup = read_other_markup(extraction.html)
    if reason := _find_other_content(extraction.html, markup):
        return _make_failed(given.url, extraction, options.fields, reason, Status.FAILED)
    try:
        with GcPause():
            page = _prepare_page(markup.page if markup else extraction.html, given, options)
            blocks = segment(page)
            labels = label_blocks(extraction.method, page, blocks)
            page.deadline.check()
            article = assemble(page, blocks, labels, Fields(page, blocks, labels, options.title_weights), extraction)
            if options.fields:
                return keep_fields(article, options.fields)
            return read_early_fields(article) if keep_page else complete(article)
    except LimitReached:
        return _make_failed(given.url, extraction, options.fields, given.fault, Status.TIMEOUT)


def _start_extraction(given: PageInput, options: ExtractOptions) -> Extraction:
    return Extraction(options.load_method(), options, given.html or "", given.origin or Provenance(), given.fault)


def _make_failed(
    url: str | None, extraction: Extraction, fields: Sequence[str] | None, reason: str, status: Status
) -> Article:
    article = Article(
        url=url,
        status=status,
        method=extraction.method.name,
        sources={"status": reason} if reason else {},
        provenance=extraction.describe(),
    )
    return keep_fields(article, fields) if fields else article


def _find_other_content(html: str | bytes, markup: OtherMarkup | None) -> str:
    """Return why the input is not a page; "" if it may be one."""
    if markup and not markup.page:
        return f"the page is {markup.name}, not HTML"
    if isinstance(html, bytes) and (file_type := detect_file_type(html)):
        return f"the page is {file_type}, not HTML"
    return "the page is an address or a file name, not HTML; read the page first" if _is_name(html) else ""


def _is_name(html: str | bytes) -> bool:
    if len(html) >= _MAX_NAME_CHARS:
        return False
    text = html if isinstance(html, str) else html.decode("latin-1")
    return _NAME.fullmatch(text.strip()) is not None


def _prepare_page(html: str | bytes, given: PageInput, options: ExtractOptions) -> Page:
    """Read the page, and add all outside knowledge of it: link titles, style sheets, rendering, site."""
    limits, url, charset = options.limits, given.url, given.charset or options.charset
    link_titles: tuple[str, ...] = ()
    if options.home and url:
        from broadsheet.site import find_link_titles  # imported here: most callers have no home page

        link_titles = find_link_titles(options.home, url, limits=limits)
    page = read_page(html, url=url, charset=charset, link_titles=link_titles, limits=limits)
    if given.sheets:
        page = replace(page, sheets=given.sheets)
    if options.render:
        from broadsheet.style.browser import render_page  # imported here: most callers never render

        text, _ = read_text(html, charset=charset, limits=limits)
        page = render_page(text, page)
    return page if options.site is None else options.site.prepare(page)


def check_page(html: object, url: object) -> None:
    """Check the types of a page and its address; warn about an address or file name passed as a page."""
    if not isinstance(html, str | bytes):
        hint = "; pass path.read_bytes()" if isinstance(html, PathLike) else ""
        raise TypeError(f"html must be str or bytes, not {type(html).__name__}{hint}")
    if url is not None and not isinstance(url, str):
        raise TypeError(f"url must be str or None, not {type(url).__name__}")
    if isinstance(html, str) and _is_name(html):
        warnings.warn("html looks like an address or a file name, not a page; read the page first", stacklevel=3)
