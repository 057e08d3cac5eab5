"""Words of tags, class names and texts (sections III-B and III-D)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from broadsheet.blocks import Blocks
from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.page import Nodes, Page
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


# The units of a page and their three word strings (sections III-B to III-D). Equal strings are stored once


Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Strings:
    """Word strings of one kind."""

    words: Sequence[Words]  # distinct strings
    of_unit: Sequence[int]  # the index of each unit's string


def find_units(blocks: Blocks, config: SemtextConfig) -> Sequence[int]:
    """Return the unit of each block."""
    return blocks.group if config.combines else range(len(blocks))


def read_strings(page: Page, blocks: Blocks, config: SemtextConfig) -> dict[str, Strings]:
    """Return the word strings of all units, by kind: all of STRINGS, even if the network reads fewer."""
    first_blocks = _find_first_blocks(find_units(blocks, config))
    containers = [blocks.container[block] for block in first_blocks]
    nodes = page.nodes
    return {
        "tags": _read_paths(nodes, [nodes.tag[row] for row in nodes.outer], split_tag, containers, config),
        "classes": _read_paths(nodes, _read_names(nodes, config), split_names, containers, config),
        "texts": _read_texts(blocks, first_blocks, config),
    }


def _find_first_blocks(units: Sequence[int]) -> list[int]:
    """Return the first block of each unit. The blocks of a unit are adjacent."""
    return [block for block, unit in enumerate(units) if not block or units[block - 1] != unit]


def _read_names(nodes: Nodes, config: SemtextConfig) -> list[str]:
    """Return the class names of all containers, followed by their ids if `has_ids`."""
    classes = nodes.classes
    if not config.has_ids:
        return [names or "" for names in classes]
    ids = nodes.attrs.get_all(nodes.outer, "id")
    return [
        f"{names or ''} {element_id}" if element_id else names or ""
        for names, element_id in zip(classes, ids, strict=True)
    ]


def _read_paths(
    nodes: Nodes, steps: list[str], split: Callable[[str], Words], containers: list[int], config: SemtextConfig
) -> Strings:
    """Return the paths to containers as words. A path extends that of the outer container, so depth costs nothing."""
    stop_words = load_stop_words() if config.drops_stop_words else frozenset()
    max_words = config.max_words
    step_words: dict[str, Words] = {"": ()}
    paths: dict[int, Words] = {-1: ()}
    for (row, outer), step in zip(nodes.outer.items(), steps, strict=True):
        words = step_words.get(step)
        if words is None:
            words = step_words[step] = tuple(word for word in split(step) if word not in stop_words)
        path = paths[outer] + words if words else paths[outer]
        if len(path) > max_words:
            path = path[-max_words:] if config.keeps_path_end else path[:max_words]
        paths[row] = path
    return _merge_equal([paths[row] for row in containers])


def _read_texts(blocks: Blocks, first_blocks: list[int], config: SemtextConfig) -> Strings:
    stop_words = load_stop_words() if config.drops_stop_words else frozenset()
    max_words, texts = config.max_words, blocks.text
    strings: list[Words] = []
    for first, end in zip(first_blocks, [*first_blocks[1:], len(blocks)], strict=True):
        words = [word for word in split_text(texts[first]) if word not in stop_words]
        for block in range(first + 1, end):
            if len(words) >= max_words:
                break
            words += [word for word in split_text(texts[block]) if word not in stop_words]
        strings.append(tuple(words[:max_words]))
    return _merge_equal(strings)


def _merge_equal(strings: list[Words]) -> Strings:
    """Store equal strings once."""
    index_of: dict[Words, int] = {}
    of_unit = [index_of.setdefault(words, len(index_of)) for words in strings]
    return Strings(list(index_of), of_unit)
