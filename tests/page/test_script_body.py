"""Articles that are only in the data of scripts. The pages were written for these tests."""

from __future__ import annotations

import html
import json
import sys
from urllib.parse import quote

import pytest

import broadsheet
from broadsheet.page import read_page
from broadsheet.page.script_body import read_script_values

TITLE = "The harbour opens to ferries in May"
PARAGRAPHS = [
    "The council voted on Tuesday to open the new harbour to ferries in the first week of May, a year late.",
    "Fishermen had asked for more time, because the crane on the southern quay has not been tested in a storm.",
    "The mayor said that the budget is spent & that no further delay would be paid for by the town itself.",
    "Tickets cost four crowns for adults and two crowns for children; bicycles travel free until the autumn.",
    "A second quay is planned for the year after next, if the state pays half of it, as it has promised.",
]
OTHER = [
    f"Another story, number {n}, tells of the weather in the hills and of the snow that fell there." for n in range(9)
]
MARKUP = "".join(f"<p>{html.escape(line)}</p>" for line in PARAGRAPHS)
SHELL = f"<html><head><title>{TITLE} | Coast Courier</title></head><body><div id=root>Loading</div>%s</body></html>"


def make_next_data(value: object) -> str:
    return f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(value)}</script>'


def make_state(value: object) -> str:
    return f"<script>window.__STATE__ = {json.dumps(value)};(function(){{run()}})()</script>"


