"""Evidence to fields: the order in which the facts of a page are found."""

from __future__ import annotations

from broadsheet.blocks import Blocks, Labels
from broadsheet.fields.authors import find_authors
from broadsheet.fields.dates import find_date, find_date_modified
from broadsheet.fields.description import find_description
from broadsheet.fields.evidence import Evidence, gather_evidence
from broadsheet.fields.fields import Fields, Found
from broadsheet.fields.images import find_images
from broadsheet.fields.keywords import find_keywords
from broadsheet.fields.language import find_language
from broadsheet.fields.section import find_section
from broadsheet.fields.site_name import find_site_name
from broadsheet.fields.title import find_title
from broadsheet.fields.url import find_amp_url, find_canonical_url, find_url
from broadsheet.page import Page
from broadsheet.text import fold_words


def read_fields(page: Page, blocks: Blocks, labels: Labels) -> Fields:
    """Find all facts of a page. The site's name helps to find the title, and the title all that stands around it."""
    evidence = gather_evidence(page, blocks, labels)
    site_name = find_site_name(evidence)
    evidence = _know_site(evidence, site_name)
    headline = find_title(evidence)
    if headline:
        evidence = evidence.add_title(headline.title.value, headline.block)
    date = find_date(evidence)
    return Fields(
        title=headline.title if headline else None,
        authors=find_authors(evidence),
        date=date,
        date_modified=find_date_modified(evidence, date.value if date else None),
        language=find_language(evidence),
        site_name=site_name,
        description=find_description(evidence),
        section=find_section(evidence),
        keywords=find_keywords(evidence),
        images=find_images(evidence),
        url=find_url(evidence),
        canonical_url=find_canonical_url(evidence),
        amp_url=find_amp_url(evidence),
    )


def start_evidence(page: Page, blocks: Blocks, labels: Labels) -> Evidence:
    """Gather what is known before the title is looked for: for those who train that."""
    evidence = gather_evidence(page, blocks, labels)
    return _know_site(evidence, find_site_name(evidence))


def _know_site(evidence: Evidence, site_name: Found[str] | None) -> Evidence:
    return evidence.add_site(fold_words(site_name.value)) if site_name else evidence
