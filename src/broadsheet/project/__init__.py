"""Projects: pages of some sites, their labels, and the weights learned from them, in one folder."""

from broadsheet.blocks.roles import LabelRole
from broadsheet.project.pages import PageEntry
from broadsheet.project.project import NewPage, PageView, Project

__all__ = ["LabelRole", "NewPage", "PageEntry", "PageView", "Project"]
