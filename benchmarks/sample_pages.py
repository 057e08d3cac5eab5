"""News pages from a grammar, for measurements that need no data: the same numbers give the same pages.

Size, markup and share of scripts are like those of news sites; the texts are random words.
"""

from __future__ import annotations

import math
import re
from random import Random

# A rule is a list of alternatives. `{name}` stands for an alternative of that rule, `{name*12}` for 12 of them, more or
# fewer depending on the size of the page, and `{name=}` for the same alternative everywhere on the page.
GRAMMAR = {
    "page": [
        '<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body class="{class}">{layout}{script*8}</body></html>\n'
    ],
    "head": ["{meta}{json_ld}{sheet*6}<style>{style*40}</style>\n{script*10}"],
    "meta": [
        (
            '<meta charset="utf-8">\n<title>{title=} | The Example Courier</title>\n'
            '<meta property="og:title" content="{title=}">\n<meta property="og:type" content="article">\n'
            '<meta property="og:site_name" content="The Example Courier">\n<meta name="author" content="{person=}">\n'
            '<meta property="og:image" content="https://static.example.org/{slug}.jpg">\n'
            '<meta property="article:published_time" content="{day=}T08:30:00Z">\n'
            '<meta name="description" content="{sentence}">\n<link rel="canonical" href="{address}">\n'
        ),
    ],
    "json_ld": [
        (
            '<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle",'
            '"headline":"{title=}","datePublished":"{day=}T08:30:00Z","author":{"@type":"Person","name":"{person=}"},'
            '"publisher":{"@type":"Organization","name":"The Example Courier"}}</script>\n'
        ),
    ],
    "sheet": ['<link rel="stylesheet" href="https://static.example.org/{slug}.css">\n'],
    "style": [".{class} .{class}{margin:0 auto;padding:4px 8px;color:#345}", "#{class} a:hover{color:#123}"],
    "script": ["<script>(function(){{call*34}})();</script>\n", '<script async src="/js/{slug}.js"></script>\n'],
    "call": ['window.{word}=window.{word}||[];{word}.push({"slot":"{class}","sizes":[[300,250],[728,90]]});'],
    "layout": [
        (
            "<header><nav>{menu*3}</nav></header>\n<main><article>{article}</article>\n<aside>{teaser*14}</aside>\n"
            "{comments}</main>\n<footer>{footer}</footer>\n"
        ),
        (
            '<div id="header">{menu*3}</div>\n<div class="{class}"><div class="{class}"><div class="{class}">\n'
            '<div class="story-body">{article}</div>\n<div class="sidebar">{teaser*14}</div>{comments}</div></div>'
            '</div>\n<div id="footer">{footer}</div>\n'
        ),
        (
            "<table width=980 border=0 cellpadding=0><tr><td colspan=3>{menu}<tr><td width=160 valign=top>{menu*2}"
            "<td valign=top>{article}<br><br>{comments}<td width=200>{teaser*14}<tr><td colspan=3>{footer}</table>\n"
        ),
    ],
    "menu": ['<div class="{class}"><ul class="menu {class}">\n{item*10}</ul></div>\n'],
    "item": [
        '<li class="menu-item"><a href="{address}"><span>{word}</span></a></li>\n',
        '<li class="menu-item {class}"><a href="{address}" data-track="{slug}">{word} {word}</a></li>\n',
    ],
    "article": [
        (
            '<h1 class="headline">{title=}</h1>\n<div class="byline">By <a rel="author" href="/staff">{person=}</a>'
            '</div>\n<time datetime="{day=}T08:30:00Z">{day=}</time>\n{share}{figure}{part*24}'
        ),
    ],
    "share": ['<ul class="share"><li><a href="#"><i></i></a></li><li><a href="#"><i></i></a></li></ul>\n'],
    "part": [
        *["<p>{prose}</p>\n"] * 14,
        "<h2>{words}</h2>\n",
        "<blockquote><p>{prose}</p></blockquote>\n",
        "{figure}",
        "{list}",
    ],
    "figure": [
        (
            '<figure class="{class}"><img src="/{slug}.jpg" width="640" height="360" alt="{words}">'
            "<figcaption>{sentence}</figcaption></figure>\n"
        ),
    ],
    "list": ["<ul><li>{sentence}</li><li>{sentence}</li><li>{sentence}</li></ul>\n"],
    "teaser": [
        (
            '<div class="teaser {class}" data-id="{slug}"><div><a href="{address}"><img src="/{slug}.jpg" alt=""></a>\n'
            '</div><div class="teaser-text"><span class="kicker">{word}</span><h3><a href="{address}">{words}</a></h3>'
            '<div class="{class}"><p>{sentence}</p><span><i></i><em>{day}</em></span></div></div></div>\n'
        ),
    ],
    "comments": ["", '<div id="comments"><h3>Comments</h3><ol class="comment-list">{comment*14}</ol></div>\n'],
    "comment": [
        (
            '<li class="comment {class}"><div class="comment-author"><b>{person}</b></div><div class="comment-meta"><a '
            'href="#">{day}</a></div><div><p>{prose}</p></div><a href="#">Reply</a></li>\n'
        ),
    ],
    "footer": ['{menu*4}<p class="copyright">© 2021 The Example Courier. All rights reserved.</p>'],
    "prose": ["{sentence} {sentence} {sentence}", "{sentence} {link} {sentence}", "<b>{words}</b>: {sentence}"],
    "link": ['<a href="{address}">{words}</a> &amp; {sentence}'],
    "sentence": ["The {words}, {words}.", "A {words}; {words}.", "“It {words},” said {person=}.", "Who {words}?"],
    "title": ["New {words} after {words}"],
    "words": ["{word} {word} {word} {word}", "{word} {word} {word} {word} {word} {word} {word}"],
    "slug": ["{word}-{word}-{word}-{word}"],
    "class": ["{word}-{word}", "{word}_{word}", "{word}"],
    "address": ["/{word}/2021/05/{slug}", "/{word}/{slug}.html?ref={word}"],
    "day": ["2021-05-12", "2019-11-03", "2023-02-28", "2020-07-19"],
    "person": ["Anna Becker", "Boris Grant", "Clara Holm", "David Moreau", "Elena Novak", "Jonas Keller"],
    "word": (
        "about across after again air along another answer around because before began better between book boy budget "
        "build came carry change city close company council country cross cut different door draw early earth election "
        "enough every example eye face family far father feet few fire food form friend garden girl group grow hand "
        "harbour hard head hear high hospital house idea important island keep kind land large late learn leave letter "
        "light line list little market men mile minister money morning mother mountain move music night number often "
        "open order page paper part people picture place plant play point port press problem question railway read "
        "river road round school sea season second seem sentence ship side small song sound special state still stood "
        "storm story street study summer table thing thought town travel tree turn under village voice walk watch "
        "water week white wind winter wood word work world year young"
    ).split(),
}
SPREAD = 0.6  # of the decimal logarithm of sizes
_SYMBOL = re.compile(r"\{([a-z_]+)(=|\*\d+)?\}")


def make_page(number: int) -> str:
    """Return a page of 20 to 200 KB."""
    random = Random(number)
    scale = 10 ** random.uniform(-SPREAD / 2, SPREAD / 2)
    fixed: dict[str, str] = {}

    def choose(name: str) -> str:
        rules = GRAMMAR[name]
        return _SYMBOL.sub(expand, rules[math.floor(random.random() * len(rules))])

    def expand(symbol: re.Match[str]) -> str:
        name, mark = symbol[1], symbol[2] or ""
        if mark == "=":
            if name not in fixed:
                fixed[name] = choose(name)
            return fixed[name]
        count = round(int(mark[1:]) * scale) if mark else 1
        return "".join(choose(name) for _ in range(max(count, 1)))

    return choose("page")


def make_pages(count: int) -> list[str]:
    """Return the first pages."""
    return [make_page(number) for number in range(count)]
