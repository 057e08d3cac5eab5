"""The status of an article: whether the page has one, and why not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from broadsheet.article.article import Status
from broadsheet.blocks import Blocks, Labels, tags
from broadsheet.kernel.selection import count_chars, find_flagged
from broadsheet.page import MAX_SHELL_CHARS, Page
from broadsheet.page.payment import is_paid, shows_paywall

_MAX_TEASER_CHARS = 1_500  # a text of a paid article that is shorter may be its beginning
_MIN_SHARE_OF_WORDS = 0.6  # of the stated word count; a text with fewer words is not complete
_WORD_COUNT = re.compile(r"\d{1,7}")
_CONSENT_WORDS = ("cookie", "gdpr", "dsgvo", "rgpd", "consent", "куки", "クッキー", "쿠키")
_MAX_CONSENT_PAGE_CHARS = 6_000  # visible text of a page that only asks for consent


def find_status(page: Page, blocks: Blocks, labels: Labels, content: Sequence[int]) -> Status:
    """Return the status of an article, given the blocks of its text."""
    if page.is_cut:
        return Status.TOO_LARGE
    chars = count_chars(blocks.text, blocks.context, tags.HIDDEN)
    text = [blocks.text[block] for block in content]
    if chars < _MAX_CONSENT_PAGE_CHARS and not page.metadata.articles:
        visible = find_flagged(blocks.context, tags.HIDDEN, 0)
        if _asks_for_consent(text or [blocks.text[block] for block in visible]):
            return Status.CONSENT_WALL
    if not text and chars < MAX_SHELL_CHARS and "script" in page.nodes.tag:
        return Status.JS_SHELL
    if not text:
        return Status.NOT_ARTICLE if labels.is_article is False else Status.EMPTY
    if _is_cut_by_paywall(page, text):
        return Status.PAYWALLED
    return Status.NOT_ARTICLE if labels.is_article is False else Status.OK


def _asks_for_consent(lines: Sequence[str]) -> bool:
    """Tell whether most of a text is about cookies."""
    joined = "\n".join(lines).lower()
    words = [word for word in _CONSENT_WORDS if word in joined]
    if not words:  # most pages
        return False
    consent_chars = sum(len(line) for line in lines if any(word in line.lower() for word in words))
    return 2 * consent_chars > sum(map(len, lines))


def _is_cut_by_paywall(page: Page, lines: Sequence[str]) -> bool:
    """Tell whether the text is only the beginning of a paid article.

    If the metadata mark the article as paid, the text must be shorter than the stated word count, or short. Otherwise
    it must be short, and the page must show a paywall.
    """
    chars = sum(map(len, lines))
    metadata = page.metadata
    if is_paid(metadata):
        counts = (int(count) for count in metadata.article_texts("wordCount") if _WORD_COUNT.fullmatch(count))
        if stated := next(counts, 0):
            return sum(len(line.split()) for line in lines) < _MIN_SHARE_OF_WORDS * stated
        return chars < _MAX_TEASER_CHARS
    return chars < _MAX_TEASER_CHARS and bool(metadata.articles) and shows_paywall(page.nodes)
