"""Draw the figures of the pages on methods: python docs/draw_figures.py writes docs/methods/figures/*.svg."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent / "methods" / "figures"
INK, MUTED, LINE = "#1d2733", "#7b8794", "#9aa5b1"
KEPT, DROPPED, MARK, PLAIN = "#cfe8d5", "#eceff2", "#ffe08a", "#ffffff"


class Figure:
    """An SVG image, drawn part by part."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.size = width, height
        self.title = title
        self.parts: list[str] = []

    def box(  # noqa: PLR0913, PLR0917
        self, x: int, y: int, width: int, height: int, text: str = "", fill: str = PLAIN
    ) -> None:
        """Draw a rectangle with a text in it."""
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="{fill}" stroke="{LINE}"/>'
        )
        if text:
            self.text(x + width // 2, y + height // 2 + 4, text, anchor="middle")

    def text(self, x: int, y: int, text: str, *, anchor: str = "start", color: str = INK) -> None:
        """Write a line of text; y is its base line."""
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}">{escape(text)}</text>')

    def arrow(self, x1: int, y1: int, x2: int, y2: int, *, dashed: bool = False) -> None:
        """Draw an arrow."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{MUTED}"{dash} marker-end="url(#head)"/>'
        )

    def line(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draw a line."""
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{LINE}"/>')

    def circle(self, x: int, y: int, text: str, fill: str = PLAIN) -> None:
        """Draw a node of a tree."""
        self.parts.append(f'<circle cx="{x}" cy="{y}" r="19" fill="{fill}" stroke="{LINE}"/>')
        self.text(x, y + 4, text, anchor="middle")

    def write(self) -> str:
        """Return the image as SVG."""
        width, height = self.size
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="{escape(self.title)}">\n'
            f'<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0 8 4 0 8z" fill="{MUTED}"/></marker></defs>\n'
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(self.parts) + "\n</svg>\n"
        )


def draw_twcem() -> Figure:
    """Rows of a page, between the first and the last that share words with the title."""
    figure = Figure(640, 300, "TWCEM: rows between the first and the last row that share words with the title")
    figure.text(20, 24, "title: Harbour ferry returns after eleven years")
    rows = [
        ("Home  News  Sport", DROPPED, "no punctuation (δ2)"),
        ("The harbour ferry will sail again in May.", MARK, "first row with δ3 = 2 words of the title"),
        ("It was taken out of service in 2015, the port said.", KEPT, ""),
        ("Map", DROPPED, "fewer than δ1 = 4 characters"),
        ("Tickets cost 2.40, as before.", KEPT, ""),
        ("The ferry returns on 3 May, after eleven years.", MARK, "last row with δ3 words"),
        ("Contact, imprint.", DROPPED, "after the last row"),
    ]
    for number, (text, fill, note) in enumerate(rows):
        y = 44 + 34 * number
        figure.box(40, y, 330, 28, fill=fill)
        figure.text(50, y + 18, text)
        figure.text(384, y + 18, note, color=MUTED)
    figure.parts.append(f'<path d="M32 78 h-8 v164 h8" fill="none" stroke="{INK}"/>')
    return figure


def draw_stadynot() -> Figure:
    """A tree with static noise, dynamic noise, and the rest."""
    figure = Figure(640, 270, "StaDyNoT: static noise, dynamic noise, and the rest of the tree")
    edges = [(320, 40, 100, 110), (320, 40, 260, 110), (320, 40, 420, 110), (320, 40, 560, 110)]
    edges += [(260, 110, 200, 180), (260, 110, 260, 180), (260, 110, 320, 180)]
    edges += [(420, 110, 380, 180), (420, 110, 420, 180), (420, 110, 460, 180)]
    for edge in edges:
        figure.line(*edge)
    figure.circle(320, 40, "body")
    figure.circle(100, 110, "nav", DROPPED)
    figure.circle(260, 110, "div", KEPT)
    figure.circle(420, 110, "ul", DROPPED)
    figure.circle(560, 110, "div", DROPPED)
    for x in (200, 260, 320):
        figure.circle(x, 180, "p", KEPT)
    for x in (380, 420, 460):
        figure.circle(x, 180, "a", DROPPED)
    figure.text(100, 148, "static: on all", anchor="middle", color=MUTED)
    figure.text(100, 164, "neighbour pages", anchor="middle", color=MUTED)
    figure.text(560, 148, "static", anchor="middle", color=MUTED)
    figure.text(420, 222, "dynamic: common ancestor of links with", anchor="middle", color=MUTED)
    figure.text(420, 238, "under α = 50 characters of other text", anchor="middle", color=MUTED)
    figure.text(200, 222, "the rest is the article", anchor="middle", color=INK)
    return figure


