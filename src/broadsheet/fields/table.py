"""The table of fields. Reading, assembly, JSON, schema.org, TEI, --explain and the documentation derive from it.

Each row says what must be found before the field (`needs`); a field is looked for only if somebody asks for it.

A new field takes two files: a row of `FIELDS` here and an attribute of `Article`. If the page does not just state it,
a third one has its `find_<field>`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from broadsheet.fields.authors import find_authors
from broadsheet.fields.dates import find_date, find_date_modified
from broadsheet.fields.field import DATE_TIME, IMAGES, STRING, STRINGS, Element, Field, SchemaProperty, Step, Tei
from broadsheet.fields.images import find_images
from broadsheet.fields.language import find_language, is_language_tag
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
from broadsheet.fields.value import Image


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
        "Names of the authors; an agency if no person is named, never the site itself.",
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
)


@dataclass(frozen=True, slots=True)
class FieldDescription:
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
