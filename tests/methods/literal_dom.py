"""A small DOM of the standard library, for the literal readings of the papers: it shares no code with Broadsheet."""

from __future__ import annotations

import random
from collections.abc import Iterator
from html.parser import HTMLParser

VOID = frozenset("br hr img input link meta".split())


class Element:
    """An element or, with the tag "", a text node."""

    def __init__(self, tag: str, parent: Element | None, attributes: str = "", data: str = "") -> None:
        self.tag, self.parent, self.attributes, self.data = tag, parent, attributes, data
        self.children: list[Element] = []
        if parent is not None:
            parent.children.append(self)

    def walk(self) -> Iterator[Element]:
        """Yield this node and all nodes below it, depth-first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def ancestors(self) -> Iterator[Element]:
        """Yield the parent, its parent, and so on."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def texts(self) -> list[str]:
        """The texts below, white space folded, without empty ones."""
        return [" ".join(node.data.split()) for node in self.walk() if not node.tag and node.data.strip()]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("#document", None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, self.at, repr(attrs))
        if tag not in VOID:
            self.at = element

    def handle_endtag(self, tag: str) -> None:
        assert self.at.tag == tag, "the pages of these tests close their elements"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        Element("", self.at, data=data)


def parse(html: str) -> Element:
    """Parse a page whose elements are all closed."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


WORDS = "ferry council town bridge harbour money vote plan winter island road captain".split()


def write_sentence(chance: random.Random, words: int) -> str:
    """Return a sentence of random words."""
    return " ".join(chance.choice(WORDS) for _ in range(words)).capitalize() + "."


def write_pages(seed: int, count: int) -> list[str]:
    """Return pages of one site: a fixed menu and footer, lists of links, and a story of nested elements."""
    chance = random.Random(seed)
    return [_write_page(chance, number) for number in range(count)]


def _write_page(chance: random.Random, number: int) -> str:
    def story(depth: int) -> str:
        kind = chance.randrange(6 if depth else 4)
        text = write_sentence(chance, chance.randrange(3, 40))
        if kind == 0:
            return f"<p>{text}</p>\n"
        if kind == 1:
            return f"<p>{text} <b>{write_sentence(chance, 4)}</b>\n{write_sentence(chance, 5)}</p>"
        if kind == 2:
            return f"<div>{text}\n<a href=x{chance.randrange(99)}>{chance.choice(WORDS)} here</a>{write_sentence(chance, 9)}</div>\n"
        if kind == 3:
            items = "".join(f"<li><a href=y{item}>{write_sentence(chance, 3)}</a></li>" for item in range(3))
            return f"<ul class=more>{items}</ul>\n"
        inner = "".join(story(depth - 1) for _ in range(chance.randrange(1, 4)))
        return f"<div class={chance.choice(('a', 'b'))}>{inner}</div>\n" if kind == 4 else f"<section>{inner}</section>"

    title = " ".join(chance.choice(WORDS) for _ in range(4))
    menu = "<ul><li><a href=/>Home, sweet home</a></li><li><a href=/s>Sport, and more</a></li></ul>"
    body = "".join(story(2) for _ in range(6))
    return (
        f"<html><head><title>{title} in The Courier</title></head>\n<body>{menu}\n<h1>{title}</h1>\n<div id=story>{body}"
        f"</div>\n<p>Number {number}.</p>\n<div id=foot>Copyright, all rights. <a href=/i>Imprint</a></div>\n</body></html>"
    )