def draw_visual() -> Figure:
    """The steps: NCE, title, date, body."""
    figure = Figure(
        640, 250, "Visual: NCE finds the relevant subtree; forests find title and date; the rest is the body"
    )
    figure.box(20, 30, 150, 190)
    figure.text(30, 24, "page", color=MUTED)
    figure.box(30, 40, 130, 18, "menu", DROPPED)
    figure.box(30, 64, 130, 26, "Title, 28 px bold", MARK)
    figure.box(30, 96, 130, 18, "14 March 2026", MARK)
    for number in range(3):
        figure.box(30, 120 + 22 * number, 130, 18, "long text node", KEPT)
    figure.box(30, 190, 130, 22, "comments", DROPPED)
    steps = [
        ("1  NCE: separator, β1 to β4;", "comments cut off, α, β5, β6"),
        ("2  title: forest over", "attributes 1-7 and 9"),
        ("3  date: forest over", "attributes 1-8, near the title"),
        ("4  body: relevant nodes", "after the title"),
    ]
    for number, (first, second) in enumerate(steps):
        y = 22 + 56 * number
        figure.box(330, y, 250, 44)
        figure.text(342, y + 18, first)
        figure.text(356, y + 35, second, color=MUTED)
        if number:
            figure.arrow(455, y - 12, 455, y - 1)
    for y, target in ((150, 44), (77, 100), (105, 156), (142, 212)):
        figure.arrow(164, y, 326, target, dashed=True)
    return figure


def draw_gcn() -> Figure:
    """A node gets information from its parent and its children; blocks are grouped by their place."""
    figure = Figure(640, 270, "GCN: a node, its children and its parent; then groups of blocks by position")
    for edge in (
        (150, 50, 80, 120),
        (150, 50, 220, 120),
        (220, 120, 160, 195),
        (220, 120, 220, 195),
        (220, 120, 280, 195),
    ):
        figure.line(*edge)
    figure.circle(150, 50, "body")
    figure.circle(80, 120, "nav", DROPPED)
    figure.circle(220, 120, "div", MARK)
    for x in (160, 220, 280):
        figure.circle(x, 195, "text", KEPT)
    figure.arrow(172, 64, 208, 98)
    figure.arrow(168, 172, 202, 140)
    figure.arrow(272, 172, 238, 140)
    figure.text(20, 246, "Z = CONCAT(H, ÂH, ÂᵀH): itself, its children, its parent")
    figure.text(20, 262, "215 numbers per node; two or three layers", color=MUTED)
    figure.arrow(330, 120, 380, 120)
    figure.text(400, 24, "blocks above the threshold, by y", color=MUTED)
    for y in (36, 62, 88):
        figure.box(400, y, 120, 20, "", KEPT)
    figure.text(534, 76, "kept: most text")
    figure.parts.append(f'<path d="M412 116 v62" stroke="{MUTED}" stroke-dasharray="3 3"/>')
    figure.text(424, 150, "more than t = 1000 px", color=MUTED)
    for y in (186, 212):
        figure.box(400, y, 90, 20, "", DROPPED)
    figure.text(534, 212, "removed")
    return figure


def draw_semtext() -> Figure:
    """Three word strings per block; convolutions; a BiLSTM over blocks; a CRF."""
    figure = Figure(640, 300, "SemText: three word strings per block, convolutions, a BiLSTM over blocks, a CRF")
    figure.text(20, 24, "one block:  <div class=story-body><p>The ferry sails ...", color=MUTED)
    strings = [("tags", "division paragraph"), ("classes", "story body"), ("text", "ferry sails ...")]
    for number, (name, words) in enumerate(strings):
        y = 40 + 42 * number
        figure.text(20, y + 20, name)
        figure.box(80, y, 170, 30, words, MARK)
        figure.arrow(252, y + 15, 298, y + 15)
        figure.box(300, y, 180, 30, "convolutions 3, 5, 7; max")
        figure.arrow(482, y + 15, 528, 97)
    figure.box(530, 78, 90, 38, "block vector", KEPT)
    for number in range(4):
        x = 60 + 140 * number
        figure.box(x, 190, 100, 28, f"LSTM ⇄ block {number + 1}")
        figure.arrow(x + 50, 220, x + 50, 246)
        is_main = number in (1, 2)
        figure.box(x, 248, 100, 28, "main" if is_main else "boilerplate", KEPT if is_main else DROPPED)
        if number:
            figure.arrow(x - 38, 204, x - 2, 204)
            figure.arrow(x - 38, 262, x - 2, 262)
    figure.arrow(575, 118, 550, 186, dashed=True)
    figure.text(20, 292, "CRF: one chain of labels for all blocks of the page", color=MUTED)
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    "twcem": draw_twcem,
    "stadynot": draw_stadynot,
    "visual": draw_visual,
    "gcn": draw_gcn,
    "semtext": draw_semtext,
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in FIGURES.items():
        (FOLDER / f"{name}.svg").write_text(draw().write(), "utf-8")
