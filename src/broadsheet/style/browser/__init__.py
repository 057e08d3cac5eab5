"""Styles and boxes from a browser: Chromium through playwright (extra `render`)."""

from broadsheet.style.browser.chromium import find_chromium
from broadsheet.style.browser.render import RenderOptions, close_browser, render_page

__all__ = ["RenderOptions", "close_browser", "find_chromium", "render_page"]
