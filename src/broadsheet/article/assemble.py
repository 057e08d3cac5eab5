"""Assemble the article from labels and fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from broadsheet.article.article import Article
from broadsheet.article.comments import build_comments
from broadsheet.article.provenance import Provenance
from broadsheet.article.selection import correct_roles
from broadsheet.article.status import find_status
from broadsheet.article.structure import build_body
from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels
from broadsheet.fields import FIELDS, Fields, FieldValue
from broadsheet.kernel.selection import find_members
from broadsheet.page import Page


def assemble(  # noqa: PLR0913
    page: Page, blocks: Blocks, labels: Labels, fields: Fields, *, method: str, provenance: Provenance | None = None
) -> Article:
    """Build the article, with corrected roles."""
    labels = correct_roles(page, blocks, labels, fields)
    body_blocks = find_members(labels.roles, CONTENT_ROLES)
    field_values: dict[str, FieldValue[Any]] = {
        field.name: field_value for field in FIELDS if (field_value := getattr(fields, field.name)) is not None
    }
    values: dict[str, Any] = {name: field_value.value for name, field_value in field_values.items()}
    return Article(
        **values,
        body=build_body(page, blocks, labels.roles, body_blocks, fields.figures),
        comments=build_comments(page, blocks, labels.roles),
        status=find_status(page, blocks, labels, body_blocks),
        confidence=_compute_confidence(blocks, labels, body_blocks),
        method=method,
        sources={name: field_value.source for name, field_value in field_values.items()},
        confidences={name: field_value.confidence for name, field_value in field_values.items()},
        provenance=provenance or Provenance(),
        page_blocks=blocks,
        labels=labels,
    )


def _compute_confidence(blocks: Blocks, labels: Labels, body_blocks: Sequence[int]) -> float:
    """Return the method's confidence; without one, the mean score of the body, weighted by length and uncalibrated."""
    if labels.confidence is not None:
        return labels.confidence if body_blocks else 0.0
    chars = sum(len(blocks.text[block]) for block in body_blocks)
    if not chars:
        return 0.0
    return sum(len(blocks.text[block]) * labels.scores[block] for block in body_blocks) / chars
