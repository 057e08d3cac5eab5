import json
import time
from typing import ClassVar

import pytest

from broadsheet.page import Metadata, read_page


def metadata_of(html: str, url: str | None = None) -> Metadata:
    return read_page(html, url=url).metadata


def ld(*texts: str) -> str:
    return "".join(f'<script type="application/ld+json">{text}</script>' for text in texts)


HEADLINE = "Bridge opens after nine years"
ARTICLE = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": HEADLINE}


class TestJsonLd:
    @pytest.mark.parametrize(
        "text",
        [
            json.dumps(ARTICLE),
            json.dumps([ARTICLE]),
            json.dumps({"@graph": [{"@type": "WebSite", "name": "x"}, ARTICLE]}),
            json.dumps({"@type": "WebPage", "mainEntity": ARTICLE}),
            json.dumps({**ARTICLE, "@type": ["Thing", "http://schema.org/ReportageNewsArticle"]}),
            json.dumps({**ARTICLE, "headline": [HEADLINE]}),
            json.dumps({**ARTICLE, "headline": {"@value": HEADLINE, "@language": "en"}}),
            "<!-- " + json.dumps(ARTICLE) + " -->",
            "//<![CDATA[\n" + json.dumps(ARTICLE) + "\n//]]>",
            "/*<![CDATA[*/" + json.dumps(ARTICLE) + "/*]]>*/",
            json.dumps(ARTICLE) + ";",
            json.dumps(ARTICLE)[:-1] + ",}",
            '{"@type": "WebSite"} ' + json.dumps(ARTICLE),
            json.dumps({**ARTICLE, "description": "two\nlines"}).replace("\\n", "\n"),
            json.dumps({**ARTICLE, "description": "it~s"}).replace("~", "\\'"),
            json.dumps(ARTICLE).replace('"', "&quot;"),
        ],
    )
    def test_reads_common_forms_and_repairs_mistakes(self, text: str) -> None:
        assert metadata_of(ld(text)).article_texts("headline") == [HEADLINE]

    def test_reads_repeated_scripts_once(self) -> None:
        text = json.dumps(ARTICLE)
        assert len(metadata_of(ld(text, text)).json_ld.items) == 1

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "null",
            "42",
            '"text"',
            "{",
            '{"@type": ',
            '{"@type": null, "headline": "x"}',
            '{"@type": {"@type": {}}, "headline": 1}',
            "[" * 100_000,
            '{"a":' * 50_000 + "1" + "}" * 50_000,
            '{"@type": "Article", "headline": ' + "9" * 10_000 + "}",
            '{"@type": "Article", "headline": 1e400}',
            '{"@type": "Article", "headline": "\\ud83d"}',
            '{"@type": "Article", "author": {"@id": "#a"}, "@id": "#a"}',
        ],
    )
    def test_invalid_json_does_not_fail_or_hide_the_next_script(self, text: str) -> None:
        metadata = metadata_of(ld(text, json.dumps({"@type": "WebSite", "name": "The Daily Example"})))
        assert [item.texts("name") for item in metadata.json_ld.items if "WebSite" in item.types] == [
            ["The Daily Example"]
        ]
        for name in ("headline", "author", "datePublished"):
            metadata.article_texts(name)
            metadata.article_things(name)

    @pytest.mark.parametrize("value", [None, True, {}, [], [[[]]], [None, {}], {"@value": None}, {"name": 1}])
    def test_values_of_wrong_types_give_no_text(self, value: object) -> None:
        assert metadata_of(ld(json.dumps({**ARTICLE, "headline": value}))).article_texts("headline") == []

    def test_follows_references(self) -> None:
        graph = [
            {"@type": "Article", "headline": HEADLINE, "author": {"@id": "#p", "name": ""}},
            {"@type": "Person", "@id": "#p", "name": "Ada Example", "url": "/ada"},
        ]
        [author] = metadata_of(ld(json.dumps({"@graph": graph}))).article_things("author")
        assert not isinstance(author, str)
        assert author.texts("name") == ["Ada Example"]

    def test_skips_a_script_that_is_too_large(self) -> None:
        huge = json.dumps({"@type": "Article", "headline": "x" * 1_100_000})
        assert metadata_of(ld(huge, json.dumps(ARTICLE))).article_texts("headline") == [HEADLINE]


