"""The method `stadynot`."""

from broadsheet.methods.stadynot.config import StadynotConfig
from broadsheet.methods.stadynot.method import Stadynot

__all__ = ["Stadynot", "StadynotConfig"]
