"""Write a page as HTML that a browser may show: no scripts, no requests, and a mark on every block.

The page is written again from its node table. Only elements and attributes in the lists below are written, so unknown
ones cannot do harm. The result is for the `srcdoc` of an iframe with `sandbox="allow-same-origin"`: without
`allow-scripts` no script can run, and the desk can read clicks. The policy in the first `<meta>` forbids all requests,
including those of style sheets, which are only searched for addresses by a regular expression.

A block is marked by the attribute `data-block`, with its number. If a container has the text of one block only, the
mark is on the container. Otherwise each text node of the block is inside an element `<bs-text>`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from html import escape

from broadsheet.blocks import Blocks
from broadsheet.page import TEXT, Page
from broadsheet.page.nodes import Nodes

CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
MARK = "data-block"
TEXT_TAG = "bs-text"

_ELEMENTS = frozenset(
    "html body address article aside header footer h1 h2 h3 h4 h5 h6 hgroup main nav section search blockquote center "
    "dd dir div dl dt fieldset figcaption figure hr legend label li menu ol p pre ul caption col colgroup table tbody "
    "thead tfoot td th tr details summary output a abbr acronym b bdi bdo big br cite code data del dfn em font i ins "
    "kbd mark q rp rt ruby s samp small span strike strong sub sup time tt u var wbr img button".split()
)
_VOID = frozenset("br col hr img wbr".split())
_CUSTOM_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")  # style sheets may name custom elements
# Written as other elements: they would send data, open over the page, or be interpreted by the parser.
_RENAMED = {"form": "div", "dialog": "div", "slot": "span", "listing": "pre", "xmp": "pre", "plaintext": "pre"}
_MEDIA = frozenset("audio video iframe embed object canvas svg".split())  # shown as an empty box of their size
_ATTRIBUTES = frozenset(
    "class id style title dir lang hidden open width height align valign bgcolor color face size border cellpadding "
    "cellspacing colspan rowspan span start reversed type value alt nowrap clear".split()
)
_DATA_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|svg\+xml)[;,]", re.IGNORECASE)
# An empty image of a given size: browsers draw the icon of a broken image for one without an address.
_EMPTY_IMAGE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}'/%3E"
_MAX_PIXELS = 2000
_DEFAULT_SIZE = {"width": 120, "height": 80}
_CSS_ADDRESS = re.compile(r"(?:url|image-set|image|src|expression)\(|@(?:import|font-face|namespace)", re.IGNORECASE)
# The escape of a letter.
_CSS_ESCAPE = re.compile(r"\\(?:0{0,4}([46][1-9a-f]|[57][0-9a])(?![0-9a-f])\s?|([g-zG-Z]))", re.IGNORECASE)
_CSS_DATA = re.compile(r"url\(\s*[\"']?data:image/", re.IGNORECASE)
_STYLE = """
a { color: #1a4fa0; text-decoration: underline; }
img[data-empty], bs-media { background: #8883; outline: 1px dashed #8888; color: #777; font-size: 12px; }
img, bs-media { max-width: 100%; }
bs-media { display: inline-block; min-width: 40px; min-height: 20px; }
"""


def render_page_view(page: Page, blocks: Blocks) -> str:
    """Return the page as a whole HTML document for an iframe's `srcdoc`."""
    return _Writer(page, blocks).write()


class _Writer:
    """Writes the rows of a page in order."""

    def __init__(self, page: Page, blocks: Blocks) -> None:
        self._page = page
        self._nodes = page.nodes
        self._block_of_row = {row: block for block, rows in enumerate(blocks.rows) for row in rows}
        self._block_rows = sorted(self._block_of_row)
        self._marked_rows = _find_marked_rows(page.nodes, blocks)
        self._pieces: list[str] = []

    def write(self) -> str:
        """Write the document: the policy and the styles first."""
        nodes = self._nodes
        head = (
            f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_POLICY}"><meta charset="utf-8">'
            f"<style>{_STYLE}</style>{''.join(self._write_sheets())}"
        )
        self._write_body()
        doctype = "" if nodes.table.is_quirky else "<!DOCTYPE html>"
        root = f"<html{self._write_attributes(0)}>" if len(nodes) else "<html>"
        return f"{doctype}{root}<head>{head}</head>{''.join(self._pieces)}</html>"

    def _write_sheets(self) -> Iterator[str]:
        """Write the style sheets of the page: those given by address, then its own, in the order of the page."""
        for css in self._page.sheets.values():
            yield f"<style>{clean_css(css)}</style>"
        nodes = self._nodes
        for row, tag in enumerate(nodes.tag):
            if tag == "style" and nodes.parent[row] >= 0:
                css = "".join(nodes.text[row + 1 : nodes.end[row]])
                media = escape(nodes.attr(row, "media"))
                yield f'<style media="{media or "all"}">{clean_css(css)}</style>'

    def _write_body(self) -> None:
        """Write the body and all that is in it. The loop keeps the end tags itself: pages may be 500 levels deep."""
        nodes, pieces = self._nodes, self._pieces
        open_rows: list[tuple[int, str]] = []  # one past the last descendant, and the end tag
        row = next((row for row, tag in enumerate(nodes.tag) if tag == "body"), len(nodes))
        while row < len(nodes):
            while open_rows and open_rows[-1][0] <= row:
                pieces.append(open_rows.pop()[1])
            if nodes.tag[row] == TEXT:
                pieces.append(self._write_text(row))
            elif name := self._find_name(row):
                mark = f' {MARK}="{self._marked_rows[row]}"' if row in self._marked_rows else ""
                pieces.append(f"<{name}{self._write_attributes(row)}{mark}>")
                if name not in _VOID:
                    open_rows.append((nodes.end[row], f"</{name}>"))
            else:
                if nodes.tag[row] in _MEDIA:
                    pieces.append(self._write_media(row))
                row = nodes.end[row]
                continue
            row += 1
        pieces.extend(end_tag for _, end_tag in reversed(open_rows))

    def _find_name(self, row: int) -> str | None:
        """Return the name that an element is written with; None if it is left out with its content."""
        tag = self._nodes.tag[row]
        if tag in _ELEMENTS:
            return tag
        if tag in _RENAMED:
            return _RENAMED[tag]
        if _CUSTOM_NAME.fullmatch(tag) and tag != TEXT_TAG:
            return tag
        # Blocks may be in a <noscript> or a <template>; unknown elements may hold text, too.
        has_block = bisect_left(self._block_rows, row) < bisect_left(self._block_rows, self._nodes.end[row])
        return "div" if has_block else None

    def _write_text(self, row: int) -> str:
        text = escape(self._nodes.text[row], quote=False)
        block = self._block_of_row.get(row)
        if block is None or self._nodes.text[row].isspace() or self._is_in_marked(row, block):
            return text
        return f'<{TEXT_TAG} {MARK}="{block}">{text}</{TEXT_TAG}>'

    def _is_in_marked(self, row: int, block: int) -> bool:
        return any(self._marked_rows.get(outer) == block for outer in self._nodes.ancestors(row))

    def _write_attributes(self, row: int) -> str:
        return "".join(self._list_attributes(row))

    def _list_attributes(self, row: int) -> Iterator[str]:
        nodes = self._nodes
        for name in nodes.attrs.names(row):
            if name not in _ATTRIBUTES:
                continue
            value = nodes.attr(row, name)
            yield f' {name}="{escape(clean_css(value) if name == "style" else value)}"'
        if nodes.tag[row] == "img":
            source = nodes.attr(row, "src").strip()
            empty = _EMPTY_IMAGE.format_map(_DEFAULT_SIZE | self._read_size(row))
            yield f' src="{escape(source)}"' if _DATA_IMAGE.match(source) else f' src="{empty}" data-empty'
        elif nodes.tag[row] == "button":
            yield ' tabindex="-1"'

    def _read_size(self, row: int) -> dict[str, int]:
        """Return the width and height that an element states in pixels."""
        values = {name: self._nodes.attr(row, name) for name in ("width", "height")}
        return {name: min(int(value[:5]), _MAX_PIXELS) for name, value in values.items() if value.isdecimal()}

    def _write_media(self, row: int) -> str:
        """Write a box for a video or another embedded document; nothing for icons."""
        nodes = self._nodes
        size = "".join(f"{name}:{pixels}px;" for name, pixels in self._read_size(row).items())
        if nodes.tag[row] == "svg":
            return f'<bs-media style="{size or "width:1em;height:1em;min-width:0;min-height:0;"}outline:0"></bs-media>'
        return f'<bs-media style="{size}">{nodes.tag[row]}</bs-media>'


def _find_marked_rows(nodes: Nodes, blocks: Blocks) -> dict[int, int]:
    """Return the containers that have the text of a single block, and the block."""
    counts: dict[int, int] = {}
    for container in blocks.container:
        row = container
        while row >= 0:
            counts[row] = counts.get(row, 0) + 1
            row = nodes.outer.get(row, -1)
    return {
        container: block
        for block, container in enumerate(blocks.container)
        if counts[container] == 1 and nodes.tag[container] not in ("html", "body")
    }


def clean_css(css: str) -> str:
    """Make addresses in a style sheet invalid, except images in `data:` addresses. The policy forbids requests anyway.

    Without this step, the browser would report every forbidden request as an error of the desk.
    """
    css = _CSS_ESCAPE.sub(_decode_letter, css).replace("</", "<\\/")  # would end the <style> element
    kept = _CSS_DATA.sub(lambda match: match[0].replace("url(", "\0(").replace("URL(", "\0("), css)
    return _CSS_ADDRESS.sub("none(", kept).replace("\0(", "url(")


def _decode_letter(match: re.Match[str]) -> str:
    """Write a letter for its escape, which means the same: addresses may be written with escapes."""
    return chr(int(match[1], 16)) if match[1] else match[2]
