"""Tags and attributes of HTML with fixed numbers, which the compiled parser and all readers of the table use.

The header of the C sources is made from these tuples when the package is compiled. Names that are not here are numbered
for each page, after these.
"""

from __future__ import annotations

TEXT = "#text"  # the tag of a text node; number 0

TAG_NAMES: tuple[str, ...] = (
    TEXT,
    *(
        "html head body title meta link base style script noscript template "
        "address article aside header footer h1 h2 h3 h4 h5 h6 hgroup main nav section search "
        "blockquote center dd dir div dl dt fieldset figcaption figure form hr legend label button li listing menu ol "
        "p plaintext pre ul xmp caption col colgroup table tbody thead tfoot td th tr details summary dialog output "
        "slot a abbr acronym b bdi bdo big br cite code data del dfn em font i ins kbd mark nobr q s samp small span "
        "strike strong sub sup time tt u var wbr rb rp rt rtc ruby "
        "img picture source audio video track canvas map area iframe frame frameset noframes object embed applet param "
        "input select option optgroup datalist textarea progress meter keygen "
        "image isindex basefont bgsound marquee noembed selectedcontent "
        "svg g path rect circle polygon symbol defs use lineargradient stop foreignobject desc "
        "math mi mo mn ms mtext mrow msup mglyph malignmark annotation-xml "
        "amp-img amp-iframe amp-youtube lite-youtube"
    ).split(),
)
TAG_IDS = {name: number for number, name in enumerate(TAG_NAMES)}

ATTRIBUTE_NAMES: tuple[str, ...] = tuple(
    "class id href src style rel type content property name itemprop itemscope itemtype typeof hidden datetime title "
    "alt width height lang xml:lang role target align value data-src charset media srcset http-equiv language "
    "aria-label aria-hidden shadowrootmode colspan rowspan start reversed color face size bgcolor data-srcset poster "
    "data-original data-lazy-src".split()
)
ATTRIBUTE_IDS = {name: number for number, name in enumerate(ATTRIBUTE_NAMES)}
