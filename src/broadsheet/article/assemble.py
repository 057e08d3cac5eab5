"""Assemble the article from labels and fields.

Only its address, status and confidence are found at once. The other values are made when they are first read, each by a
row of `_MAKERS`. The table of fields says what a field needs; the functions here say what the rest needs:

    status, confidence, text, body, comments    the corrected roles, which need the title
    images, body                                the figures
    text                                        the figures, if the body has lists or code
    sources, confidences                        all fields
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from broadsheet.article.article import Article, Comment, Provenance, Status
from broadsheet.article.comments import build_comments
from broadsheet.article.corrections import correct_roles
from broadsheet.article.lazy import limit_pending, make_lazy
from broadsheet.article.parts import Part, drop_figures
from broadsheet.article.structure import build_body, read_text
from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, tags
from broadsheet.fields import FIELDS, Fields, FieldValue
from broadsheet.fields.field import IMAGES, STRINGS, Field
from broadsheet.kernel.selection import count_chars, find_flagged, find_members
from broadsheet.methods import Method
from broadsheet.methods.apply import explain_labels
from broadsheet.page import MAX_SHELL_CHARS, Deadline, Page
from broadsheet.page.metadata import is_paid, shows_paywall
from broadsheet.version import __version__

if TYPE_CHECKING:
    from broadsheet.options import ExtractOptions

_HASHED_CHARS = 16_384  # of one piece
_UNKNOWN_ORIGIN = Provenance()
_BYTES_PER_NODE = 600  # of the node table and the blocks, measured on 300 pages
_EARLY_FIELDS = tuple(field.name for field in FIELDS if field.name != "images")
_MAX_TEASER_CHARS = 1_500  # a text of a paid article that is shorter may be its beginning
_MIN_SHARE_OF_WORDS = 0.6  # of the stated word count; a text with fewer words is not complete
_WORD_COUNT = re.compile(r"\d{1,7}")
_CONSENT_WORDS = ("cookie", "gdpr", "dsgvo", "rgpd", "consent", "куки", "クッキー", "쿠키")
_MAX_CONSENT_PAGE_CHARS = 6_000  # visible text of a page that only asks for consent


def assemble(page: Page, blocks: Blocks, labels: Labels, fields: Fields, extraction: Extraction) -> Article:
    """Build the article, with corrected roles. The values that are not set here are made when they are first read."""
    source = PageSource(page, blocks, labels, fields, extraction)
    content = find_members(source.corrected.roles, CONTENT_ROLES)
    # Reasons of labels are made when they are read.
    labels_at_once = {} if extraction.options.explain else {"labels": source.corrected}
    return make_lazy(
        Article,
        source,
        url=fields.url.value if fields.url else None,
        status=find_status(page, blocks, source.corrected, content),
        confidence=_compute_confidence(blocks, source.corrected, content),
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


@dataclass(frozen=True, slots=True, eq=False)
class Extraction:
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
        self.corrected = correct_roles(page, blocks, labels, fields)
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
    roles = source.corrected.roles
    content = find_members(roles, CONTENT_ROLES)
    body = build_body(source.page, source.blocks, roles, content, source.fields.figures)
    source.body = body if source.extraction.options.images else drop_figures(body)
    return source.body


def _make_text(source: PageSource) -> str:
    return read_text(source.page, source.blocks, source.corrected.roles, source.fields, source.body)


def _make_comments(source: PageSource) -> tuple[Comment, ...]:
    return build_comments(source.page, source.blocks, source.corrected.roles)


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
