"""Styles and boxes from a browser: Chromium through playwright (extra `render`)."""

from broadsheet.style.browser.chromium import RenderOptions, close_browser, find_chromium, render_page

__all__ = ["RenderOptions", "close_browser", "find_chromium", "render_page"]
