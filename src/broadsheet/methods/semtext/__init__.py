"""The method `semtext`."""

from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.methods.semtext.method import PublishedSemtext, Semtext

__all__ = ["PublishedSemtext", "Semtext", "SemtextConfig"]
