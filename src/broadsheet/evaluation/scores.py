"""Score one answer for one page: named columns of numbers, and the words of wrong blocks by kind of error.

Gold are the reference labels of a page, prepared once for all contenders. Rules give every wrong block a kind (caption,
comment, ...), so that counts show what to fix.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from broadsheet.blocks import Blocks, segment, tags
from broadsheet.corpora import Record, align_text
from broadsheet.corpora.align import drop_headline, find_headlines
from broadsheet.errors import LimitReached
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.measures import (
    Hits,
    count_blocks,
    count_nodes,
    count_snippets,
    measure_edit_distance,
    score_authors,
    score_date,
    score_rouge_lsum,
    score_shingles,
    score_title,
    score_words,
)
from broadsheet.page import TEXT, Page, read_page
from broadsheet.text import fold_words, hyphenate_camel_case, split_words


@dataclass(frozen=True, slots=True)
class PageScores:
    """Scores of one page. It has no column for a label that the page lacks, or a field that is not extracted."""

    columns: Mapping[str, float]
    error_words: Mapping[str, int] = field(default_factory=dict)  # "missed caption", "extra comment", ... -> words


def score_answer(gold: Gold, answer: Answer, *, fields: frozenset[str]) -> PageScores:
    """Compare an answer with the gold labels. `fields` are those that the contender extracts."""
    record = gold.record
    columns: dict[str, float] = {}
    error_words: Counter[str] = Counter()
    output = drop_unsure(drop_headline(answer.text or "", gold.headlines), gold)
    if "text" in fields and gold.text is not None:
        _score_text(columns, gold, output)
        if answer.confidence is not None:
            columns["confidence"] = answer.confidence
        if gold.blocks is not None:
            kept = find_kept_blocks(gold, answer, output)
            _score_blocks(columns, gold, kept)
            for error in find_block_errors(gold, kept):
                error_words[f"{error.error} {error.kind}"] += error.words
    if "text" in fields and (record.with_ or record.without):
        hits = count_snippets(answer.text or "", record.with_ or (), record.without or ())
        _add_hits(columns, "snippet", hits)
    if "title" in fields and record.title:
        columns["title"] = score_title(answer.title, record.title)
    if "date" in fields and record.date:
        columns["date"] = score_date(answer.date, record.date)
    if "authors" in fields and record.authors is not None:
        columns["authors"] = score_authors(answer.authors, record.authors)
    return PageScores(columns, dict(error_words))


def drop_unsure(output: str, gold: Gold) -> str:
    """Remove the texts of blocks that the main text may contain or not, unless the gold text contains them too.

    Long texts first: a short one may be a part of a long one. Line breaks in them do not matter.
    """
    for text in sorted(gold.record.unsure or (), key=len, reverse=True):
        words = text.split()
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        if words and len(pattern.findall(output)) > len(pattern.findall(gold.text or "")):
            output = pattern.sub("", output, count=1)
    return output


def find_kept_blocks(gold: Gold, answer: Answer, output: str) -> list[bool]:
    """Return for each block whether the output has it: by the method's labels, or by alignment with its text."""
    if gold.blocks is None:
        return []
    if answer.kept_blocks is not None and len(answer.kept_blocks) == len(gold.blocks):
        return [flag == "1" for flag in answer.kept_blocks]
    return align_text(gold.blocks.text, output)


def _score_text(columns: dict[str, float], gold: Gold, output: str) -> None:
    words = split_words(output)
    shingles, bag = score_shingles(words, gold.words), score_words(words, gold.words)
    rouge = score_rouge_lsum(output, gold.text or "")
    columns |= {
        "shingle_precision": shingles.precision,
        "shingle_recall": shingles.recall,
        "word_precision": bag.precision,
        "word_recall": bag.recall,
        "word_f1": bag.f1,
        "rouge_lsum": rouge.f1,
        "edit_distance": measure_edit_distance(output, gold.text or ""),
        "exact": float(words == gold.words),  # article-extraction-benchmark calls its mean accuracy
    }


def _score_blocks(columns: dict[str, float], gold: Gold, kept: list[bool]) -> None:
    assert gold.blocks is not None
    _add_hits(columns, "block", count_blocks(kept, gold.in_text, gold.ignored))
    _add_hits(columns, "node", count_nodes(gold.blocks, kept, gold.in_text, gold.ignored, gold.elements))


def _add_hits(columns: dict[str, float], name: str, hits: Hits) -> None:
    columns |= {
        f"{name}_right": hits.right,
        f"{name}_extra": hits.extra,
        f"{name}_missed": hits.missed,
        f"{name}_left_out": hits.left_out,
    }


@dataclass(frozen=True, slots=True, eq=False)
class Gold:
    """A labelled page with its blocks."""

    record: Record
    headlines: frozenset[str]  # forms of the headline, folded to lower-case words
    text: str | None  # gold text without the headline
    words: list[str]  # of the gold text
    blocks: Blocks | None  # None: the page exceeds the limits
    in_text: list[bool]  # for each block: whether the gold text contains it
    ignored: list[bool]  # for each block: whether it is not scored, as the headline or a block labelled as unsure
    elements: int  # number of elements of the page


def read_gold(record: Record) -> Gold:
    """Parse a labelled page and align its gold text to its blocks."""
    try:
        page = read_page(record.html, url=record.url)
        blocks = segment(page)
    except LimitReached:
        return _read_without_blocks(record)
    headlines = find_headlines(page, record.title)
    text = None if record.text is None else drop_headline(record.text, headlines)
    in_text = align_text(blocks.text, text or "")
    return Gold(
        record=record,
        headlines=headlines,
        text=text,
        words=split_words(text or ""),
        blocks=blocks,
        in_text=in_text,
        ignored=_find_ignored(blocks, headlines, in_text, record),
        elements=_count_elements(page),
    )


def _find_ignored(blocks: Blocks, headlines: frozenset[str], in_text: list[bool], record: Record) -> list[bool]:
    unsure = frozenset(map(fold_words, record.unsure or ()))
    folded = map(fold_words, blocks.text)
    return [
        text in headlines or (text in unsure and not in_gold) for text, in_gold in zip(folded, in_text, strict=True)
    ]


def _read_without_blocks(record: Record) -> Gold:
    headlines = frozenset((fold_words(record.title),)) if record.title else frozenset()
    text = None if record.text is None else drop_headline(record.text, headlines)
    return Gold(record, headlines, text, split_words(text or ""), None, [], [], 0)


def _count_elements(page: Page) -> int:
    return sum(tag != TEXT for tag in page.nodes.tag)


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
