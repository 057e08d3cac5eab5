"""Error analysis: every wrong block gets a kind by simple rules, so that counts say what to fix next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from broadsheet.blocks import Blocks, tags
from broadsheet.evaluation.gold import Gold
from broadsheet.text import hyphenate_camel_case, split_words

MISSED: Literal["missed"] = "missed"  # article text that is not in the output
EXTRA: Literal["extra"] = "extra"  # output that is not article text

KINDS = (
    "comment",
    "related links",
    "caption",
    "byline",
    "list item",
    "consent text",
    "newsletter",
    "table",
    "quote",
    "heading",
    "other",
)

# What class names say. Matched where a part of a name begins: "comment" in "user-comments", not in "recommended".
_NAMES = {
    "comment": "comment discussion respond replies",
    "consent text": "cookie consent gdpr privacy cmp",
    "newsletter": "newsletter subscri signup mailing paywall",
    "related links": "related recommend more-stories most-read mostread popular trending teaser readmore promo",
    "caption": "caption photo-credit image-credit figcaption legend credit",
    "byline": "byline author dateline pubdate publish timestamp datetime posted meta-date article-date",
}
_NAME_PATTERNS = tuple(
    (kind, re.compile(rf"(?:^|[^a-z])(?:{'|'.join(map(re.escape, words.split()))})")) for kind, words in _NAMES.items()
)

# What the words of a short block say, in the languages that most pages here are written in.
_SAYS = (
    ("consent text", re.compile(r"\bcookies?\b|\bgdpr\b|privacy policy|datenschutz", re.IGNORECASE)),
    ("newsletter", re.compile(r"newsletter|\bsubscribe|\bsign up\b|inbox|abonnieren|s'abonner", re.IGNORECASE)),
    (
        "related links",
        re.compile(r"^(?:related|read (?:more|also)|see also|more (?:on|from)|mehr zum)\b", re.IGNORECASE),
    ),
    ("caption", re.compile(r"^(?:file )?(?:photo|image|foto|bild|picture)\b.{0,3}[:/]", re.IGNORECASE)),
    (
        "caption",
        re.compile(r"\b(?:photo|image|picture|foto|bild)s? (?:by|credit|courtesy|via|von|par)\b", re.IGNORECASE),
    ),
    # "(Agency Photo/Ann Lee)", "Ann Lee/Agency Images"
    ("caption", re.compile(r"\bphotos? ?/|/[^/]{0,30}\b(?:photos?|images|pictures)\b", re.IGNORECASE)),
    ("byline", re.compile(r"^(?:By|Von|Par|Por|Di|by|von|par|por|di)\s+[A-ZÀ-Þ]")),
    (
        "byline",
        re.compile(r"^(?:published|updated|posted|veröffentlicht|publié)\b|\b\d{1,2}:\d{2}\b.{0,20}$", re.IGNORECASE),
    ),
)
_SHORT = 240  # characters: a longer block is a paragraph that mentions the word
_NEAR = 6  # class names from the inside out: further out they speak of the whole page


@dataclass(frozen=True, slots=True)
class Mistake:
    """A block that was missed, or one that is too much."""

    block: int
    error: Literal["missed", "extra"]
    kind: str
    words: int


def find_mistakes(gold: Gold, kept: Sequence[bool]) -> Iterator[Mistake]:
    """Name every wrong block of a page."""
    blocks = gold.blocks
    if blocks is None:
        return
    for block, (is_kept, is_gold, is_ignored) in enumerate(zip(kept, gold.in_text, gold.ignored, strict=True)):
        if is_kept != is_gold and not is_ignored:
            words = len(split_words(blocks.text[block]))
            yield Mistake(block, EXTRA if is_kept else MISSED, name_kind(blocks, block), words)


def name_kind(blocks: Blocks, block: int) -> str:
    """Kind of a block: the first rule that knows one."""
    return next((kind for rule in _RULES if (kind := rule(blocks, block))), "other")


def _read_names(blocks: Blocks, block: int) -> str | None:
    names = blocks.class_paths.steps(blocks.class_path[block])[-_NEAR:]
    for name in reversed(names):
        split = hyphenate_camel_case(name)
        for kind, pattern in _NAME_PATTERNS:
            if pattern.search(split):
                return kind
    return None


def _read_clear_tags(blocks: Blocks, block: int) -> str | None:
    if blocks.has(block, tags.CAPTION):
        return "caption"
    if blocks.link_share(block) > 0.5 and blocks.has(block, _LINK_PLACES):
        return "related links"
    if blocks.has(block, tags.QUOTE):
        return "quote"
    return "heading" if blocks.has(block, tags.HEADING) else None


def _read_words(blocks: Blocks, block: int) -> str | None:
    text = blocks.text[block]
    if len(text) > _SHORT:
        return None
    return next((kind for kind, pattern in _SAYS if pattern.search(text)), None)


def _read_vague_tags(blocks: Blocks, block: int) -> str | None:
    if blocks.has(block, tags.LIST):
        return "list item"
    if blocks.tag_paths.steps(blocks.tag_path[block])[-1:] in (("td",), ("th",)):
        return "table"
    return "related links" if blocks.link_share(block) > 0.5 else None


_LINK_PLACES = tags.LIST | tags.NAV | tags.ASIDE | tags.HEADING | tags.FOOTER
_RULES = (_read_names, _read_clear_tags, _read_words, _read_vague_tags)
