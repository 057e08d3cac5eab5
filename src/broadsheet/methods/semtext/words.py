"""Words of tags, class names and texts (sections III-B and III-D)."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

from broadsheet.text import split_identifiers, split_words

# Phrases of the W3C's HTML5 reference for authors, as in the paper. Only containers: paths have no other tags.
TAG_PHRASES = {
    "html": "root",
    "body": "body",
    "address": "contact address",
    "article": "article",
    "aside": "aside",
    "header": "header",
    "footer": "footer",
    "h1": "primary headline",
    "h2": "secondary headline",
    "h3": "tertiary headline",
    "h4": "fourth headline",
    "h5": "fifth headline",
    "h6": "sixth headline",
    "hgroup": "headline group",
    "main": "main content",
    "nav": "navigation",
    "section": "section",
    "search": "search",
    "blockquote": "block quotation",
    "center": "center",
    "dd": "description details",
    "dir": "directory list",
    "div": "division",
    "dl": "description list",
    "dt": "description term",
    "fieldset": "form group",
    "figcaption": "figure caption",
    "figure": "figure",
    "form": "form",
    "hr": "thematic break",
    "legend": "form caption",
    "label": "form label",
    "button": "button",
    "li": "list item",
    "listing": "preformatted listing",
    "menu": "menu",
    "ol": "ordered list",
    "p": "paragraph",
    "plaintext": "plain text",
    "pre": "preformatted text",
    "ul": "unordered list",
    "xmp": "preformatted example",
    "caption": "table caption",
    "col": "column",
    "colgroup": "column group",
    "table": "table",
    "td": "table cell",
    "th": "table header cell",
    "tr": "table row",
    "details": "details",
    "summary": "summary",
    "dialog": "dialog",
    "output": "output",
    "slot": "slot",
}
_TAG_WORDS = {tag: tuple(phrase.split()) for tag, phrase in TAG_PHRASES.items()}

# Abbreviations in class names. The paper expands abbreviations without listing them.
ABBREVIATIONS = {
    "ad": "advertisement",
    "ads": "advertisement",
    "adv": "advertisement",
    "advert": "advertisement",
    "art": "article",
    "auth": "author",
    "bc": "breadcrumb",
    "bg": "background",
    "btn": "button",
    "cat": "category",
    "cats": "categories",
    "cmt": "comment",
    "cmts": "comments",
    "col": "column",
    "cols": "columns",
    "cont": "content",
    "cnt": "content",
    "ctn": "container",
    "ctr": "container",
    "desc": "description",
    "fb": "facebook",
    "fig": "figure",
    "fn": "footnote",
    "foot": "footer",
    "ftr": "footer",
    "hd": "header",
    "hdr": "header",
    "head": "header",
    "hed": "headline",
    "ico": "icon",
    "img": "image",
    "imgs": "images",
    "info": "information",
    "lbl": "label",
    "lft": "left",
    "lnk": "link",
    "lnks": "links",
    "mod": "module",
    "msg": "message",
    "nav": "navigation",
    "navbar": "navigation bar",
    "num": "number",
    "pag": "pagination",
    "par": "paragraph",
    "para": "paragraph",
    "pg": "page",
    "pic": "picture",
    "pics": "pictures",
    "pos": "position",
    "prev": "previous",
    "promo": "promotion",
    "pub": "published",
    "rel": "related",
    "rt": "right",
    "sec": "section",
    "sect": "section",
    "sidebar": "side bar",
    "soc": "social",
    "sub": "subscribe",
    "tbl": "table",
    "tit": "title",
    "ttl": "title",
    "tw": "twitter",
    "txt": "text",
    "vid": "video",
    "wrap": "wrapper",
}
_EXPANSIONS = {short: tuple(full.split()) for short, full in ABBREVIATIONS.items()}

_MAX_NAME_CHARS = 1_000  # of a class attribute; longer ones are generated and do not describe the container


def split_tag(tag: str) -> tuple[str, ...]:
    """Return the words of a tag name: `h1` is a primary headline."""
    return _TAG_WORDS.get(tag, (tag,))


@lru_cache(maxsize=20_000)
def split_names(names: str) -> tuple[str, ...]:
    """Return the words of a class attribute in lower case.

    Delimiters and numbers are dropped, camel case is split and abbreviations are expanded. A name without any word of
    two letters is kept unchanged, as the paper recommends.
    """
    expanded: list[str] = []
    for name in names[:_MAX_NAME_CHARS].split():
        words = [word.lower() for word in split_identifiers(name, any_letter=True) if len(word) > 1]
        for word in words or [name.lower()]:
            expanded.extend(_EXPANSIONS.get(word) or (word,))
    return tuple(expanded)


# Twice 50 words, since about half are stop words, of at most ten characters on average.
_MAX_TEXT_CHARS = 1_000


def split_text(text: str) -> list[str]:
    """Return the first words of a text, in lower case."""
    return split_words(text[:_MAX_TEXT_CHARS])


@cache
def load_stop_words() -> frozenset[str]:
    """Return the stop words of all languages: the language of a page is unknown, and its menus may have another."""
    lines = (files("broadsheet.methods.semtext") / "stop_words.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.partition(":")[2].split())
