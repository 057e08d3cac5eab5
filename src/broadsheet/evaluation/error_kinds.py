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
    "navigation",
    "sidebar",
    "footer",
    "form",
    "hidden text",
    "repeated text",
    # Paragraphs that no rule names, by their place: missed ones among the article text, extra ones around it.
    "whole text",
    "start of the text",
    "middle of the text",
    "end of the text",
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
MIN_REPEATED_CHARS = 40  # shorter texts are equal by chance
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
            kind = classify_block(blocks, block) or _classify_by_place(gold, kept, block)
            yield BlockError(block, EXTRA if is_kept else MISSED, kind, words)


def classify_block(blocks: Blocks, block: int) -> str | None:
    """Return the kind of a block: that of the first rule that applies; None for an ordinary paragraph."""
    return next((kind for rule in _RULES if (kind := rule(blocks, block))), None)


def _classify_by_place(gold: Gold, kept: Sequence[bool], block: int) -> str:
    """Compare the place of a wrong block with the gold blocks; of a missed one, with those that were kept."""
    in_text = [
        other
        for other, (is_kept, is_gold) in enumerate(zip(kept, gold.in_text, strict=True))
        if is_gold and (is_kept or kept[block])
    ]
    if not in_text:
        return "whole text"
    if block < in_text[0]:
        return "start of the text"
    return "end of the text" if block > in_text[-1] else "middle of the text"


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


def _classify_by_region(blocks: Blocks, block: int) -> str | None:
    return next((kind for context, kind in _REGIONS if blocks.has(block, context)), None)


def _classify_by_repetition(blocks: Blocks, block: int) -> str | None:
    """Sites repeat paragraphs for phones, for print, or as a teaser."""
    text = blocks.text[block]
    return "repeated text" if len(text) >= MIN_REPEATED_CHARS and blocks.text.count(text) > 1 else None


_REGIONS = (
    (tags.NAV | tags.HEADER, "navigation"),
    (tags.FOOTER, "footer"),
    (tags.ASIDE, "sidebar"),
    (tags.FORM, "form"),
    (tags.HIDDEN, "hidden text"),
)
_LINK_CONTEXTS = tags.LIST | tags.NAV | tags.ASIDE | tags.HEADING | tags.FOOTER
_RULES = (
    *(_classify_by_class_names, _classify_by_specific_tags, _classify_by_text, _classify_by_generic_tags),
    *(_classify_by_region, _classify_by_repetition),
)
