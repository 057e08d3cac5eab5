"""The three groups of tags for segmentation (SemText, section III-A), and the context flags of blocks.

One departure from the paper: `<form>`, labels and buttons are containers, not noise. Old pages wrap everything in one
form, and no text of the page may be lost.
"""

from __future__ import annotations

# Group 1: these elements and their content cannot be article text.
DROPPED = frozenset(
    "head title meta link base style script noscript template iframe frame frameset noframes object embed applet param "
    "audio video source track canvas svg math map area img input select option optgroup datalist textarea "
    "progress meter rt rp rtc".split()  # the last three: readings of characters, which would be inside words
)

# Group 2: text formatting, which is all other tags, unknown ones included. Their text belongs to the block around them.

# Group 3: containers. Each start and end of a container is the border of a block.
CONTAINERS = frozenset(
    "html body address article aside header footer h1 h2 h3 h4 h5 h6 hgroup main nav section search "
    "blockquote center dd dir div dl dt fieldset figcaption figure form hr legend label button li listing menu ol p "
    "plaintext pre ul xmp caption col colgroup table td th tr details summary dialog output slot".split()
)

# Tags whose rows the node table lists in `Nodes.rows`, because several readers look for them.
INDEXED = frozenset(
    "h1 h2 h3 h4 h5 h6 meta link script title base time img article figure figcaption noscript blockquote iframe video "
    "audio math amp-img amp-iframe amp-youtube lite-youtube".split()
)

HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}

# Context flags: which elements a block is inside. A block has the flags of all containers around it; CELL is only that
# of the innermost container, and HIDDEN comes from attributes (`hidden`, `style`), not from tags.
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
