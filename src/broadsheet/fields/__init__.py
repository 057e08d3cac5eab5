"""Title, dates, authors and the other facts of a page: one file per fact."""

from broadsheet.fields.fields import Fields, Found, Image

__all__ = ["Fields", "Found", "Image"]