class TestChoiceOfArticle:
    OTHER: ClassVar = {
        "@type": "NewsArticle",
        "headline": "Another story of the day",
        "url": "https://example.org/other",
    }

    @pytest.mark.parametrize(
        "item",
        [
            {**ARTICLE, "url": "https://www.example.org/bridge/"},
            {**ARTICLE, "@id": "https://example.org/bridge#article"},
            {**ARTICLE, "mainEntityOfPage": {"@id": "http://example.org/bridge"}},
            {**ARTICLE, "mainEntityOfPage": "https://example.org/bridge"},
        ],
    )
    def test_chooses_the_item_with_the_address_of_the_page(self, item: dict[str, object]) -> None:
        metadata = metadata_of(ld(json.dumps([self.OTHER, item])), "https://example.org/bridge")
        assert metadata.article_texts("headline") == [HEADLINE]

    def test_chooses_the_item_whose_headline_is_in_the_title(self) -> None:
        metadata = metadata_of(f"<title>{HEADLINE} | Example</title>" + ld(json.dumps([self.OTHER, ARTICLE])))
        assert metadata.article_texts("headline") == [HEADLINE]

    @pytest.mark.parametrize("name", ["itemListElement", "hasPart", "mentions", "comment", "isPartOf"])
    def test_leaves_out_articles_that_are_only_mentioned(self, name: str) -> None:
        metadata = metadata_of(ld(json.dumps({**ARTICLE, name: [self.OTHER]})))
        assert metadata.article_texts("headline") == [HEADLINE]

    def test_number_of_comparisons_is_bounded(self) -> None:
        items = [{**self.OTHER, "headline": [f"{n} {'story ' * 10}{m}" for m in range(20)]} for n in range(450)]
        titles = "".join(f"<meta property=og:title content='{n} {'tale ' * 90}'>" for n in range(3_000))
        started = time.process_time()
        assert metadata_of(titles + ld(json.dumps(items))).articles == ()
        assert time.process_time() - started < 2

    def test_a_list_of_articles_is_not_the_article(self) -> None:
        items = [{**self.OTHER, "headline": f"Story number {n}", "url": f"/{n}"} for n in range(5)]
        assert metadata_of(ld(json.dumps(items))).articles == ()


class TestElements:
    @pytest.mark.parametrize(
        ("html", "name", "values"),
        [
            ('<meta name="Author" content="A">', "author", ("A",)),
            ('<meta property="og:title" content="A"><meta property="og:title" content="B">', "og:title", ("A", "B")),
            ('<meta property="og:title twitter:title" content="A">', "twitter:title", ("A",)),
            ('<meta property="http://ogp.me/ns/article#author" content="A">', "article:author", ("A",)),
            ('<meta name="author " value="A">', "author", ("A",)),
            ('<meta itemprop="datePublished" content="2021">', "datepublished", ("2021",)),
            ('<meta http-equiv="Content-Language" content="de">', "content-language", ("de",)),
            ('<meta name="author" content="">', "author", None),
            ("<meta name=author content>", "author", None),
        ],
    )
    def test_meta(self, html: str, name: str, values: tuple[str, ...] | None) -> None:
        assert metadata_of(html).meta.get(name) == values

    @pytest.mark.parametrize(
        ("html", "value"),
        [
            ("<span itemprop=headline> A  B </span>", "A B"),
            ("<span itemprop=headline content=A>B</span>", "A"),
            ("<a itemprop=headline href=/a>B</a>", "/a"),
            ("<img itemprop=headline src=/a>", "/a"),
            ("<time itemprop=headline datetime=2021-03-14>yesterday</time>", "2021-03-14"),
            ("<span property='schema:headline'>A</span>", "A"),
            ("<div itemprop=headline>" + "<p>word</p>" * 50 + "</div>", ""),
            ("<div itemprop=headline>" + "word " * 2_000 + "</div>", ""),
        ],
    )
    def test_microdata_value(self, html: str, value: str) -> None:
        [item] = metadata_of(html).microdata
        assert (item.name, item.value, item.scope) == ("headline", value, -1)

    @pytest.mark.parametrize(
        "html", [f"<i itemprop='{'author ' * 20_000}'>Ada</i>", "<i itemprop=author>Ada</i>" * 900]
    )
    def test_number_of_properties_is_bounded(self, html: str) -> None:
        assert len(metadata_of(html).microdata) == 500

    def test_number_of_values_is_bounded(self) -> None:
        metadata = metadata_of("<meta property='og:title' content=A>" * 900 + "<link rel=next href=/a>" * 900)
        assert (len(metadata.meta["og:title"]), len(metadata.links["next"])) == (200, 200)

    def test_microdata_belongs_to_items(self) -> None:
        html = """<div itemscope itemtype="https://schema.org/NewsArticle">
            <div itemprop=author itemscope itemtype=http://schema.org/Person><b itemprop=name>Ada</b></div>
            <b itemprop=headline>A</b></div><b itemprop=name>outside</b>"""
        author, name, headline, outside = metadata_of(html).microdata
        assert (author.type, author.value_type) == ("NewsArticle", "Person")
        assert (name.type, name.scope) == ("Person", author.row)
        assert (headline.type, outside.type) == ("NewsArticle", "")

    def test_language_title_links_and_anchors(self) -> None:
        html = """<html lang=de-AT><title> A
            title </title><base href=/base/><link rel="Canonical shortlink" href=/a>
            <a rel="nofollow author" href=/b>Ada</a>
            <svg><title>drawing</title></svg>"""
        metadata = metadata_of(html)
        assert (metadata.language, metadata.title) == ("de-AT", "A title")
        assert metadata.links["canonical"] == ("/a",)
        assert len(metadata.anchors["author"]) == 1

    def test_the_title_of_an_svg_image_is_not_the_page_title(self) -> None:
        assert metadata_of("<body><svg><title>drawing</title></svg><p>text").title == ""

    def test_an_empty_page_has_no_metadata(self) -> None:
        metadata = metadata_of("")
        assert (metadata.articles, metadata.meta, metadata.microdata, metadata.title) == ((), {}, (), "")
