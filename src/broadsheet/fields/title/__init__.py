"""The title of an article: the headline as the page shows it."""

from broadsheet.fields.title.find import Headline, find_title

__all__ = ["Headline", "find_title"]
