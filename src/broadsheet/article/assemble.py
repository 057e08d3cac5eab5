"""Labels and fields to Article: the last arrow before the output."""

from __future__ import annotations

import dataclasses
from typing import TypeVar

from broadsheet.article.article import Article
from broadsheet.article.status import find_status
from broadsheet.article.structure import build_body
from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, Role
from broadsheet.fields import Fields, Found
from broadsheet.page import Page
from broadsheet.text import split_words

T = TypeVar("T")
_FIELD_NAMES = tuple(field.name for field in dataclasses.fields(Fields))
_MAX_TITLE_MARKS = 10  # characters by which two ways of writing a headline may differ: quotes, dashes, a full stop


def assemble(page: Page, blocks: Blocks, labels: Labels, fields: Fields, *, method: str) -> Article:
    """Put the article together from what the method and the fields found."""
    chosen = [block for block, role in enumerate(labels.roles) if role in CONTENT_ROLES]
    shown = _find_title(blocks, chosen, _value(fields.title))
    if shown:
        labels = _mark_title(labels, shown)
        chosen = [block for block in chosen if block not in shown]
    found = [(name, one) for name in _FIELD_NAMES if (one := getattr(fields, name)) is not None]
    return Article(
        url=_value(fields.url),
        title=_value(fields.title),
        authors=_value(fields.authors) or (),
        date=_value(fields.date),
        date_modified=_value(fields.date_modified),
        language=_value(fields.language),
        site_name=_value(fields.site_name),
        description=_value(fields.description),
        section=_value(fields.section),
        keywords=_value(fields.keywords) or (),
        images=_value(fields.images) or (),
        canonical_url=_value(fields.canonical_url),
        amp_url=_value(fields.amp_url),
        body=build_body(page, blocks, labels.roles, chosen),
        comments=tuple([blocks.text[block] for block, role in enumerate(labels.roles) if role is Role.COMMENT]),
        status=find_status(page, blocks, labels, chosen),
        confidence=_weigh(blocks, labels, chosen),
        method=method,
        sources={name: one.source for name, one in found},
        confidences={name: one.confidence for name, one in found},
        page_blocks=blocks,
        labels=labels,
    )


def _value(found: Found[T] | None) -> T | None:
    return found.value if found else None


def _find_title(blocks: Blocks, chosen: list[int], title: str | None) -> frozenset[int]:
    """Find the blocks that show the headline, among those that the method took for text."""
    length = len(title or "")
    alike = [block for block in chosen if -_MAX_TITLE_MARKS <= len(blocks.text[block]) - length <= _MAX_TITLE_MARKS]
    words = split_words(title) if alike and title else []
    return frozenset(block for block in alike if split_words(blocks.text[block]) == words) if words else frozenset()


def _mark_title(labels: Labels, shown: frozenset[int]) -> Labels:
    """Call blocks that show the headline by that role."""
    roles = [Role.TITLE if block in shown else role for block, role in enumerate(labels.roles)]
    scores = [0.0 if block in shown else score for block, score in enumerate(labels.scores)]
    return dataclasses.replace(labels, roles=roles, scores=scores)


def _weigh(blocks: Blocks, labels: Labels, chosen: list[int]) -> float:
    """Take the method's word for it; else average the scores of the chosen blocks by length: not calibrated."""
    if labels.confidence is not None:
        return labels.confidence if chosen else 0.0
    chars = sum(len(blocks.text[block]) for block in chosen)
    if not chars:
        return 0.0
    return sum(len(blocks.text[block]) * labels.scores[block] for block in chosen) / chars
