"""The method `twcem`."""

from broadsheet.methods.twcem.config import TwcemConfig
from broadsheet.methods.twcem.method import Twcem

__all__ = ["Twcem", "TwcemConfig"]
