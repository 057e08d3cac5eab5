"""The fields of an article: title, authors, dates, ... One module per field, and one table of all of them."""

from broadsheet.fields.figure_elements import is_post
from broadsheet.fields.figures import has_figure_elements
from broadsheet.fields.table import FIELDS, Fields, describe_fields
from broadsheet.fields.value import FieldValue, Figure, Image, PlacedFigure

__all__ = [
    "FIELDS",
    "FieldValue",
    "Fields",
    "Figure",
    "Image",
    "PlacedFigure",
    "describe_fields",
    "has_figure_elements",
    "is_post",
]
