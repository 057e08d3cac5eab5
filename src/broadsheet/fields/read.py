"""Read the fields of a page, in the order in which they depend on each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from broadsheet.blocks import Blocks, Labels
from broadsheet.fields.dates import find_date
from broadsheet.fields.evidence import Evidence, gather_evidence
from broadsheet.fields.figures import find_figures
from broadsheet.fields.site_name import find_site_name
from broadsheet.fields.table import FIELDS, Fields
from broadsheet.fields.title import find_title
from broadsheet.fields.title.blocks import find_title_blocks
from broadsheet.fields.value import FieldValue
from broadsheet.page import Page
from broadsheet.text import fold_words


def read_fields(page: Page, blocks: Blocks, labels: Labels, title_weights: Path | None = None) -> Fields:
    """Find all fields of a page. `title_weights` is a folder that replaces the shipped weights of the title ranker.

    The site name is needed to find the title, the title to find the fields shown around it, and the date to check the
    date of modification.
    """
    evidence = gather_evidence(page, blocks, labels)
    site_name = find_site_name(evidence)
    evidence = _add_site_name(evidence, site_name)
    headline = find_title(evidence, title_weights)
    if headline:
        evidence = evidence.with_title(headline.title.value, headline.block)
    date = find_date(evidence)
    if date:
        evidence = evidence.with_date(date.value)
    evidence = evidence.with_figures(find_figures(evidence))
    others: dict[str, Any] = {field.name: field.find(evidence) for field in FIELDS if field.find}
    return Fields(
        site_name=site_name,
        title=headline.title if headline else None,
        title_blocks=find_title_blocks(evidence),
        date=date,
        figures=evidence.figures,
        **others,
    )


def start_evidence(page: Page, blocks: Blocks, labels: Labels) -> Evidence:
    """Return the evidence that the title is found with, for its training."""
    evidence = gather_evidence(page, blocks, labels)
    return _add_site_name(evidence, find_site_name(evidence))


def _add_site_name(evidence: Evidence, site_name: FieldValue[str] | None) -> Evidence:
    return evidence.with_site_words(fold_words(site_name.value)) if site_name else evidence
