"""HTML to Page: the first step of the flow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from broadsheet.page.addresses import resolve_address
from broadsheet.page.decode import decode_page
from broadsheet.page.limits import DEFAULT_LIMITS, NO_DEADLINE, Deadline, Limits
from broadsheet.page.metadata import Metadata, read_metadata
from broadsheet.page.nodes import Nodes, shows_little_text
from broadsheet.page.parser import parse_nodes


class Rendering(NamedTuple):
    """The result of a real browser (`style.browser`): box and computed style of every row.

    Rows that the browser does not have take their parents' values.
    """

    x: Sequence[float]
    y: Sequence[float]
    width: Sequence[float]
    height: Sequence[float]  # 0 by 0 for rows that are not shown
    font_size: Sequence[float]  # pixels
    weight: Sequence[int]
    color: Sequence[int]  # 0xRRGGBB
    background: Sequence[int]  # 0xRRGGBB, the colour behind the row
    family: Sequence[str]  # "serif", "sans-serif", "monospace", "cursive", "fantasy"
    display: Sequence[str]
    is_shown: Sequence[bool]
    page_width: float
    page_height: float
    mapped: float  # share of the rows that were found in the browser's tree


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A parsed page. All later steps read it; none changes it."""

    nodes: Nodes
    metadata: Metadata
    url: str | None = None
    base: str | None = None  # the address that relative links refer to, if known
    encoding: str | None = None  # None if the page was given as str
    is_cut: bool = False  # the page is larger than the limits; the rest was left out
    link_titles: tuple[str, ...] = ()  # texts of the links to this page on home and section pages
    deadline: Deadline = NO_DEADLINE
    static_rows: frozenset[int] = frozenset()  # text nodes that belong to the site's template, if the site is known
    sheets: Mapping[str, str] = field(default_factory=dict)  # address -> CSS of the linked style sheets that were given
    rendering: Rendering | None = None  # result of a real browser, if one was used
    source: str = ""  # the decoded HTML, for methods that read its lines


def read_page(
    html: str | bytes,
    *,
    url: str | None = None,
    charset: str | None = None,
    link_titles: tuple[str, ...] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> Page:
    """Decode and parse a page. Accepts any HTML, however broken. Raises LimitReached after `limits.max_seconds`."""
    deadline = Deadline.after(limits.max_seconds)
    is_cut = len(html) > limits.max_bytes
    text, encoding = read_text(html, charset=charset, limits=limits)
    nodes = parse_nodes(text, limits=limits, deadline=deadline)
    metadata = read_metadata(nodes, url)
    source = text
    if shows_little_text(nodes):
        from broadsheet.page.script_body import add_script_body  # imported here: few pages need it

        if filled := add_script_body(text, nodes, metadata, deadline):
            source = filled
            nodes = parse_nodes(source, limits=limits, deadline=deadline)
            metadata = read_metadata(nodes, url)
    return Page(
        nodes=nodes,
        metadata=metadata,
        url=url,
        base=_find_base(nodes, url),
        encoding=encoding,
        is_cut=is_cut or nodes.is_cut,
        link_titles=link_titles,
        deadline=deadline,
        source=source,
    )


def read_text(
    html: str | bytes, *, charset: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> tuple[str, str | None]:
    """Decode the first `limits.max_bytes` of a page; return its text and its character set (None for str)."""
    html = html[: limits.max_bytes]
    if isinstance(html, str):
        return html, None
    decoded = decode_page(bytes(html), charset=charset)
    return decoded.text, decoded.encoding


def _find_base(nodes: Nodes, url: str | None) -> str | None:
    """Return `<base href>`, relative to the page's address or, if that is unknown, to its canonical address."""
    if url is None:
        canonical = (row for row in nodes.rows["link"] if nodes.attr(row, "rel").lower() == "canonical")
        hrefs = (nodes.attr(row, "href") for row in canonical)
        url = next((address for href in hrefs if (address := resolve_address(href, None))), None)
    base = next((href for row in nodes.rows["base"] if (href := nodes.attr(row, "href"))), "")
    return resolve_address(base, url) or url
