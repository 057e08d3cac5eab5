"""The method `twcem`."""

from broadsheet.methods.twcem.config import TwcemConfig
from broadsheet.methods.twcem.method import PublishedTwcem, Twcem

__all__ = ["PublishedTwcem", "Twcem", "TwcemConfig"]
