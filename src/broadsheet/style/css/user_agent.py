"""The user agent's style sheet, and the styles that attributes such as `bgcolor` set (HTML standard, section 15)."""

from __future__ import annotations

from broadsheet.page import Nodes
from broadsheet.style.css.bounds import MAX_PRESENTATIONAL_HINTS, MAX_VALUE_CHARS
from broadsheet.style.css.matching import Matcher
from broadsheet.style.css.properties import STYLE_PROPERTIES, DeclarationBlock, PropertyValues, read_declarations
from broadsheet.style.css.selectors import Selector, parse_selector
from broadsheet.style.css.values import SIZE_KEYWORDS, Length, classify_family, parse_font_size, parse_legacy_color

# Chromium's own style sheet: one rule per line, later rules add to earlier ones.
_TAG_RULES = """
area base basefont datalist head link meta noembed noframes param rp script style template title track {display:none}
source {display:none}
html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption {display:block}
figure footer form frameset frame h1 h2 h3 h4 h5 h6 header hgroup hr legend listing main menu nav ol {display:block}
optgroup option p plaintext pre search section summary ul xmp {display:block}
li {display:list-item}
button input select textarea meter progress marquee {display:inline-block}
table {display:table}
caption {display:table-caption}
col {display:table-column}
colgroup {display:table-column-group}
tr {display:table-row}
tbody {display:table-row-group}
thead {display:table-header-group}
tfoot {display:table-footer-group}
td th {display:table-cell}
ruby {display:ruby}
rt {display:ruby-text;font-size:.5em}
slot {display:contents}
h1 h2 h3 h4 h5 h6 th optgroup {font-weight:bold}
h1 {font-size:2em}
h2 {font-size:1.5em}
h3 {font-size:1.17em}
h5 {font-size:.83em}
h6 {font-size:.67em}
b strong {font-weight:bolder}
small sub sup {font-size:smaller}
option {font-weight:400}
big {font-size:larger}
code kbd samp tt pre listing xmp plaintext {font-family:monospace;font-size:13px}
mark {background-color:yellow;color:black}
dialog {background-color:white;color:black}
button input select textarea {font-size:13.3333px;font-weight:400;font-family:sans-serif;color:black}
input textarea {background-color:white}
textarea {font-family:monospace}
button select {background-color:#efefef}
"""
_QUIRKY_TAG_RULES = _TAG_RULES + "table {font-size:medium;font-weight:400}\n"
_ATTRIBUTE_RULES = """
a[href] {color:#0000ee}
[hidden] {display:none}
dialog:not([open]) {display:none}
input[type=hidden] {display:none}
audio:not([controls]) {display:none}
"""
_TAGS_WITH_BGCOLOR = frozenset(("body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"))
_DEFAULT_FONT_SIZE = 3  # of <font size>, which is 1 to 7


def _read_rules(rules: str) -> list[tuple[str, DeclarationBlock]]:
    pairs = (line.strip("}").split("{") for line in rules.strip().splitlines())
    return [(selector.strip(), read_declarations(body, STYLE_PROPERTIES)) for selector, body in pairs]


def _make_tag_styles(rules: str) -> dict[str, PropertyValues]:
    styles: dict[str, PropertyValues] = {}
    for tags, block in _read_rules(rules):
        for tag in tags.split():
            styles[tag] = {**styles.get(tag, {}), **block.normal}
    return styles


# Tag -> values, in standards mode and in quirks mode; and the rules that depend on attributes.
TAG_STYLES = _make_tag_styles(_TAG_RULES)
QUIRKY_TAG_STYLES = _make_tag_styles(_QUIRKY_TAG_RULES)
ATTRIBUTE_RULES: list[tuple[Selector, DeclarationBlock]] = [
    (selector, block) for text, block in _read_rules(_ATTRIBUTE_RULES) if (selector := parse_selector(text))
]


def find_presentational_hints(matcher: Matcher) -> dict[int, dict[str, object]]:
    """Return row -> values that attributes set. Any rule of the page overrides them."""
    nodes = matcher.nodes
    hints: dict[int, dict[str, object]] = {}
    for row, value in list(matcher.read_attribute("bgcolor").items())[:MAX_PRESENTATIONAL_HINTS]:
        if nodes.tag[row] in _TAGS_WITH_BGCOLOR and (color := parse_legacy_color(value)):
            hints[row] = {"background-color": color}
    for row in matcher.rows("font")[:MAX_PRESENTATIONAL_HINTS]:
        hints[row] = _read_font(nodes, row)
    for row in matcher.rows("body")[:1]:
        if color := parse_legacy_color(nodes.attr(row, "text")):
            hints[row] = {**hints.get(row, {}), "color": color}
        if color := parse_legacy_color(nodes.attr(row, "link")):
            links = (link for link in matcher.rows("a") if nodes.has_attr(link, "href"))
            hints |= {link: {"color": color} for link in links}
    return hints


def _read_font(nodes: Nodes, row: int) -> dict[str, object]:
    values: dict[str, object] = {}
    if color := parse_legacy_color(nodes.attr(row, "color")):
        values["color"] = color
    if face := nodes.attr(row, "face")[:MAX_VALUE_CHARS].strip():
        values["font-family"] = classify_family(face.lower())
    if size := _read_font_size(nodes.attr(row, "size").strip()):
        values["font-size"] = size
    return values


def _read_font_size(text: str) -> Length | None:
    """Read `<font size>`: 1 to 7, or relative to 3 with a sign."""
    is_relative = text[:1] in ("+", "-")
    if not text[is_relative:].isdecimal() or len(text) > 3:
        return None
    size = int(text) + (_DEFAULT_FONT_SIZE if is_relative else 0)
    return parse_font_size(SIZE_KEYWORDS[min(max(size, 1), 7)])
