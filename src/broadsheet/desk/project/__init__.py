"""Projects: pages of some sites, their labels, and the weights learned from them, in one folder."""

from broadsheet.desk.project.project import NewPage, PageEntry, PageView, Project
from broadsheet.desk.project.roles import LabelRole

__all__ = ["LabelRole", "NewPage", "PageEntry", "PageView", "Project"]
