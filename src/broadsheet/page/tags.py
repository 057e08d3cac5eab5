"""The three tag groups of search-and-combine segmentation (SemText, section III-A), and what some tags mean.

A departure from the document, because no text of the page may be lost: `<form>`, labels and buttons count as containers
and not as noise (old pages wrap everything in one form).
"""

from __future__ import annotations

# Group 1: the tag and all it holds cannot be article text.
DROPPED = frozenset(
    "head title meta link base style script noscript template iframe frame frameset noframes object embed applet param "
    "audio video source track canvas svg math map area img picture input select option optgroup datalist textarea "
    "progress meter".split()
)

# Group 2, text formatting, is all the rest: the tag goes, its text stays in the block around it. So it is with unknown
# tags.

# Group 3: containers; each start and end of one is the border of a block.
CONTAINERS = frozenset(
    "html body address article aside header footer h1 h2 h3 h4 h5 h6 hgroup main nav section search "
    "blockquote center dd dir div dl dt fieldset figcaption figure form hr legend label button li listing menu ol p "
    "plaintext pre ul xmp caption col colgroup table td th tr details summary dialog output slot".split()
)

# Tags that many look for: the table lists their rows.
INDEXED = frozenset("h1 h2 h3 h4 h5 h6 meta link script title base time img figure figcaption".split())

HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}

# What a block stands in, as bits. A block has the bits of all its containers; CELL, of the innermost only.
HEADING, LIST, QUOTE, TABLE, CELL, CAPTION, CODE, NAV, HEADER, FOOTER, ASIDE, FORM, ARTICLE, MAIN, HIDDEN = (
    1 << bit for bit in range(15)
)
CONTEXT = {
    **dict.fromkeys(HEADINGS, HEADING),
    **dict.fromkeys(("ul", "ol", "dl", "menu", "dir"), LIST),
    "blockquote": QUOTE,
    "table": TABLE,
    **dict.fromkeys(("td", "th"), CELL),
    "figcaption": CAPTION,
    "caption": CAPTION,
    **dict.fromkeys(("pre", "xmp", "listing", "plaintext"), CODE),
    "nav": NAV,
    "header": HEADER,
    "footer": FOOTER,
    "aside": ASIDE,
    **dict.fromkeys(("form", "fieldset", "button", "label"), FORM),
    "article": ARTICLE,
    "main": MAIN,
}
