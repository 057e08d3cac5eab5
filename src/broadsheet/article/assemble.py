"""Assemble the article from labels and fields.

Only its address, status and confidence are found at once. The other values are made when they are first read, each by a
row of `_MAKERS`. The table of fields says what a field needs; the functions here say what the rest needs:

    status, confidence, text, body, comments    the corrected roles, which need the title
    images, body                                the figures
    exactness, doubts                           the scores of the blocks
    text                                        the figures, if the body has lists or code
    sources, confidences                        all fields
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from broadsheet.article.article import Article, Comment, Doubt, Provenance, Status
from broadsheet.article.corrections import Draft, correct_draft
from broadsheet.article.lazy import limit_pending, make_lazy
from broadsheet.article.parts import Part, drop_figures
from broadsheet.article.structure import build_body, read_text
from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, Role, tags
from broadsheet.fields import FIELDS, Fields, FieldValue
from broadsheet.fields.field import IMAGES, STRINGS, Field
from broadsheet.kernel.selection import count_chars, find_flagged
from broadsheet.methods import Method
from broadsheet.methods.apply import explain_labels
from broadsheet.page import MAX_SHELL_CHARS, Deadline, Page
from broadsheet.page.metadata import is_paid, shows_paywall
from broadsheet.text import fold_words
from broadsheet.version import __version__

if TYPE_CHECKING:
    from broadsheet.options import ExtractOptions

_HASHED_CHARS = 16_384  # of one piece
_UNKNOWN_ORIGIN = Provenance()
_BYTES_PER_NODE = 600  # of the node table and the blocks, measured on 300 pages
_EARLY_FIELDS = tuple(field.name for field in FIELDS if field.name != "images")
_MAX_TEASER_CHARS = 1_500  # a text of a paid article that is shorter may be its beginning
_MIN_TEXT_CHARS = 20  # a shorter text is a label, not an article
_MIN_SHOWN_CHARS = 20  # of a description that the page shows
# "57 % of this article left to read", "Il vous reste 57 % de cet article à lire"
_COUNTED_REST = re.compile(
    r"\d{1,2}(?:[.,]\d{1,2})?\s?%[^\n]{0,40}\b(?:left|remain|à (?:lire|découvrir)|por leer|per leggere)"
    r"|(?:noch|restliche|remaining|resterende)\s\d{1,2}(?:[.,]\d{1,2})?\s?%",
    re.IGNORECASE,
)
_MAX_SHOWN_CHARS = 60
_MIN_PROSE_CHARS = 60  # of a paragraph
_MAX_TEASER_PARAGRAPHS = 2
_MAX_BLOCKS_BELOW = 12  # the last block of the text and those below it, where a paywall stands
_MAX_COUNT_CHARS = 200  # of a line that counts the rest of the article
_SENTENCE_END = re.compile(r"[.!?:;。！？।؟”\"»’')\]\d]\W*$")
_MIN_SHARE_OF_WORDS = 0.6  # of the stated word count; a text with fewer words is not complete
_WORD_COUNT = re.compile(r"\d{1,7}")
_MAX_DOUBTS = 5
_MAX_DOUBT_MARGIN = 0.3  # between the score of a narrowly decided block and 0.5
_CONSENT_WORDS = ("cookie", "gdpr", "dsgvo", "rgpd", "consent", "куки", "クッキー", "쿠키")
_MAX_CONSENT_PAGE_CHARS = 6_000  # visible text of a page that only asks for consent


def assemble(page: Page, blocks: Blocks, labels: Labels, fields: Fields, extraction: Extraction) -> Article:
    """Build the article, with corrected roles. The values that are not set here are made when they are first read."""
    source = PageSource(page, blocks, labels, fields, extraction)
    # Reasons of labels are made when they are read.
    labels_at_once = {} if extraction.options.explain else {"labels": source.corrected}
    return make_lazy(
        Article,
        source,
        url=fields.url.value if fields.url else None,
        status=find_status(page, blocks, source.corrected, source.content),
        confidence=_compute_confidence(blocks, source.corrected, source.content),
        method=extraction.method.name,
        page_blocks=blocks,
        **labels_at_once,
    )


def read_early_fields(article: Article) -> Article:
    """Find the fields of a whole article that are not left for later: all but the images."""
    for name in _EARLY_FIELDS:
        getattr(article, name)
    if isinstance(source := article._source, PageSource):
        source.is_extracted = True
        limit_pending(article, source.estimate_size())
    return article


class Extraction(NamedTuple):
    """One extraction: the page as it was given, the method and the options."""

    method: Method
    options: ExtractOptions
    html: str | bytes = ""
    origin: Provenance = _UNKNOWN_ORIGIN  # of the capture; completed by `describe`
    fault: str = ""  # of a capture of which only a part could be read

    def describe(self, *, has_hash: bool = True) -> Provenance:
        """Return the provenance of the article."""
        return replace(
            self.origin,
            html_hash=_hash_page(self.html) if has_hash else None,
            weights=getattr(self.method, "weights_hash", None),
            broadsheet_version=__version__,
        )


def _hash_page(html: str | bytes) -> str:
    """Return the SHA-256 of a page; of a str, that of its UTF-8 form."""
    if isinstance(html, bytes):
        return hashlib.sha256(html).hexdigest()
    digest = hashlib.sha256()  # in pieces, which stay in the processor's cache
    for start in range(0, len(html), _HASHED_CHARS):
        digest.update(html[start : start + _HASHED_CHARS].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class PageSource:
    """The page of an article, from which its values are made on first use."""

    def __init__(self, page: Page, blocks: Blocks, labels: Labels, fields: Fields, extraction: Extraction) -> None:
        self.page, self.blocks, self.labels, self.fields, self.extraction = page, blocks, labels, fields, extraction
        draft = Draft(page, blocks, labels, fields)
        if extraction.options.has_corrections:
            correct_draft(draft)
        self.corrected, self.content = draft.labels, draft.content
        self.body: tuple[Part, ...] | None = None  # once it has been made
        self.is_extracted = False  # the caller has the article
        self._unmade = set(_LATE_SLOTS)
        if extraction.options.explain:
            self._unmade.add("labels")

    @property
    def reason(self) -> str | None:
        """Why only a part of the capture could be read, if that is so."""
        return self.extraction.fault or None

    def estimate_size(self) -> int:
        """Return about how many bytes are kept for later: the page as given, its decoded text and its node table."""
        return 2 * len(self.extraction.html) + _BYTES_PER_NODE * len(self.page.nodes)

    def make(self, name: str) -> Any:
        """Make a value. Raises LimitReached: what is made after the extraction has the time limit of the page again."""
        if self.is_extracted:
            self.page = replace(self.page, deadline=Deadline.after(self.extraction.options.limits.max_seconds))
        value = _MAKERS[name](self)
        self.page.deadline.check()
        return value

    def is_exhausted(self, name: str) -> bool:
        """Tell whether no slot of the article is empty, after this one was filled."""
        self._unmade.discard(name)
        return not self._unmade


def _find_field(field: Field) -> Callable[[PageSource], object]:
    empty = () if field.type in (STRINGS, IMAGES) else None

    def find(source: PageSource) -> object:
        field_value: FieldValue[Any] | None = getattr(source.fields, field.name)
        return empty if field_value is None else field_value.value

    return find


def _list_sources(source: PageSource) -> dict[str, str]:
    fault = {"status": source.extraction.fault} if source.extraction.fault else {}
    return fault | {name: field_value.source for name, field_value in _list_fields(source)}


def _list_confidences(source: PageSource) -> dict[str, float]:
    return {name: field_value.confidence for name, field_value in _list_fields(source)}


def _list_fields(source: PageSource) -> list[tuple[str, FieldValue[Any]]]:
    pairs = [(field.name, getattr(source.fields, field.name)) for field in FIELDS]
    return [(name, field_value) for name, field_value in pairs if field_value is not None]


def _make_body(source: PageSource) -> tuple[Part, ...]:
    body = build_body(source.page, source.blocks, source.corrected, source.content, source.fields.figures)
    source.body = body if source.extraction.options.images else drop_figures(body)
    return source.body


def _make_text(source: PageSource) -> str:
    if source.body is None:
        return read_text(source.page, source.blocks, source.corrected, source.content, source.fields)
    from broadsheet.output.as_text import render_text  # imported here: its module imports this folder

    return render_text(source.body)


def _make_comments(source: PageSource) -> tuple[Comment, ...]:
    from broadsheet.article.comments import build_comments  # imported here: most callers read no comments

    return build_comments(source.page, source.blocks, source.corrected.roles)


def _predict_exactness(source: PageSource) -> float | None:
    predict = getattr(source.extraction.method, "predict_exactness", None)
    exactness: float | None = predict(source.labels) if predict and source.content else None
    return exactness


def _find_doubts(source: PageSource) -> tuple[Doubt, ...]:
    """Find the blocks whose scores are closest to 0.5. Scores are calibrated: these decisions are the least certain."""
    labels, texts = source.corrected, source.blocks.text
    lowest, highest = 0.5 - _MAX_DOUBT_MARGIN, 0.5 + _MAX_DOUBT_MARGIN
    margins = [  # few blocks have such a score
        (abs(score - 0.5), block)
        for block, score in enumerate(labels.scores)
        if lowest < score < highest and labels.roles[block] is not Role.TITLE
    ]
    narrow = heapq.nsmallest(_MAX_DOUBTS, margins)
    return tuple(
        Doubt(texts[block], labels.scores[block], labels.roles[block] in CONTENT_ROLES, block)
        for block in sorted(block for _, block in narrow)
    )


def _make_labels(source: PageSource) -> Labels:
    """Return the labels with reasons."""
    explained = explain_labels(source.extraction.method, source.page, source.blocks, source.labels)
    return replace(source.corrected, reasons=explained.reasons)


def _make_provenance(source: PageSource) -> Provenance:
    return source.extraction.describe()


def _make_origin(source: PageSource) -> Provenance:
    """Return the provenance without the hash of the page, which takes longer than all the rest of it."""
    return source.extraction.describe(has_hash=False)


_MAKERS: dict[str, Callable[[PageSource], Any]] = {
    **{field.name: _find_field(field) for field in FIELDS},
    "sources": _list_sources,
    "confidences": _list_confidences,
    "text": _make_text,
    "body": _make_body,
    "comments": _make_comments,
    "exactness": _predict_exactness,
    "doubts": _find_doubts,
    "labels": _make_labels,
    "provenance": _make_provenance,
    "origin": _make_origin,
}
# The slots of an article that are not filled by `assemble`.
_LATE_SLOTS = frozenset(_MAKERS) - {"url", "text", "origin", "labels"}


def _compute_confidence(blocks: Blocks, labels: Labels, body_blocks: Sequence[int]) -> float:
    """Return the method's confidence; without one, the mean score of the body, weighted by length and uncalibrated."""
    if labels.confidence is not None:
        return labels.confidence if body_blocks else 0.0
    chars = sum(len(blocks.text[block]) for block in body_blocks)
    if not chars:
        return 0.0
    return sum(len(blocks.text[block]) * labels.scores[block] for block in body_blocks) / chars