def make_linked_data(**values: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", **values})}</script>'


def escape_as_angular(text: str) -> str:
    for char, escape in {"&": "&a;", '"': "&q;", "<": "&l;", ">": "&g;"}.items():
        text = text.replace(char, escape)
    return text


def make_article(**body: object) -> object:
    return {"props": {"menu": [{"title": "Sport", "url": "/sport"}], "article": {"title": TITLE, "id": 7, **body}}}


PORTABLE_TEXT = [
    {"_type": "block", "style": "normal", "markDefs": [], "children": [{"_type": "span", "marks": [], "text": line}]}
    for line in PARAGRAPHS
]
PROSE_MIRROR = {
    "type": "doc",
    "content": [
        {"type": "paragraph", "content": [{"type": "text", "text": line[:40]}, {"type": "text", "text": line[40:]}]}
        for line in PARAGRAPHS
    ],
}
DRAFT = {
    "blocks": [
        {"key": str(n), "text": line, "type": "unstyled", "depth": 0, "entityRanges": [], "data": {}}
        for n, line in enumerate(PARAGRAPHS)
    ],
    "entityMap": {},
}
ARC = [{"_id": str(n), "type": "text", "content": html.escape(line)} for n, line in enumerate(PARAGRAPHS)]
ARC.insert(
    2, {"_id": "x", "type": "image", "caption": "A crane on the quay.", "url": "https://courier.example/crane.jpg"}
)
CONTENTFUL = {
    "nodeType": "document",
    "content": [
        {"nodeType": "paragraph", "data": {}, "content": [{"nodeType": "text", "value": line, "marks": [], "data": {}}]}
        for line in PARAGRAPHS
    ],
}
NESTED_BLOCKS = [
    {"type": "text", "model": {"blocks": [{"type": "paragraph", "model": {"text": line, "blocks": []}}]}}
    for line in PARAGRAPHS
]
EDITOR_JS = {"time": 1, "blocks": [{"type": "paragraph", "data": {"text": line}} for line in PARAGRAPHS]}
TREE = [{"tag": "p", "children": [{"tag": "#text", "text": line}]} for line in PARAGRAPHS]

SHAPES = {
    "HTML in __NEXT_DATA__": make_next_data(make_article(body=MARKUP)),
    "HTML in a state": make_state(make_article(content={"rendered": MARKUP})),
    "escaped HTML": make_state(make_article(body=html.escape(MARKUP))),
    "Portable Text": make_next_data(make_article(body=PORTABLE_TEXT)),
    "ProseMirror": make_state(make_article(body=PROSE_MIRROR)),
    "Draft.js": make_state(make_article(raw=DRAFT)),
    "Draft.js in a string": make_state(make_article(raw=json.dumps(DRAFT))),
    "Arc": make_state(make_article(content_elements=ARC)),
    "Contentful": make_next_data(make_article(richText=CONTENTFUL)),
    "blocks in blocks": make_state(make_article(blocks=NESTED_BLOCKS)),
    "Editor.js": make_state(make_article(data=EDITOR_JS)),
    "a tree of tags": make_next_data(make_article(amp=TREE)),
    "a list of strings": make_next_data(make_article(paragraphs=PARAGRAPHS)),
    "plain text": make_state(make_article(articleBody="\n\n".join(PARAGRAPHS))),
    "JSON.parse": f"<script>var s = JSON.parse({json.dumps(json.dumps(make_article(body=MARKUP)))});</script>",
    "Angular": f"<script type=application/json>{escape_as_angular(json.dumps(make_article(body=MARKUP)))}</script>",
    "undefined": f'<script>window.S={json.dumps(make_article(body=MARKUP))[:-1]},"user":undefined}}</script>',
    "an object of JavaScript": f"<script>window.S=function(){{return {{article:{{title:a,body:{json.dumps(MARKUP)}}}}}}}</script>",
    "JSON-LD": make_linked_data(headline=TITLE, articleBody="\n".join(PARAGRAPHS)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_article_is_read_from_data(shape: str) -> None:
    article = broadsheet.extract(SHELL % SHAPES[shape])
    assert article.text.split("\n") == PARAGRAPHS
    assert article.status == "ok"
    assert article.title == TITLE


def test_the_article_with_the_title_of_the_page_is_chosen() -> None:
    others = [{"title": f"Other story {n}", "body": "".join(f"<p>{line}</p>" for line in OTHER)} for n in range(3)]
    page = SHELL % make_next_data({"related": others, "main": {"headline": TITLE, "body": MARKUP}})
    assert broadsheet.extract(page).text.split("\n") == PARAGRAPHS


def test_the_article_that_begins_as_described_is_chosen() -> None:
    data = {"a": {"body": "".join(f"<p>{line}</p>" for line in OTHER)}, "b": {"body": MARKUP}}
    page = f'<meta name=description content="{PARAGRAPHS[0]}">' + SHELL % make_next_data(data)
    assert broadsheet.extract(page).text.split("\n") == PARAGRAPHS


def test_headings_lists_and_quotes_are_kept() -> None:
    nodes = [
        {"type": "paragraph", "children": [{"text": PARAGRAPHS[0]}]},
        {"type": "heading", "level": 2, "children": [{"text": "The crane"}]},
        {"type": "paragraph", "children": [{"text": PARAGRAPHS[1]}]},
        {"type": "list", "children": [{"type": "list-item", "children": [{"text": line}]} for line in PARAGRAPHS[2:4]]},
        {"type": "blockquote", "children": [{"text": PARAGRAPHS[4]}]},
        {"type": "newsletter", "children": [{"text": "Subscribe to our letter from the coast, every Friday."}]},
    ]
    page = read_page(SHELL % make_next_data(make_article(body=nodes)))
    tags = [page.nodes.tag[row] for row in range(len(page.nodes))]
    assert [tag for tag in tags if tag in ("p", "h2", "li", "blockquote")] == ["p", "h2", "p", "li", "li", "blockquote"]


TEXT = "".join(f"<p>{line} {line}</p>" for line in OTHER)
LIST_OF_ARTICLES = [{"title": f"Story {n}", "url": f"/{n}", "body": line * 20} for n, line in enumerate(OTHER)]
UNCHANGED = {
    "a page that shows text": (SHELL % make_state(make_article(body=MARKUP * 20))).replace("Loading", TEXT),
    "not free": SHELL
    % (
        SHAPES["Arc"]
        + '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>'
    ),
    "a locked tier": '<meta property="article:content_tier" content="locked">' + SHELL % SHAPES["Arc"],
    "a paywall": SHELL % (SHAPES["Arc"] + "<div class=paywall>Subscribe now</div>"),
    "for subscribers": SHELL % make_state(make_article(isPremium=True, body=MARKUP)),
    "a list of articles": SHELL % make_state({"latest": LIST_OF_ARTICLES}),
    "comments": SHELL % make_state({"comments": [{"user": "Ann", "text": line} for line in OTHER * 3]}),
    "a short text": SHELL % make_state(make_article(body=f"<p>{PARAGRAPHS[0]}</p>")),
    "code": SHELL % f"<script>{'if (a < b) { run(c[1], {d: 2}) }' * 500}</script>",
    "a template": SHELL % make_state({"template": "<div class='{{a}}'><p>{{b}}</p></div>" * 100}),
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_other_pages_do_not_change(name: str) -> None:
    page = read_page(UNCHANGED[name])
    assert page.nodes.rows["h1"] == []
    assert "article" not in page.nodes.tag


NOT_JSON = [
    "<script>",
    "<script></script>" * 1000,
    "<script>" * 100_000,
    "<script>=[=[=[</script>" * 1000,
    f"<script>{'={' * 200_000}</script>",
    f"<script>{'=[1,' * 200_000}</script>",
    f"<script>x={'[' * 500_000}</script>",
    f"<script type=application/json>{'[' * 100_000}{']' * 100_000}</script>",
    "<script type=application/json>" + '{"a":' * 5_000 + "</script>",
    f"<script>x={json.dumps([[[{'text': 'a b'}] * 20] * 20] * 20)}</script>",
    f"<script>x='{quote(MARKUP)}'</script>",
    f"<script>x={json.dumps('[' * 3_000)}</script>",
    f"<script>x={json.dumps({'title': 5, 'headline': {'a': None}, 'body': [None, 3, [], {}, '', {'text': 4}]})}</script>"
    * 9,
]


@pytest.mark.parametrize("index", range(len(NOT_JSON)))
def test_odd_scripts_are_read_in_bounded_time(index: int) -> None:
    html_page = SHELL % NOT_JSON[index]
    assert isinstance(list(read_script_values(html_page)), list)
    assert broadsheet.extract(html_page).text in ("", "Loading")


@pytest.mark.parametrize("kind", ["application/json", "application/ld+json", "text/javascript"])
def test_number_with_more_digits_than_python_reads(kind: str) -> None:
    digits = "1" * (sys.get_int_max_str_digits() + 1)
    article = broadsheet.extract(SHELL % f'<script type="{kind}">x = {{"a": {digits}, "b": "{"c" * 400}"}}</script>')
    assert article.status != "failed"


def push(*rows: str) -> str:
    """Return the scripts that push a stream of server components, in pieces of 300 characters."""
    stream = "".join(rows)
    pieces = [stream[at : at + 300] for at in range(0, len(stream), 300)]
    return "".join(f"<script>self.__next_f.push([1,{json.dumps(piece)}])</script>" for piece in pieces)


ELEMENTS = [["$", "h1", None, {"children": TITLE}], *(["$", "p", None, {"children": [line]}] for line in PARAGRAPHS)]


@pytest.mark.parametrize(
    "scripts",
    [
        push('1:I["module"]\n', f'2:["$","$L1",null,{{"children":{json.dumps(ELEMENTS)}}}]\n', "3:null\n"),
        push(
            f"a:T{len(MARKUP.encode()):x},{MARKUP}", f'b:["$","div",null,{{"title":{json.dumps(TITLE)},"body":"$a"}}]\n'
        ),
        push(
            f"a:T{len(MARKUP.encode()):x},{MARKUP}",
            f'b:["$","h1",null,{{"children":"{TITLE}"}}]\n',
            'c:["$","div",null,{"dangerouslySetInnerHTML":{"__html":"$a"}}]\n',
        ),
    ],
)
def test_stream_of_server_components(scripts: str) -> None:
    article = broadsheet.extract(SHELL % scripts)
    assert article.text.split("\n") == PARAGRAPHS
    assert article.title == TITLE


def test_segments_that_a_script_moves() -> None:
    segment = f'<div hidden id="S:0"><h1>{TITLE}</h1>{MARKUP}</div><script>$RC("B:0","S:0")</script>'
    assert broadsheet.extract(SHELL % segment).text.split("\n") == PARAGRAPHS
