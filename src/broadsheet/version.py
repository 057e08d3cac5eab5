"""The version of Broadsheet. A module by itself, because low layers write it into their output."""

__version__ = "0.2.0"