def find_status(page: Page, blocks: Blocks, labels: Labels, content: Sequence[int]) -> Status:
    """Return the status of an article, given the blocks of its text."""
    if page.is_cut:
        return Status.TOO_LARGE
    chars = count_chars(blocks.text, blocks.context, tags.HIDDEN)
    text = [blocks.text[block] for block in content]
    if chars < _MAX_CONSENT_PAGE_CHARS and not page.metadata.articles:
        shown = [blocks.text[block] for block in find_flagged(blocks.context, tags.HIDDEN, 0)]
        if _asks_for_consent(text or shown) and not _shows_description(page, shown):
            return Status.CONSENT_WALL
    if not text and chars < MAX_SHELL_CHARS and "script" in page.nodes.tag:
        return Status.JS_SHELL
    if sum(map(len, text)) < _MIN_TEXT_CHARS:
        return Status.NOT_ARTICLE if labels.is_article is False else Status.EMPTY
    if _is_cut_by_paywall(page, blocks, content):
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


def _shows_description(page: Page, lines: Sequence[str]) -> bool:
    """Tell whether a line shows the stated description: a post with a notice about cookies around it."""
    for description in islice(page.metadata.meta_texts("og:description", "description"), 2):
        words = fold_words(description)[:_MAX_SHOWN_CHARS]
        if len(words) >= _MIN_SHOWN_CHARS and not any(word in words for word in _CONSENT_WORDS):
            return any(words in fold_words(line) for line in lines)
    return False


