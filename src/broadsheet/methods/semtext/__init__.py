"""The method `semtext`."""

from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.methods.semtext.method import Semtext

__all__ = ["Semtext", "SemtextConfig"]
