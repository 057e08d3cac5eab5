"""Write the tables of the compiled parser as C headers. Runs when the package is compiled, before it is installed.

The groups of tags have the names and the section numbers of the WHATWG HTML standard.
"""

from __future__ import annotations

import runpy
import sys
import unicodedata
from collections.abc import Iterable
from html.entities import html5
from pathlib import Path

_NAMES = runpy.run_path(str(Path(__file__).with_name("names.py")))
_TAG_NAMES: tuple[str, ...] = _NAMES["TAG_NAMES"]
_ATTRIBUTE_NAMES: tuple[str, ...] = _NAMES["ATTRIBUTE_NAMES"]

_TABLE_PARTS = "caption col colgroup tbody td tfoot th thead tr"
_FORMATTING = "b big code em font i s small strike strong tt u"
_BLOCKS = (
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup "
    "main menu nav ol search section summary ul"
)
_IMPLIED_END = "dd dt li optgroup option p rb rp rt rtc"
# Group -> its tags.
TAG_GROUPS = {
    # 13.2.4.2 The stack of open elements
    "SPECIAL": "address applet area article aside base basefont bgsound blockquote body br button caption center col "
    "colgroup dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    "head header hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes "
    "noscript object ol p param plaintext pre script search section select source style summary table tbody td "
    "template textarea tfoot th thead title tr track ul wbr xmp",
    "ENDS_SCOPE": "applet caption html marquee object select table td template th",  # "has an element in scope"
    # 13.2.6.1: the nodes at which text and elements are foster parented
    "FOSTERS": "table tbody tfoot thead tr",
    # 13.2.6.3 Closing elements that have implied end tags
    "IMPLIED_END": _IMPLIED_END,
    "THOROUGHLY_IMPLIED_END": f"{_IMPLIED_END} caption colgroup tbody td tfoot th thead tr",
    # 13.2.6.4.4 "in head"
    "IN_HEAD_TAG": "base basefont bgsound link meta noframes script style template title",
    # 13.2.6.4.7 "in body"
    "BLOCK_START": f"{_BLOCKS} p",
    "BLOCK_END": f"{_BLOCKS} button listing pre select",
    "HEADING": "h1 h2 h3 h4 h5 h6",
    "FORMATTING": _FORMATTING,
    "FORMATTING_END": f"{_FORMATTING} a nobr",
    "VOID_IN_TEXT": "area br embed img keygen wbr",
    "IGNORED_IN_BODY": f"{_TABLE_PARTS} frame head",
    # 13.2.6.4.9 to 13.2.6.4.15: tables
    "TABLE_PART": _TABLE_PARTS,
    "RESETS_MODE": f"{_TABLE_PARTS} table template head body frameset html",
    # 13.2.6.5 foreign content
    "ENDS_FOREIGN": "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
    "MATHML_TEXT": "mi mo mn ms mtext",  # MathML text integration points
    "SVG_HTML": "foreignobject desc title",  # HTML integration points
}
# "Adjust SVG attributes", 13.2.6.1
_SVG_ATTRIBUTES = (
    "attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant edgeMode filterUnits "
    "glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lengthAdjust "
    "limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits numOctaves pathLength "
    "patternContentUnits patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio "
    "primitiveUnits refX refY repeatCount repeatDur requiredExtensions requiredFeatures specularConstant "
    "specularExponent spreadMethod startOffset stdDeviation stitchTiles surfaceScale systemLanguage tableValues "
    "targetX targetY textLength viewBox viewTarget xChannelSelector yChannelSelector zoomAndPan"
)
_HANGUL_VOWELS_AND_FINALS = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))


def write_headers(folder: Path) -> None:
    """Write the headers into a folder; leave those alone that would not change."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("tags.h", _tags()), ("entities.h", _entities()), ("characters.h", _characters())):
        path = folder / name
        if not path.is_file() or path.read_text(encoding="ascii") != text:
            path.write_text(text, encoding="ascii")


def _identifier(prefix: str, name: str) -> str:
    return prefix + name.strip("#").upper().replace("-", "_").replace(":", "_")


def _strings(name: str, values: Iterable[str]) -> str:
    return f"static const char *const {name}[] = {{" + ", ".join(f'"{value}"' for value in values) + "};\n"


def _tags() -> str:
    """Return numbers and names of tags and attributes, and the groups of each tag as bits."""
    groups = {name: set(tags.split()) for name, tags in TAG_GROUPS.items()}
    missing = set().union(*groups.values()).difference(_TAG_NAMES)
    if missing:
        raise ValueError(f"tags without a number: {missing}")
    bits = [" | ".join(name for name, tags in groups.items() if tag in tags) or "0" for tag in _TAG_NAMES]
    return (
        f"enum {{ {', '.join(_identifier('TAG_', name) for name in _TAG_NAMES)}, TAG_COUNT }};\n"
        f"enum {{ {', '.join(_identifier('ATTRIBUTE_', name) for name in _ATTRIBUTE_NAMES)}, ATTRIBUTE_COUNT }};\n"
        + "".join(f"#define {name} (1u << {bit})\n" for bit, name in enumerate(groups))
        + f"static const uint32_t TAG_GROUPS[TAG_COUNT] = {{{', '.join(bits)}}};\n"
        + _strings("TAG_NAMES", _TAG_NAMES)
        + _strings("ATTRIBUTE_NAMES", _ATTRIBUTE_NAMES)
        + _strings("SVG_ATTRIBUTES", _SVG_ATTRIBUTES.split())
    )


def _entities() -> str:
    """Return the named character references: names with and without a semicolon, and characters as UTF-8."""
    rows = []
    for name, characters in sorted(html5.items()):
        data = characters.encode()
        escaped = "".join(f"\\{byte:03o}" for byte in data)
        rows.append(f'    {{"{name}", "{escaped}", {len(name)}, {len(data)}}},\n')
    return (
        "typedef struct {\n    const char *name, *characters;\n    uint8_t name_length, characters_length;\n} Entity;\n"
        f"#define ENTITY_COUNT {len(rows)}\n"
        f"#define MAX_ENTITY_NAME {max(map(len, html5))}\n"
        f"#define MAX_BARE_NAME {max(len(name) for name in html5 if not name.endswith(';'))}\n"
        f"static const Entity ENTITIES[] = {{\n{''.join(rows)}}};\n"
    )


def _characters() -> str:
    """Return which characters below U+10000 a text in NFC may not contain everywhere, as bits."""
    words = [0] * 1024
    for code in _list_unsafe_characters():
        words[code >> 6] |= 1 << (code & 63)
    return f"static const uint64_t IS_UNSAFE_IN_NFC[] = {{{', '.join(f'{word:#x}u' for word in words)}}};\n"


def _list_unsafe_characters() -> set[int]:
    """Return the characters that NFC replaces, composes with the one before, or sorts; and unassigned ones."""
    unsafe = set(_HANGUL_VOWELS_AND_FINALS)
    for code in range(0x10000):
        character = chr(code)
        is_normal = unicodedata.is_normalized("NFC", character)
        if not is_normal or unicodedata.combining(character) or unicodedata.category(character) == "Cn":
            unsafe.add(code)
    for code in range(sys.maxunicode + 1):  # the second character of a pair that NFC composes
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            unsafe.add(int(parts[1], 16))
    return {code for code in unsafe if code < 0x10000}
