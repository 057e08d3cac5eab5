"""The method `stadynot`."""

from broadsheet.methods.stadynot.config import StadynotConfig
from broadsheet.methods.stadynot.method import PublishedStadynot, Stadynot

__all__ = ["PublishedStadynot", "Stadynot", "StadynotConfig"]
