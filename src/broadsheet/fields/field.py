"""The parts of a row of the table of fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.value import FieldValue


class Step(Enum):
    """What must be found before a field is looked for, because its evidence contains it."""

    __hash__ = object.__hash__  # faster than Enum.__hash__, which is Python code; steps are looked up for every field

    PAGE = "the page, its blocks and their labels"
    SITE_NAME = "the name of the site"
    TITLE = "the title and the block that shows it, after the name of the site"
    DATE = "the date of publication, after the title"
    AUTHORS = "the authors, after the title"
    FIGURES = "the figures of the body, after the title"


# Types of values, in words. Readers and writers of other formats choose by them.
STRING = "string"
STRINGS = "list of strings"
DATE_TIME = "date-time (ISO 8601, local time)"
IMAGES = "list of images (url, caption, alt, credit)"

# The parts of a TEI header that fields are written to; "keywords" is <textClass><keywords> of <profileDesc>.
TeiPlace = Literal["titleStmt", "publicationStmt", "bibl", "profileDesc", "keywords"]


class SchemaProperty(NamedTuple):
    """A schema.org property of a NewsArticle."""

    name: str
    write: Callable[[Any], object] | None = None  # from the field's value; None: the value itself


class Element(NamedTuple):
    """An XML element that contains either text or other elements. Nothing is escaped yet."""

    name: str
    content: str | tuple[Element, ...] = ""
    attributes: Mapping[str, str] = MappingProxyType({})


class Tei(NamedTuple):
    """The elements of a TEI header for a field, and the parts of the header that contain them."""

    places: tuple[TeiPlace, ...]
    write: Callable[[Any], tuple[Element, ...]]  # from the field's value


class Field(NamedTuple):
    """A row of the table."""

    name: str  # attribute of Fields and of Article, key in JSON, line of --explain
    type: str
    description: str  # one sentence
    find: Callable[[Evidence], FieldValue[Any] | None] | None  # None: `Fields` finds the title with its block
    needs: Step = Step.PAGE
    schema_org: tuple[SchemaProperty, ...] = ()
    tei: Tei | None = None
