"""Whether there is an article, or why not: said by the page itself where it can be, else read from signs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from broadsheet.article.article import Status
from broadsheet.blocks import Blocks, Labels, tags
from broadsheet.page import SHELL_CHARS, Metadata, Page

_SHORT = 1_500  # characters of a text that may be the beginning of one that costs money
_SHARE_OF_STATED = 0.6  # of the words that the page says its article has
_NOT_FREE = frozenset(("locked", "metered", "premium", "subscription", "paid"))
_WALL_NAMES = "[class*=paywall i], [id*=paywall i], [class*=regwall i], [id*=regwall i]"
_NO_WALL = re.compile(r"(?<![a-z])(?:no|non|off|free|without|hide|hidden)(?![a-z])", re.IGNORECASE)
_MAX_WALLS = 20
_MAX_NAMES = 400  # characters
_COUNT = re.compile(r"\d{1,7}")
_CONSENT_WORDS = ("cookie", "gdpr", "dsgvo", "rgpd", "consent", "куки", "クッキー", "쿠키")
_LONGEST_WALL = 6_000  # characters that a page shows which only asks for consent


def judge_page(page: Page, blocks: Blocks, labels: Labels, chosen: Sequence[int]) -> Status:
    """Say what a page is, given the blocks that were chosen for its text."""
    if page.is_cut:
        return Status.TOO_LARGE
    shown = [text for text, meaning in zip(blocks.text, blocks.context, strict=True) if not meaning & tags.HIDDEN]
    chars = sum(map(len, shown))
    text = [blocks.text[block] for block in chosen]
    if chars < _LONGEST_WALL and not page.metadata.articles and _asks_for_consent(text or shown):
        return Status.CONSENT_WALL
    if not text:
        return Status.JS_SHELL if chars < SHELL_CHARS and "script" in page.nodes.tag else Status.EMPTY
    if _is_cut_by_wall(page, text):
        return Status.PAYWALLED
    return Status.NOT_ARTICLE if labels.is_article is False else Status.OK


def _asks_for_consent(text: Sequence[str]) -> bool:
    """Tell whether most of a text is about cookies."""
    whole = "\n".join(text).lower()
    named = [word for word in _CONSENT_WORDS if word in whole]  # none, as a rule: then no line has to be read
    about = sum(len(line) for line in text if any(word in line.lower() for word in named)) if named else 0
    return 2 * about > sum(map(len, text))


def _is_cut_by_wall(page: Page, text: Sequence[str]) -> bool:
    """Tell whether only the beginning of the article is here: stated not free and short, or short before a wall."""
    chars = sum(map(len, text))
    metadata = page.metadata
    if _is_stated_paid(metadata):
        counts = (int(words) for words in metadata.article_texts("wordCount") if _COUNT.fullmatch(words))
        stated = next(counts, 0)
        return sum(len(line.split()) for line in text) < _SHARE_OF_STATED * stated if stated else chars < _SHORT
    return chars < _SHORT and bool(metadata.articles) and _shows_wall(page)


def _shows_wall(page: Page) -> bool:
    """Tell whether the page shows something that is called a paywall, and not the lack of one."""
    nodes = page.nodes
    for row in nodes.select(_WALL_NAMES)[:_MAX_WALLS]:
        names = f"{nodes.attr(row, 'class')} {nodes.attr(row, 'id')}"[:_MAX_NAMES]
        if nodes.text_of(row).strip() and not _NO_WALL.search(names):
            return True
    return False


def _is_stated_paid(metadata: Metadata) -> bool:
    stated = (item.values.get("isAccessibleForFree") for item in (*metadata.articles, *metadata.pages))
    tiers = metadata.meta_texts("article:content_tier")
    return any(str(value).strip().lower() in ("false", "no", "0") for value in stated) or any(
        tier.strip().lower() in _NOT_FREE for tier in tiers
    )