def _is_cut_by_paywall(page: Page, blocks: Blocks, content: Sequence[int]) -> bool:
    """Tell whether the text is only the beginning of a paid article.

    A line that counts the rest of the article decides. If the metadata mark the article as paid, the text is compared
    with the stated word count; without one, it is cut if it ends in mid-sentence, or if it is short and the page shows
    a paywall. Of other articles, the text must be short or end in mid-sentence, and the page must show a paywall.
    """
    metadata = page.metadata
    lines = [blocks.text[block] for block in content]
    is_paid_article = is_paid(metadata)
    if not is_paid_article and not (metadata.articles and shows_paywall(page.nodes)):
        return False
    if any(map(_COUNTED_REST.search, _list_short_lines_below(blocks, content))):
        return True
    is_short = sum(map(len, lines)) < _MAX_TEASER_CHARS
    is_cut = not _SENTENCE_END.search(lines[-1])
    if not is_paid_article:
        return is_short or (is_cut and len(lines[-1]) > _MIN_PROSE_CHARS)
    counts = (int(count) for count in metadata.article_texts("wordCount") if _WORD_COUNT.fullmatch(count))
    if stated := next(counts, 0):
        return sum(len(line.split()) for line in lines) < _MIN_SHARE_OF_WORDS * stated
    return (is_cut and len(lines[-1]) > _MIN_PROSE_CHARS) or (is_short and _is_teaser(page, lines))


def _list_short_lines_below(blocks: Blocks, content: Sequence[int]) -> list[str]:
    texts = blocks.text[content[-1] : content[-1] + _MAX_BLOCKS_BELOW]
    return [text for text in texts if len(text) <= _MAX_COUNT_CHARS]


def _is_teaser(page: Page, lines: Sequence[str]) -> bool:
    """Tell whether a short text of a paid article is its beginning: a paragraph or two, or above a paywall."""
    prose = [line for line in lines if len(line) > _MIN_PROSE_CHARS]
    return len(prose) <= _MAX_TEASER_PARAGRAPHS or shows_paywall(page.nodes)
