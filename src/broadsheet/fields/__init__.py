"""Title, dates, authors and the other facts of a page: one file per fact."""

from broadsheet.fields.fields import Fields, Found, Image
from broadsheet.fields.read import read_fields

__all__ = ["Fields", "Found", "Image", "read_fields"]
