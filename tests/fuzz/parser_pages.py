"""Random pages for the compiled parser alone: parts of html5lib's cases, mutated pages, random tags; cut at random."""

from __future__ import annotations

from functools import cache
from random import Random

from tests.fuzz.grammar import make_html
from tests.fuzz.mutate import mutate_page
from tests.fuzz.seeds import load_seed_pages
from tests.html.describe import CASES, read_cases

from broadsheet.html.names import ATTRIBUTE_NAMES, TAG_NAMES

_TEXTS = (
    "x",
    " ",
    "\n",
    "a &amp b",
    "&#x80;",
    "&notit;",
    "\u0301e",
    "&nGt;",
    "\u00a0",
    "<",
    "</",
    "&",
    "\r\n",
    "<!--",
    "]]>",
)
_MAX_CHARS = 150_000  # a mutation may repeat a part very often


def make_parser_page(seed: int) -> str:
    """Return the page of a seed."""
    random = Random(seed)
    kind = random.random()
    if kind < 0.3:
        page = "".join(random.choice(_read_inputs()) for _ in range(random.randrange(1, 6)))
    elif kind < 0.6:
        page = _make_soup(random)
    elif kind < 0.8:
        page = make_html(random)
    else:
        page = random.choice(load_seed_pages())
    if random.random() < 0.5:
        page = mutate_page(page, random)
    page = page[:_MAX_CHARS]
    start = random.randrange(len(page) + 1) if random.random() < 0.3 else 0
    return page[start : random.randrange(start, len(page) + 1)] if random.random() < 0.5 else page[start:]


@cache
def _read_inputs() -> list[str]:
    """Return the sources of html5lib's cases, or a few tags where they are missing."""
    sources = [source.replace("\0", "") for _, source, _ in read_cases(CASES)]
    return sources or ["<table><b><tr><td>", "<svg><foreignObject><p>", "<template><tr>", "</p><frameset><a><div></a>"]


def _make_soup(random: Random) -> str:
    """Return tags without any order, of few names, so that they meet."""
    names = random.sample(TAG_NAMES[1:], random.choice((2, 4, 8, 40)))
    parts = []
    for _ in range(random.choice((3, 30, 300))):
        name = random.choice(names)
        kind = random.random()
        if kind < 0.45:
            attribute = random.choice(ATTRIBUTE_NAMES) + random.choice(("", "=1", '="&amp;x"', "='none'", "=hidden"))
            parts.append(f"<{name}{random.choice(('', ' ' + attribute, '/'))}>")
        elif kind < 0.8:
            parts.append(f"</{name}>")
        else:
            parts.append(random.choice(_TEXTS))
    return "".join(parts)
