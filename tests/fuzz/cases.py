"""Cases: one page for each seed. The same seed always gives the same page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from tests.fuzz.grammar import make_css, make_dates_page, make_html, make_json_ld
from tests.fuzz.mutate import make_address, mutate_bytes, mutate_page
from tests.fuzz.seeds import load_seed_pages
from tests.fuzz.shapes import SHAPES

_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "gb18030", "koi8-r")
_SHAPE_CHARS = (100, 1000, 10_000, 10_000, 100_000)
_MAX_CHARS = 150_000
_LARGE_SHARE = 0.015
_LARGE_CHARS = 8_000_000
ADDRESS = "https://x.example/news/ferry"


@dataclass(frozen=True, slots=True)
class Case:
    """A page and the arguments that it is extracted with."""

    seed: int
    html: str | bytes
    url: str | None = ADDRESS
    charset: str | None = None
    sheets: Mapping[str, str] = field(default_factory=dict)


def make_case(seed: int) -> Case:
    """Return the case of a seed."""
    random = Random(seed)
    html, sheets = _make_page(random)
    url = ADDRESS if random.random() < 0.7 else random.choice((None, make_address(random)))
    if random.random() < 0.4:
        return Case(seed, html, url, sheets=sheets)
    data = html.encode(random.choice(_ENCODINGS) if random.random() < 0.3 else "utf-8", "replace")
    if random.random() < 0.3:
        data = mutate_bytes(data, random)
    charset = random.choice((None, None, None, "utf-8", "latin-1", "undefined", "idna", "\0", "utf-7", "x" * 100))
    return Case(seed, data, url, charset, sheets)


def _make_page(random: Random) -> tuple[str, dict[str, str]]:
    """Return a page and its style sheets."""
    if random.random() < _LARGE_SHARE:
        return random.choice(SHAPES).make(_LARGE_CHARS), {}
    html, sheets = _make_small_page(random)
    return html[:_MAX_CHARS], sheets


def _make_small_page(random: Random) -> tuple[str, dict[str, str]]:
    kind = random.random()
    page = random.choice(load_seed_pages())
    if kind < 0.4:
        return mutate_page(page, random), {}
    if kind < 0.6:
        return make_html(random), {}
    if kind < 0.7:
        css = make_css(random)
        page = f"<link rel=stylesheet href=/style.css><style>{make_css(random)}</style>{page}"
        return mutate_page(page, random) if random.random() < 0.5 else page, {"https://x.example/style.css": css}
    if kind < 0.8:
        scripts = [f"<script type=application/ld+json>{make_json_ld(random)}</script>" for _ in range(3)]
        return "".join(scripts) + mutate_page(page, random), {}
    if kind < 0.9:
        return make_dates_page(random), {}
    shape = random.choice(SHAPES).make(random.choice(_SHAPE_CHARS))
    return (shape, {}) if random.random() < 0.5 else (page.replace("<main>", f"<main>{shape}"), {})
