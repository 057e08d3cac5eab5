"""Write figures as Markdown.

The caption of an image is written as its description, and the credit as its title: Pandoc makes a figure with a caption
of an image that is a paragraph. A video with a preview image is a linked image. Other figures are links with a sign as
text. So the figures add no letters to the text: a parser reads the same letters as in `Article.text`.
"""

from __future__ import annotations

from broadsheet.article.parts import Figure
from broadsheet.output.inline_markdown import escape_address, escape_text
from broadsheet.output.links import check_href
from broadsheet.output.runs import fold_spaces

_SIGNS = {"video": "▶", "audio": "▶", "post": "↗", "embed": "↗"}


def write_figure(figure: Figure) -> str:
    """Write an image, or a link to a video or post; "" if its address is not safe."""
    url = check_href(figure.url)
    if not url:
        return ""
    caption = _fold_line(figure.caption)
    title, credit = _fold_line(figure.title), _fold_line(figure.credit)
    if figure.kind == "image":
        return f"![{escape_text(caption or title)}]({escape_address(url)}{_write_title(credit)})"
    details = _write_title(" · ".join(dict.fromkeys(filter(None, (title, caption, credit)))))
    if preview := check_href(figure.preview_url):
        return f"[![{escape_text(title)}]({escape_address(preview)})]({escape_address(url)}{details})"
    return f"[{_SIGNS[figure.kind]}]({escape_address(url)}{details})"


def _write_title(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("<", "&lt;")
    return f' "{escaped}"' if text else ""


def _fold_line(text: str) -> str:
    return fold_spaces(text).replace("\n", " ").strip()
