"""The table of fields, and `Fields`, which finds each of them when it is first read, after those that it depends on.

Reading, assembly, JSON, schema.org, TEI, --explain and the documentation derive from the table. Each row says what must
be found before the field (`needs`); a field is looked for only if somebody asks for it.

A new field takes two files: a row of `FIELDS` here and an attribute of `Article`. If the page does not just state it,
a third one has its `find_<field>`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from broadsheet.blocks import Blocks, Labels
from broadsheet.fields.authors import find_author_kinds, find_authors
from broadsheet.fields.dates import find_date, find_date_modified
from broadsheet.fields.evidence import Evidence, gather_evidence
from broadsheet.fields.field import DATE_TIME, IMAGES, STRING, STRINGS, Element, Field, SchemaProperty, Step, Tei
from broadsheet.fields.figures import find_figures
from broadsheet.fields.images import find_images
from broadsheet.fields.language import find_language, is_language_tag
from broadsheet.fields.page_type import find_page_type
from broadsheet.fields.site_name import find_site_name
from broadsheet.fields.stated import (
    Strategy,
    find_amp_url,
    find_canonical_url,
    find_keywords,
    find_stated,
    find_url,
    is_description,
    is_section,
    read_json_ld,
    read_meta,
    read_microdata,
)
from broadsheet.fields.title import Headline, find_title, find_title_blocks
from broadsheet.fields.title_candidates import may_repeat_title
from broadsheet.fields.value import FieldValue, Image, PlacedFigure
from broadsheet.page import Page
from broadsheet.text import fold_words


def _list_persons(names: Sequence[str]) -> object:
    return [{"@type": "Person", "name": name} for name in names]


def _describe_organization(name: str) -> object:
    return {"@type": "Organization", "name": name}


def _describe_page(url: str) -> object:
    return {"@type": "WebPage", "@id": url}


def _list_images(images: Sequence[Image]) -> object:
    return [_describe_image(image) for image in images]


def _describe_image(image: Image) -> dict[str, str]:
    properties = {
        "@type": "ImageObject",
        "url": image.url,
        "caption": image.caption,
        "description": image.alt,
        "creditText": image.credit,
    }
    return {name: value for name, value in properties.items() if value}


def _make_element(name: str, **attributes: str) -> Callable[[str], tuple[Element, ...]]:
    return lambda text: (Element(name, text, attributes),)


def _make_elements(name: str) -> Callable[[Sequence[str]], tuple[Element, ...]]:
    return lambda texts: tuple([Element(name, text) for text in texts])


def _make_date_element(date: datetime) -> tuple[Element, ...]:
    return (Element("date", date.isoformat(), {"when": date.isoformat()}),)


def _make_reference_element(url: str) -> tuple[Element, ...]:
    return (Element("ref", url, {"target": url}),)


def _make_language_element(code: str) -> tuple[Element, ...]:
    if not is_language_tag(code):
        return ()
    return (Element("langUsage", (Element("language", code, {"ident": code}),)),)


def _make_abstract_element(text: str) -> tuple[Element, ...]:
    return (Element("abstract", (Element("p", text),)),)


# In the order of the JSON record.
FIELDS: tuple[Field, ...] = (
    Field(
        "url",
        STRING,
        "Address of the page: the one given by the caller, otherwise the canonical one.",
        find=find_url,
        schema_org=(SchemaProperty("url"), SchemaProperty("mainEntityOfPage", _describe_page)),
        tei=Tei(("bibl",), _make_reference_element),
    ),
    Field(
        "title",
        STRING,
        "Headline as the page shows it, without the name of the site.",
        find=None,
        needs=Step.SITE_NAME,
        schema_org=(SchemaProperty("headline"),),
        tei=Tei(("titleStmt", "bibl"), _make_element("title")),
    ),
    Field(
        "authors",
        STRINGS,
        "Names of the authors, people and organizations; the site itself only if it signs the article.",
        find=find_authors,
        needs=Step.TITLE,
        schema_org=(SchemaProperty("author", _list_persons),),
        tei=Tei(("titleStmt", "bibl"), _make_elements("author")),
    ),
    Field(
        "date",
        DATE_TIME,
        "Date of publication, with the time where the page states one.",
        find=find_date,
        needs=Step.TITLE,
        schema_org=(SchemaProperty("datePublished"),),
        tei=Tei(("publicationStmt", "bibl"), _make_date_element),
    ),
    Field(
        "date_modified",
        DATE_TIME,
        "Date of the last change, never before the date of publication.",
        find=find_date_modified,
        needs=Step.DATE,
        schema_org=(SchemaProperty("dateModified"),),
    ),
    Field(
        "language",
        STRING,
        "Language of the text as an ISO 639-1 code; ISO 639-3 for languages that have none.",
        find=find_language,
        schema_org=(SchemaProperty("inLanguage"),),
        tei=Tei(("profileDesc",), _make_language_element),
    ),
    Field(
        "site_name",
        STRING,
        "Name of the site.",
        find=find_site_name,
        schema_org=(SchemaProperty("publisher", _describe_organization),),
        tei=Tei(("publicationStmt",), _make_element("publisher")),
    ),
    Field(
        "description",
        STRING,
        "Summary from the metadata of the page.",
        find=find_stated(
            Strategy("json-ld", read_json_ld("description")),
            Strategy("opengraph", read_meta("og:description", "twitter:description")),
            Strategy(
                "meta",
                read_meta(
                    *("description", "dc.description", "dcterms.description"),
                    *("dcterms.abstract", "sailthru.description"),
                ),
            ),
            is_valid=is_description,
        ),
        schema_org=(SchemaProperty("description"),),
        tei=Tei(("profileDesc",), _make_abstract_element),
    ),
    Field(
        "section",
        STRING,
        "Section of the site, the first one that the page names.",
        find=find_stated(
            Strategy("json-ld", read_json_ld("articleSection")),
            Strategy(
                "meta",
                read_meta(
                    *("article:section", "og:article:section", "og:section", "articlesection"),
                    *("parsely-section", "prism.section", "section"),
                ),
            ),
            Strategy("microdata", read_microdata("articlesection")),
            is_valid=is_section,
        ),
        schema_org=(SchemaProperty("articleSection"),),
        tei=Tei(("keywords",), _make_element("term", type="section")),
    ),
    Field(
        "keywords",
        STRINGS,
        "Keywords and tags, without duplicates.",
        find=find_keywords,
        schema_org=(SchemaProperty("keywords"),),
        tei=Tei(("keywords",), _make_elements("term")),
    ),
    Field(
        "images",
        IMAGES,
        "Images of the article, the main one first.",
        find=find_images,
        needs=Step.FIGURES,
        schema_org=(SchemaProperty("image", _list_images),),
    ),
    Field("canonical_url", STRING, "Address that the page states as its canonical one.", find=find_canonical_url),
    Field("amp_url", STRING, "Address of the AMP version of the page.", find=find_amp_url),
    Field(
        "author_kinds",
        STRINGS,
        "For each of `authors`: `person` or `organization`.",
        find=find_author_kinds,
        needs=Step.AUTHORS,
    ),
    Field(
        "page_type",
        STRING,
        "Type that the page declares, such as `live_blog`, `recipe` or `forum`; otherwise `article` or `other`.",
        find=find_page_type,
    ),
)


class FieldDescription(NamedTuple):
    """A field in words, for the documentation."""

    name: str
    type: str
    description: str
    schema_org: str  # names of properties; "" for none
    tei: str  # parts of the TEI header; "" for none


def describe_fields() -> tuple[FieldDescription, ...]:
    """Describe all fields, in the order of the JSON record."""
    return tuple(
        FieldDescription(
            row.name,
            row.type,
            row.description,
            ", ".join(entry.name for entry in row.schema_org),
            ", ".join(row.tei.places) if row.tei else "",
        )
        for row in FIELDS
    )


class Fields:
    """The fields of one page. A field that the page does not state or show is None.

    Each is found on first use, by its row in `FIELDS`, and kept. Two threads may find the same one at the same time:
    the results are equal.
    """

    # Types for checkers: a field that no code reads by name needs none here.
    url: FieldValue[str] | None
    title: FieldValue[str] | None
    authors: FieldValue[tuple[str, ...]] | None
    date: FieldValue[datetime] | None
    date_modified: FieldValue[datetime] | None
    language: FieldValue[str] | None
    site_name: FieldValue[str] | None
    description: FieldValue[str] | None
    images: FieldValue[tuple[Image, ...]] | None
    headline: Headline | None  # the title, with the block that shows it
    title_blocks: frozenset[int]  # body blocks that repeat the title
    figures: tuple[PlacedFigure, ...]  # in the order of the page

    def __init__(self, page: Page, blocks: Blocks, labels: Labels, title_weights: Path | None = None) -> None:
        """Keep what the fields are found in. `title_weights` replaces the shipped weights of the title ranker."""
        self._title_weights = title_weights
        self._evidence = {Step.PAGE: gather_evidence(page, blocks, labels)}

    if not TYPE_CHECKING:  # with __getattr__, a type checker would accept any name

        def __getattr__(self, name: str) -> object:  # called once: the value becomes an attribute
            find = _FINDERS.get(name)
            if find is None:
                raise AttributeError(f"there is no field {name!r}")
            value = find(self)
            setattr(self, name, value)
            return value

    def find_all(self) -> Self:
        """Find all fields now."""
        for name in _FINDERS:
            getattr(self, name)
        return self

    def get_evidence(self, step: Step) -> Evidence:
        """Return the evidence that contains the result of a step."""
        if step not in self._evidence:
            self._evidence[step] = _STEPS[step](self)
        return self._evidence[step]

    def _add_site_name(self) -> Evidence:
        evidence = self.get_evidence(Step.PAGE)
        return evidence.with_site_words(fold_words(self.site_name.value)) if self.site_name else evidence

    def _add_title(self) -> Evidence:
        evidence = self.get_evidence(Step.SITE_NAME)
        return evidence.with_title(self.headline.title.value, self.headline.block) if self.headline else evidence

    def _add_date(self) -> Evidence:
        evidence = self.get_evidence(Step.TITLE)
        return evidence.with_date(self.date.value) if self.date else evidence

    def _add_authors(self) -> Evidence:
        evidence = self.get_evidence(Step.TITLE)
        return evidence.with_authors(self.authors.value) if self.authors else evidence

    def _add_figures(self) -> Evidence:
        return self.get_evidence(Step.TITLE).with_figures(self.figures)

    def _find_headline(self) -> Headline | None:
        return find_title(self.get_evidence(Step.SITE_NAME), self._title_weights)

    def _find_title(self) -> FieldValue[str] | None:
        return self.headline.title if self.headline else None

    def _find_title_blocks(self) -> frozenset[int]:
        # Most pages: the text needs no title.
        if not may_repeat_title(self.get_evidence(Step.PAGE), lambda: self.get_evidence(Step.SITE_NAME)):
            return frozenset()
        return find_title_blocks(self.get_evidence(Step.TITLE))

    def _find_figures(self) -> tuple[PlacedFigure, ...]:
        return find_figures(self.get_evidence(Step.TITLE))


def start_evidence(page: Page, blocks: Blocks, labels: Labels) -> Evidence:
    """Return the evidence that the title is found with, for its training."""
    return Fields(page, blocks, labels).get_evidence(Step.SITE_NAME)


_STEPS: dict[Step, Callable[[Fields], Evidence]] = {
    Step.SITE_NAME: Fields._add_site_name,
    Step.TITLE: Fields._add_title,
    Step.DATE: Fields._add_date,
    Step.AUTHORS: Fields._add_authors,
    Step.FIGURES: Fields._add_figures,
}


def _make_finder(field: Field) -> Callable[[Fields], Any]:
    find = field.find
    return (lambda fields: find(fields.get_evidence(field.needs))) if find else Fields._find_title


_FINDERS: dict[str, Callable[[Fields], Any]] = {
    **{field.name: _make_finder(field) for field in FIELDS},
    "headline": Fields._find_headline,
    "title_blocks": Fields._find_title_blocks,
    "figures": Fields._find_figures,
}
