"""Labels and fields to Article: the last arrow before the output."""

from __future__ import annotations

import dataclasses
from typing import TypeVar

from broadsheet.article.article import Article
from broadsheet.article.status import judge_page
from broadsheet.article.structure import build_body
from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, Role
from broadsheet.features import split_words
from broadsheet.fields import Fields, Found
from broadsheet.page import Page, read_metadata

T = TypeVar("T")
_FIELD_NAMES = tuple(field.name for field in dataclasses.fields(Fields))
_MAX_TITLE_MARKS = 10  # characters by which two ways of writing a headline may differ: quotes, dashes, a full stop


def assemble(page: Page, blocks: Blocks, labels: Labels, fields: Fields, *, method: str) -> Article:
    """Put the article together from what the method and the fields found."""
    labels = _mark_title(blocks, labels, _value(fields.title))
    chosen = [block for block, role in enumerate(labels.roles) if role in CONTENT_ROLES]
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
        comments=tuple(blocks.text[block] for block in _find_role(labels, Role.COMMENT)),
        status=judge_page(page, read_metadata(page), blocks, labels, chosen),
        confidence=_weigh(blocks, labels, chosen),
        method=method,
        sources={name: found.source for name, found in _list_found(fields)},
        confidences={name: found.confidence for name, found in _list_found(fields)},
        page_blocks=blocks,
        labels=labels,
    )


def _value(found: Found[T] | None) -> T | None:
    return found.value if found else None


def _list_found(fields: Fields) -> list[tuple[str, Found[object]]]:
    return [(name, found) for name in _FIELD_NAMES if (found := getattr(fields, name)) is not None]


def _mark_title(blocks: Blocks, labels: Labels, title: str | None) -> Labels:
    """Call blocks that show the headline by that role, also where the method took them for text."""
    words, length = split_words(title or ""), len(title or "")
    shown = {
        block
        for block, role in enumerate(labels.roles)
        if role in CONTENT_ROLES
        and -_MAX_TITLE_MARKS <= len(blocks.text[block]) - length <= _MAX_TITLE_MARKS
        and split_words(blocks.text[block]) == words
    }
    if not words or not shown:
        return labels
    roles = [Role.TITLE if block in shown else role for block, role in enumerate(labels.roles)]
    scores = [0.0 if block in shown else score for block, score in enumerate(labels.scores)]
    return dataclasses.replace(labels, roles=roles, scores=scores)


def _find_role(labels: Labels, wanted: Role) -> list[int]:
    return [block for block, role in enumerate(labels.roles) if role is wanted]


def _weigh(blocks: Blocks, labels: Labels, chosen: list[int]) -> float:
    """Take the method's word for it; else average the scores of the chosen blocks by length: not calibrated."""
    if labels.confidence is not None:
        return labels.confidence if chosen else 0.0
    chars = sum(len(blocks.text[block]) for block in chosen)
    if not chars:
        return 0.0
    return sum(len(blocks.text[block]) * labels.scores[block] for block in chosen) / chars
