"""Pages, style sheets and JSON-LD made from grammars."""

from __future__ import annotations

import json
from random import Random

from tests.fuzz import nasty
from tests.fuzz.mutate import make_address, make_attribute, make_date, make_tag, make_text

_CONTAINERS = (
    "div",
    "p",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "b",
    "a",
    "section",
    "blockquote",
    "h2",
    "pre",
    "svg",
    "form",
)
_JSON_KEYS = (
    "@type @id @graph @context @value @list headline name author datePublished dateModified dateCreated publisher "
    "image url articleBody articleSection keywords isPartOf mainEntityOfPage isAccessibleForFree hasPart inLanguage"
).split()
_JSON_TYPES = ("NewsArticle", "Article", "Person", "Organization", "WebPage", "ImageObject", "https://schema.org/x/")
_PROPERTIES = (
    "color background display width height margin padding font font-size float position visibility content line-height "
    "border overflow z-index opacity transform grid-template-columns flex clip-path --a"
).split()
_VALUES = (
    "red #abc #12345678 rgb(1,2,3) rgba(1%,2%,3%,.5) hsl(1turn,2%,3%) none block flex grid inherit initial auto 0 1px "
    "1e9px -1em 99999999999999999999% calc(1px+(2em*3)) var(--a) var(--b,var(--a)) url(x) 'x' !important NaN inset"
).split()
_SELECTORS = (
    "* p .a #a [a] [a=b] [a~='b' i] :not(p) :is(p,.a) :where(*) :has(>p) ::before :nth-child(2n+1) :nth-last-child(-n) "
    ":first-child :root :hover a>b a+b a~b"
).split()
_AT_RULES = ("@media screen", "@media (min-width:1e9px)", "@supports (a:b)", "@layer a.b", "@container x", "@scope (p)")


def make_html(random: Random) -> str:
    """Return a page from a grammar of nested and misnested elements."""
    parts: list[str] = []
    if random.random() < 0.7:
        parts.append(f"<title>{make_text(random)}</title>")
    parts += [_make_content(random, random.randrange(6)) for _ in range(random.choice((3, 10, 40)))]
    return "".join(parts)


def _make_content(random: Random, depth: int) -> str:
    kind = random.random()
    if depth <= 0 or kind < 0.2:
        return make_text(random)
    if kind < 0.3:
        return make_tag(random)
    if kind < 0.35:
        return f"<!--{make_text(random)}-->"
    name = random.choice(_CONTAINERS)
    inner = "".join(_make_content(random, depth - 1) for _ in range(random.randrange(4)))
    attribute = f" {make_attribute(random)}" if random.random() < 0.3 else ""
    end = "" if random.random() < 0.1 else f"</{name if random.random() < 0.9 else random.choice(_CONTAINERS)}>"
    return f"<{name}{attribute}>{inner}{end}" * (random.choice((1, 1, 30)) if depth == 1 else 1)


def make_css(random: Random, depth: int = 3) -> str:
    """Return a style sheet from a grammar, with rules inside rules."""
    rules = []
    for _ in range(random.randrange(1, 6)):
        if depth and random.random() < 0.3:
            inner = make_css(random, depth - 1)
            rules.append(f"{random.choice(_AT_RULES)}{{{inner}}}" * random.choice((1, 1, 4)))
        else:
            rules.append(f"{_make_selector(random)}{{{_make_declarations(random)}}}")
    css = " ".join(rules)
    if random.random() < 0.1:
        css = css[: random.randrange(len(css) + 1)]
    return css * (random.choice((1, 1, 1, 50)) if depth == 3 else 1)


def _make_selector(random: Random) -> str:
    parts = [random.choice(_SELECTORS) for _ in range(random.choice((1, 1, 2, 3, 40)))]
    joined = random.choice(("", " ", ",", ">")).join(parts)
    if random.random() < 0.1:
        name = random.choice(("is", "not", "where", "has"))
        return f":{name}(" * random.choice((1, 10, 300)) + joined
    return joined


def _make_declarations(random: Random) -> str:
    return ";".join(
        f"{random.choice(_PROPERTIES)}:{' '.join(random.choices(_VALUES, k=random.choice((1, 1, 2, 30))))}"
        for _ in range(random.choice((1, 2, 5, 40)))
    )


def make_json_ld(random: Random) -> str:
    """Return the text of a JSON-LD script, valid or broken."""
    text = json.dumps(_make_json(random, random.choice((1, 3, 6))), ensure_ascii=random.random() < 0.5)
    change = random.random()
    if change < 0.1:
        return text[: random.randrange(len(text) + 1)]
    if change < 0.2:
        return text.replace(",", ",,", 1).replace('"', "&quot;" if random.random() < 0.5 else '"')
    if change < 0.3:
        return f"<!--\n{text}\n-->"
    if change < 0.35:
        return '{"a":' * random.choice((10, 2000)) + text
    return text * random.choice((1, 1, 1, 5))


def _make_json(random: Random, depth: int) -> object:
    kind = random.random()
    if depth <= 0 or kind < 0.3:
        values = (make_text(random), make_date(random), make_address(random), None, True, 0, -1.5, 10**30, "Jane Doe")
        return random.choice(values)
    if kind < 0.5:
        return [_make_json(random, depth - 1) for _ in range(random.choice((0, 1, 3, 30)))]
    names = random.choices(_JSON_KEYS, k=random.randrange(6))
    return {"@type": random.choice(_JSON_TYPES), **{name: _make_json(random, depth - 1) for name in names}}


def make_dates_page(random: Random) -> str:
    """Return a page with dates in all places that are read."""
    places = (
        "<meta property=article:published_time content='{}'>",
        "<meta name=date content='{}'>",
        "<time datetime='{}'>x</time>",
        "<time>{}</time>",
        "<p class=date>Published: {}</p>",
        "<p class=byline>By Jane Doe, {}</p>",
        "<p>The council met on {}, and voted.</p>",
        "<span itemprop=datePublished content='{}'></span>",
        "<!-- {} -->",
        "<a href='/{}/story'>x</a>",
    )
    dates = [random.choice(places).format(make_date(random)) for _ in range(random.choice((1, 5, 60)))]
    return f"<title>Ferry, stays</title>{''.join(dates)}<p>The council met, and voted.</p>{random.choice(nasty.TEXTS)}"
