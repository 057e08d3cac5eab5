"""Bytes or text in, Page out: the first arrow of the flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from broadsheet.page.addresses import resolve_address
from broadsheet.page.decode import decode_page
from broadsheet.page.limits import DEFAULT_LIMITS, NO_DEADLINE, Deadline, Limits
from broadsheet.page.metadata import Metadata, read_metadata
from broadsheet.page.nodes import Nodes
from broadsheet.page.parser import parse_nodes
from broadsheet.page.rendering import Rendering


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A parsed page: read by everyone, written by no one."""

    nodes: Nodes
    metadata: Metadata
    url: str | None = None
    base: str | None = None  # what its relative addresses are relative to, where that is known
    encoding: str | None = None  # None when the page came as str
    is_cut: bool = False  # the page was larger than the limits, and its rest was left out
    link_titles: tuple[str, ...] = ()  # what links on a home or section page call this page
    deadline: Deadline = NO_DEADLINE
    static_rows: frozenset[int] = frozenset()  # text nodes that belong to the site's template, where that is known
    sheets: Mapping[str, str] = field(default_factory=dict)  # address -> CSS, of the linked sheets that are at hand
    rendering: Rendering | None = None  # what a real browser made of the page, where one was asked


def read_page(
    html: str | bytes,
    *,
    url: str | None = None,
    charset: str | None = None,
    link_titles: tuple[str, ...] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> Page:
    """Decode and parse a page. Never fails on bad HTML; raises LimitReached when the time is over."""
    deadline = Deadline.after(limits.max_seconds)
    is_cut = len(html) > limits.max_bytes
    text, encoding = read_text(html, charset=charset, limits=limits)
    nodes = parse_nodes(text, limits=limits, deadline=deadline)
    return Page(
        nodes=nodes,
        metadata=read_metadata(nodes, url),
        url=url,
        base=_find_base(nodes, url),
        encoding=encoding,
        is_cut=is_cut or nodes.is_cut,
        link_titles=link_titles,
        deadline=deadline,
    )


def read_text(
    html: str | bytes, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> tuple[str, str | None]:
    """Decode as much of a page as the limits allow: its text, and the character set when it came as bytes."""
    html = html[: limits.max_bytes]
    if isinstance(html, str):
        return html, None
    decoded = decode_page(bytes(html), charset=charset)
    return decoded.text, decoded.encoding


def _find_base(nodes: Nodes, url: str | None) -> str | None:
    """Read `<base href>`, relative to the page's address or, when that is unknown, to the address it gives itself."""
    if url is None:
        canonical = (row for row in nodes.rows["link"] if nodes.attr(row, "rel").lower() == "canonical")
        stated = (nodes.attr(row, "href") for row in canonical)
        url = next((address for href in stated if (address := resolve_address(href, None))), None)
    base = next((href for row in nodes.rows["base"] if (href := nodes.attr(row, "href"))), "")
    return resolve_address(base, url) or url
