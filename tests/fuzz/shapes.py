"""Shapes: pages of any size that repeat one construct. Time must grow in proportion to the size of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_PROSE = "The council met on Tuesday, and after a long debate it voted to keep the ferry. "


@dataclass(frozen=True, slots=True)
class Shape:
    """A page that repeats `unit`; `{}` in it is the number of the repetition."""

    name: str
    unit: str
    head: str = ""
    tail: str = ""
    units: Callable[[int], str] | None = None  # makes the repetitions from the size, where a unit cannot

    def make(self, size: int) -> str:
        """Return the page with about `size` characters."""
        if self.units is not None:
            return self.head + self.units(size) + self.tail
        if "{}" not in self.unit:
            return self.head + self.unit * max(size // len(self.unit), 1) + self.tail
        unit_chars = len(self.unit.replace("{}", "12345"))
        return self.head + "".join(map(self.unit.format, range(max(size // unit_chars, 1)))) + self.tail


def _halves(first: str, second: str, between: str = "") -> Callable[[int], str]:
    """Return a maker of pages whose first half repeats one unit and whose second half another."""

    def make(size: int) -> str:
        left, right = Shape("", first).make(size // 2), Shape("", second).make(size // 2)
        return left + between + right

    return make


def _formatting(unit: str) -> Callable[[int], str]:
    return _halves("<b id={}>", unit)


SHAPES = (
    # tags and attributes
    Shape("html attributes", "<html a{}=1>"),
    Shape("body attributes", "<body a{}=1>"),
    Shape("html attributes on one tag", "a{}=1 ", "<html ", ">x"),
    Shape("html duplicate attributes", "<html a=1>"),
    Shape("attributes on one tag", "a{}=1 ", "<p ", ">x"),
    Shape("equal attributes on one tag", "a=1 ", "<p ", ">x"),
    Shape("short attributes", "a ", "<p ", ">x"),
    Shape("slashes in a tag", "/", "<p ", ">x"),
    Shape("quotes in a tag", "'\" ", "<p ", ">x"),
    Shape("equal signs in a tag", "= ", "<p ", ">x"),
    Shape("less-than signs in a tag", "<", "<p ", ">x"),
    Shape("tags with ten attributes", "<p a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8 i=9 j=0>x"),
    Shape("many attributes per tag", "", units=lambda size: ("<p " + " ".join(f"a{n}" for n in range(300)) + ">x") * (size // 1500 + 1)),
    Shape("attributes on an end tag", "a{}=1 ", "<p>x</p ", ">x"),
    Shape("long attribute value", "x", "<p title='", "'>x"),
    Shape("long class", "c{} ", "<p class='", "'>x, y."),
    Shape("long id", "x", "<p id='", "'>x, y."),
    Shape("long attribute name", "x", "<p ", ">x"),
    Shape("long tag name", "x", "<p>x<", ">y"),
    Shape("long tag name, nested", "", units=lambda size: "".join(f"<{'x' * (size // 64)}{n}>" for n in range(64))),
    Shape("different tag names", "<x{}>"),
    Shape("different tag names, closed", "<x{}>a</x{}>".replace("</x{}>", "</x>")),
    Shape("different attribute names", "<p a{}=1>x"),
    Shape("long style", "color:red;", "<p style='", "'>x"),
    Shape("style semicolons", ";", "<p style='", "'>x"),
    Shape("unclosed attribute values", "<p a='"),
    Shape("unclosed tag", "<p a=1 "),
    Shape("half tags", "<p "),
    # characters
    Shape("less-than signs", "<"),
    Shape("less-than signs and letters", "<a"),
    Shape("less-than signs and slashes", "</"),
    Shape("greater-than signs", ">"),
    Shape("ampersands", "&"),
    Shape("entities", "&amp;"),
    Shape("half entities", "&am"),
    Shape("long entities", "&CounterClockwiseContourIntegral;"),
    Shape("unknown entities", "&abcdefghijklmnop;"),
    Shape("number entities", "&#x41;"),
    Shape("long number entity", "0", "<p>&#x", "41;"),
    Shape("entities in an attribute", "&amp;", "<p title='", "'>x"),
    Shape("NUL", "\0"),
    Shape("NUL in tags", "<p\0 a\0=\0>x"),
    Shape("NUL in a table", "\0", "<table>"),
    Shape("carriage returns", "\r"),
    Shape("white space", " \n\t"),
    Shape("white space in a table", " \n", "<table>", "x"),
    Shape("white space after the body", " \n", "<p>x</body></html>", "x"),
    Shape("byte-order marks", "\ufeff"),
    Shape("one word", "a"),
    Shape("one letter words", "a "),
    Shape("commas", ","),
    Shape("full stops", "a. "),
    Shape("digits", "1"),
    Shape("dates", "12 May 2021, "),
    Shape("colons", "10:"),
    Shape("hyphens", "-"),
    Shape("one word in upper case", "A"),
    Shape("names", "By Jane Doe, "),
    Shape("combining marks", "\u0301", "<p>a"),
    Shape("Arabic", "مرحبا بالعالم، "),
    Shape("Chinese", "渡轮将继续运营，"),
    Shape("Thai", "เรือข้ามฟาก"),
    Shape("emoji", "\U0001f468\u200d"),
    # comments and declarations
    Shape("comments", "<!-->"),
    Shape("open comments", "<!--"),
    Shape("one comment", "-", "<!--", "x"),
    Shape("comment ends", "--!>", "<!--", "x"),
    Shape("exclamation marks", "<!"),
    Shape("question marks", "<?"),
    Shape("doctypes", "<!DOCTYPE html>"),
    Shape("long doctype", "x", "<!DOCTYPE html PUBLIC '", "'>x"),
    Shape("CDATA", "<![CDATA[x]]>"),
    Shape("CDATA in svg", "<![CDATA[x]]>", "<svg>"),
    Shape("brackets in CDATA", "]", "<svg><![CDATA["),
    Shape("instructions", "<?xml x?>"),
    # nesting
    Shape("nested div", "<div>", tail="x, y."),
    Shape("nested div with text", "<div>a, b."),
    Shape("nested div and end tags", "", units=_halves("<div>", "</p>")),
    Shape("nested div and unknown end tags", "", units=_halves("<div>", "</x>")),
    Shape("nested span and end tags", "", units=_halves("<span>", "</x>")),
    Shape("nested span and paragraphs", "", units=_halves("<span>", "<p>x")),
    Shape("nested div and list items", "", units=_halves("<div>", "<li>")),
    Shape("nested span and list items", "", units=_halves("<span>", "<li>")),
    Shape("nested p and buttons", "<p><button>"),
    Shape("nested dd", "<dl><dd>"),
    Shape("headings", "<h1>"),
    Shape("nested unknown", "<x>"),
    Shape("nested unknown with hyphen", "<x-y>a"),
    Shape("nested formatting", "<b>"),
    Shape("nested formatting, different", "<b id={}>"),
    Shape("nested formatting, all kinds", "<b><i><u><s><em><tt><big><code><font><small><strong><strike><nobr>"),
    Shape("formatting before paragraphs", "", "<p>", units=_formatting("<p>x")),
    Shape("formatting before br", "", "<p>", units=_formatting("<br>")),
    Shape("formatting before div", "", "<p>", units=_formatting("<div>x</div>")),
    Shape("formatting, closed by p", "<p><b id={}>x</p>"),
    Shape("formatting in p, three kinds", "<p><b><i><u>x"),
    Shape("formatting and markers", "<b id={}><object>"),
    Shape("formatting before applets", "", "<p>", units=_formatting("<applet>x</applet>")),
    Shape("formatting before cells", "", "<p>", units=_formatting("<td>x")),
    Shape("formatting before tables", "", "<p>", units=_formatting("<table>x</table>")),
    Shape("formatting end tags", "", "<p>", units=_formatting("</b>")),
    Shape("formatting other end tags", "", "<p>", units=_formatting("</i>")),
    Shape("adoption", "<a><div>"),
    Shape("adoption, closed", "<b><div>x</b>y"),
    Shape("adoption, nested", "", units=_halves("<b><p>", "</b>")),
    Shape("adoption, nested i", "", units=_halves("<b><i><p>", "</b></i>")),
    Shape("adoption, p in a", "<a><p>x</a>"),
    Shape("adoption, div after nested b", "<b><i><a><div>x</b></i></a>"),
    Shape("nested nobr", "<nobr>x"),
    Shape("nested a", "<a href={}>x"),
    Shape("nested a in div", "<a href={}><div>x"),
    Shape("nested font", "<font color={}>x"),
    # tables
    Shape("nested tables", "<table>"),
    Shape("nested tables with cells", "<table><tr><td>", tail="x, y."),
    Shape("foster text", "x<tr>", "<table>"),
    Shape("foster tags", "<p>x", "<table>"),
    Shape("foster tags nested", "<table><b>x"),
    Shape("foster div", "<div>", "<table>"),
    Shape("foster a", "<a><tr>", "<table>"),
    Shape("foster formatting", "<b id={}><tr>x", "<table>"),
    Shape("foster forms", "<form><input>", "<table>"),
    Shape("foster tables", "<table><tr>x", "<table>"),
    Shape("cells", "<td>x", "<table><tr>"),
    Shape("cells in different rows", "<tr><td>x", "<table>"),
    Shape("captions", "<caption>x", "<table>"),
    Shape("columns", "<col>", "<table>"),
    Shape("table bodies", "<tbody>", "<table>"),
    Shape("wide cell", "<td colspan=1000 rowspan=1000>x", "<table><tr>"),
    Shape("wide rows", "<tr><td colspan=1000 rowspan=65534>x", "<table>"),
    # foreign content
    Shape("nested svg", "<svg>"),
    Shape("nested g", "<g>", "<svg>"),
    Shape("nested g and end tags", "", "<svg>", units=_halves("<g>", "</x>")),
    Shape("nested g and html tags", "", "<svg>", units=_halves("<g>", "<p>x</p>")),
    Shape("nested math", "<math>"),
    Shape("nested mi", "<mi><p>", "<math>"),
    Shape("nested foreignObject", "<svg><foreignObject>"),
    Shape("nested annotation", "<math><annotation-xml encoding='text/html'>"),
    Shape("breakouts", "<svg><p>"),
    Shape("breakouts of math", "<math><mi><b>x"),
    Shape("foreign attributes", "a{}=1 ", "<svg ", ">x"),
    Shape("foreign case", "<svg><lineargradient viewbox=1>"),
    # special elements
    Shape("nested template", "<template>"),
    Shape("template with text", "<template>x</template>"),
    Shape("template modes", "<template><tr><td>x</template>"),
    Shape("nested template and cells", "<template><td>"),
    Shape("shadow roots", "<div><template shadowrootmode=open>x"),
    Shape("nested select", "<select>"),
    Shape("options", "<option>x", "<select>"),
    Shape("option groups", "<optgroup><option>x", "<select>"),
    Shape("nested option", "<option>x"),
    Shape("nested select in tables", "<table><tr><td><select>"),
    Shape("select with content", "<select><div>x"),
    Shape("framesets", "<frameset>"),
    Shape("frames", "<frame>", "<frameset>"),
    Shape("frameset after text", "<frameset><p>x"),
    Shape("plaintext", "<plaintext>"),
    Shape("forms", "<form>x"),
    Shape("forms closed", "<form></form>"),
    Shape("nested forms in templates", "<template><form>"),
    Shape("nested form and end tags", "", units=_halves("<div>", "</form>")),
    Shape("scripts", "<script>x</script>"),
    Shape("open script", "<script>", ""),
    Shape("escaped scripts", "<!--<script>", "<script>"),
    Shape("script ends", "</scrip", "<script>"),
    Shape("titles", "<title>x</title>"),
    Shape("textareas", "<textarea>x</textarea>"),
    Shape("open title", "</titl", "<title>"),
    Shape("raw text ends", "</", "<style>"),
    Shape("heads", "<head>"),
    Shape("head after body", "</body><head>x"),
    Shape("body after body", "</body>x"),
    Shape("html after html", "</html>x"),
    Shape("comments after html", "</html><!--x-->"),
    Shape("noscript", "<noscript>"),
    Shape("noscript with text", f"<noscript><p>{_PROSE}</noscript>"),
    Shape("ruby", "<ruby><rt>x"),
    Shape("nested ruby", "<ruby><rb><rt><rp>x"),
    Shape("images", "<image src={}>"),
    Shape("inputs", "<input>"),
    Shape("hr in select", "<select><hr>"),
    Shape("menus", "<menu><li>x"),
    Shape("nested lists", "<ul><li>a, b."),
    Shape("li", "<li>a, b."),
    Shape("nested definition lists", "<dl><dt>x<dd>y"),
    Shape("summary", "<details><summary>x"),
    Shape("nested dialogs", "<dialog>x"),
    Shape("nested labels", "<label>x"),
    Shape("nested objects", "<object>x"),
    Shape("nested marquee", "<marquee>x"),
    Shape("nested pre", "<pre>\n"),
    Shape("nested listing", "<listing>x"),
    Shape("base", "<base href='{}/'>"),
    Shape("end tags", "</p>"),
    Shape("end tags br", "</br>"),
    Shape("end tags unknown", "</x>"),
    Shape("end tags with attributes", "</p a{}=1>"),
)


def find_shape(name: str) -> Shape:
    """Return the shape with this name."""
    return next(shape for shape in SHAPES if shape.name == name)
