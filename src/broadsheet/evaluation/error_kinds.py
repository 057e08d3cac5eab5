"""Error analysis: rules give every wrong block a kind (caption, comment, ...), so that counts show what to fix."""

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

ERROR_KINDS = (
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

# Words in class names. Matched at the start of a part of a name: "comment" in "user-comments", not in "recommended".
_CLASS_WORDS = {
    "comment": "comment discussion respond replies",
    "consent text": "cookie consent gdpr privacy cmp",
    "newsletter": "newsletter subscri signup mailing paywall",
    "related links": "related recommend more-stories most-read mostread popular trending teaser readmore promo",
    "caption": "caption photo-credit image-credit figcaption legend credit",
    "byline": "byline author dateline pubdate publish timestamp datetime posted meta-date article-date",
}
_CLASS_PATTERNS = tuple(
    (kind, re.compile(rf"(?:^|[^a-z])(?:{'|'.join(map(re.escape, words.split()))})"))
    for kind, words in _CLASS_WORDS.items()
)

# Words of short blocks, in the languages of most labelled pages.
_TEXT_PATTERNS = (
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
MAX_SHORT_CHARS = 240  # in a longer block, such a word is part of a paragraph
MAX_CLASS_NAMES = 6  # the innermost ones; outer names describe the whole page


@dataclass(frozen=True, slots=True)
class BlockError:
    """A block that is wrong: missed or extra."""

    block: int
    error: Literal["missed", "extra"]
    kind: str
    words: int


def find_block_errors(gold: Gold, kept: Sequence[bool]) -> Iterator[BlockError]:
    """Find the wrong blocks of a page, given which blocks the output keeps."""
    blocks = gold.blocks
    if blocks is None:
        return
    for block, (is_kept, is_gold, is_ignored) in enumerate(zip(kept, gold.in_text, gold.ignored, strict=True)):
        if is_kept != is_gold and not is_ignored:
            words = len(split_words(blocks.text[block]))
            yield BlockError(block, EXTRA if is_kept else MISSED, classify_block(blocks, block), words)


def classify_block(blocks: Blocks, block: int) -> str:
    """Return the kind of a block: that of the first rule that applies."""
    return next((kind for rule in _RULES if (kind := rule(blocks, block))), "other")


def _classify_by_class_names(blocks: Blocks, block: int) -> str | None:
    names = blocks.class_paths.steps(blocks.class_path[block])[-MAX_CLASS_NAMES:]
    for name in reversed(names):
        parts = hyphenate_camel_case(name)
        for kind, pattern in _CLASS_PATTERNS:
            if pattern.search(parts):
                return kind
    return None


def _classify_by_specific_tags(blocks: Blocks, block: int) -> str | None:
    if blocks.has(block, tags.CAPTION):
        return "caption"
    if blocks.link_share(block) > 0.5 and blocks.has(block, _LINK_CONTEXTS):
        return "related links"
    if blocks.has(block, tags.QUOTE):
        return "quote"
    return "heading" if blocks.has(block, tags.HEADING) else None


def _classify_by_text(blocks: Blocks, block: int) -> str | None:
    text = blocks.text[block]
    if len(text) > MAX_SHORT_CHARS:
        return None
    return next((kind for kind, pattern in _TEXT_PATTERNS if pattern.search(text)), None)


def _classify_by_generic_tags(blocks: Blocks, block: int) -> str | None:
    if blocks.has(block, tags.LIST):
        return "list item"
    if blocks.tag_paths.steps(blocks.tag_path[block])[-1:] in (("td",), ("th",)):
        return "table"
    return "related links" if blocks.link_share(block) > 0.5 else None


_LINK_CONTEXTS = tags.LIST | tags.NAV | tags.ASIDE | tags.HEADING | tags.FOOTER
_RULES = (_classify_by_class_names, _classify_by_specific_tags, _classify_by_text, _classify_by_generic_tags)
