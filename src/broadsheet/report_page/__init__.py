"""The frame of all HTML reports: one file that loads nothing from the network, with light and dark themes."""

from broadsheet.report_page.page import ReportPage, Section, Tile, write_page

__all__ = ["ReportPage", "Section", "Tile", "write_page"]
