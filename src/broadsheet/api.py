"""The whole program on one screen.

    read_page -> read_metadata -> segment -> find_headline -> label -> read_fields -> assemble

`read_page` ends with `read_metadata` (`page.metadata`), `segment` with `find_headline` (`blocks.headline`): both are
computed once and passed on as typed values.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Unpack

from broadsheet.article import Article, Provenance, Status, assemble, drop_figures
from broadsheet.blocks import segment
from broadsheet.errors import LimitReached
from broadsheet.fields import read_fields
from broadsheet.gc_pause import GcPause
from broadsheet.methods import Method
from broadsheet.methods.apply import label_blocks
from broadsheet.options import ExtractOptions, OptionChanges, make_options
from broadsheet.page import Page, read_page, read_text
from broadsheet.page.file_type import detect_file_type
from broadsheet.site import find_link_titles
from broadsheet.version import __version__

_NAME = re.compile(r"https?://\S+|\S+\.x?html?", re.IGNORECASE)
_MAX_NAME_CHARS = 1000
_HASHED_CHARS = 16_384  # of one piece


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
            `explain`, `images`, `limits`, `weights`.

    """
    settings = make_options(options, method, **changes)
    check_page(html, url)
    labeller = settings.load_method()
    provenance = _describe_run(html, labeller)
    if reason := _find_other_content(html):
        sources = {"status": reason}
        return Article(url=url, status=Status.FAILED, method=labeller.name, sources=sources, provenance=provenance)
    try:
        with GcPause():
            page = _prepare_page(html, url, sheets, settings)
            blocks = segment(page)
            labels = label_blocks(labeller, page, blocks, explain=settings.explain)
            page.deadline.check()
            fields = read_fields(page, blocks, labels, settings.title_weights)
            page.deadline.check()
            article = assemble(page, blocks, labels, fields, method=labeller.name, provenance=provenance)
            return article if settings.images else replace(article, body=drop_figures(article.body))
    except LimitReached:
        return Article(url=url, status=Status.TIMEOUT, method=labeller.name, provenance=provenance)


def _find_other_content(html: str | bytes) -> str:
    """Return why the input is not a page; "" if it may be one."""
    if isinstance(html, bytes) and (file_type := detect_file_type(html)):
        return f"the page is {file_type}, not HTML"
    return "the page is an address or a file name, not HTML; read the page first" if _is_name(html) else ""


def _is_name(html: str | bytes) -> bool:
    if len(html) >= _MAX_NAME_CHARS:
        return False
    text = html if isinstance(html, str) else html.decode("latin-1")
    return _NAME.fullmatch(text.strip()) is not None


def _describe_run(html: str | bytes, method: Method) -> Provenance:
    return Provenance(
        html_hash=_hash_page(html),
        weights=getattr(method, "weights_hash", None),
        broadsheet_version=__version__,
    )


def _hash_page(html: str | bytes) -> str:
    """Return the SHA-256 of a page; of a str, that of its UTF-8 form."""
    if isinstance(html, bytes):
        return hashlib.sha256(html).hexdigest()
    digest = hashlib.sha256()  # in pieces, which stay in the processor's cache
    for start in range(0, len(html), _HASHED_CHARS):
        digest.update(html[start : start + _HASHED_CHARS].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _prepare_page(
    html: str | bytes, url: str | None, sheets: Mapping[str, str] | None, options: ExtractOptions
) -> Page:
    """Read the page, and add all outside knowledge of it: link titles, style sheets, rendering, site."""
    limits = options.limits
    link_titles = find_link_titles(options.home, url, limits=limits) if options.home and url else ()
    page = read_page(html, url=url, charset=options.charset, link_titles=link_titles, limits=limits)
    if sheets:
        page = replace(page, sheets=sheets)
    if options.render:
        page = _render(html, page, options)
    return page if options.site is None else options.site.prepare(page)


def _render(html: str | bytes, page: Page, options: ExtractOptions) -> Page:
    from broadsheet.style.browser import render_page  # imported here: most callers never render

    text, _ = read_text(html, charset=options.charset, limits=options.limits)
    return render_page(text, page)


def check_page(html: object, url: object) -> None:
    """Check the types of a page and its address; warn about an address or file name passed as a page."""
    if not isinstance(html, str | bytes):
        hint = "; pass path.read_bytes()" if isinstance(html, PathLike) else ""
        raise TypeError(f"html must be str or bytes, not {type(html).__name__}{hint}")
    if url is not None and not isinstance(url, str):
        raise TypeError(f"url must be str or None, not {type(url).__name__}")
    if isinstance(html, str) and _is_name(html):
        warnings.warn("html looks like an address or a file name, not a page; read the page first", stacklevel=3)
