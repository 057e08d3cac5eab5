"""The method `gcn`."""

from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.method import Gcn

__all__ = ["Gcn", "GcnConfig"]
