"""The public surface: names that users rely on, what they cost, and how it is extended."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import broadsheet
from broadsheet.blocks import Blocks, Labels, Role
from broadsheet.errors import UnknownMethod, UsageError
from broadsheet.page import Page

SAMPLE = Path(__file__).parents[1] / "examples" / "pages" / "harbour.html"


def test_public_names() -> None:
    assert set(broadsheet.__all__) == {
        "Article",
        "AsyncClient",
        "Block",
        "BroadsheetError",
        "Capture",
        "Chunk",
        "Client",
        "Comment",
        "Doubt",
        "ExtractOptions",
        "Image",
        "Limits",
        "Role",
        "Site",
        "Status",
        "discover",
        "extract",
        "extract_many",
        "extract_url",
        "extract_url_async",
        "methods",
        "read_captures",
        "to_arrow",
        "write_articles",
    }


USE_IN_ANY_ORDER = """
import os, sys, broadsheet
broadsheet.extract("")
for name in sys.argv[1:]:
    if os.fork() == 0:  # in a copy of the process, in which no name was used
        first = getattr(broadsheet, name)
        import broadsheet.methods.registry, broadsheet.cli
        assert getattr(broadsheet, name) is first and name in dir(broadsheet), name
        print(name, broadsheet.methods()[0], flush=True)
        os._exit(0)
    assert os.wait()[1] == 0, name
"""


def test_public_names_in_any_order() -> None:
    """Each is there whatever was used before; one has the name of a folder, which must not take its place."""
    names = [*broadsheet.__all__, "arrow"]
    command = [sys.executable, "-c", USE_IN_ANY_ORDER, *names]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == [f"{name} {broadsheet.methods()[0]}" for name in names]


def test_methods_is_a_function_and_a_package() -> None:
    import broadsheet.methods.fusion.features as features

    assert broadsheet.methods() == sys.modules["broadsheet.methods"].methods()
    assert vars(broadsheet)["methods"] is sys.modules["broadsheet.methods"]
    assert features.FEATURE_NAMES


def test_no_such_name() -> None:
    with pytest.raises(AttributeError, match="module 'broadsheet' has no attribute 'extrakt'"):
        broadsheet.extrakt  # type: ignore[attr-defined]  # noqa: B018


def test_import_is_light() -> None:
    heavy = (
        "torch sklearn numpy rich typer dateparser lxml playwright fastapi rapidfuzz turbohtml httpx httpcore "
        "pyarrow pandas xlsxwriter fastwarc fastfeedparser protego".split()
    )
    code = f"import broadsheet, sys; print(sorted(set({heavy}) & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_sample_page() -> None:
    article = broadsheet.extract(SAMPLE.read_bytes())
    assert article.title == "Harbour ferry returns after eleven years"
    assert article.authors == ("Imogen Hale", "Tomas Reyes")
    assert article.date is not None
    assert article.date.isoformat() == "2024-03-16T08:30:00+00:00"
    assert article.date_modified is not None
    assert article.language == "en"
    assert article.site_name == "The Saltmarsh Courier"
    assert article.section == "Local"
    assert article.url == "https://courier.example/news/2024/03/harbour-ferry-returns"
    assert article.images[0].url == "https://courier.example/img/ferry.jpg"
    assert "thirty-eight miles" in article.text
    assert "**thirty-eight miles**" in article.markdown
    assert '<a href="https://courier.example/news/2023/10/ferry-shares">' in article.html
    assert "cookies" not in article.text
    assert "Oyster" not in article.text
    assert article.sources["authors"] == "json-ld"


def test_headline_is_not_in_the_text() -> None:
    """Also where the method takes another title, or the heading is not marked up as one."""
    html = "<title>Cats, they win | Paper</title><meta property=og:title content='Cats, they win'><h1>Paper</h1><div>"
    article = broadsheet.extract(html + "<b>Cats, they win.</b></div><p>Some cats, they say, win.</p>")
    assert "Cats, they win" not in article.text
    assert "Some cats, they say, win." in article.text
    assert article.blocks[1].role == "title"


def test_home_page_names_the_article() -> None:
    home = "<a href='/a'>Read</a><a href='https://www.x.example/a/'>Cats win, the cup</a><a href='/b'>Other</a>"
    page = "<title>Other, thing</title><p>Ad, first.</p><p>The cats did win.</p><p>Some, text.</p>"
    article = broadsheet.extract(page, url="https://x.example/a", method="twcem", home=home)
    assert article.labels is not None
    assert article.labels.title == "Cats win, the cup"


def test_unknown_method_lists_the_known() -> None:
    with pytest.raises(UnknownMethod, match=r"unknown method 'twecm'; known: .*twcem"):
        broadsheet.extract("<p>x", method="twecm")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"html": None}, "html must be str or bytes, not NoneType"),
        ({"html": Path("page.html")}, "html must be str or bytes, not PosixPath; pass path.read_bytes()"),
        ({"html": "", "url": 3}, "url must be str or None, not int"),
        ({"html": "", "charset": b"x"}, "charset must be str or None, not bytes"),
        ({"html": "", "home": 3}, "home must be str | bytes or None, not int"),
        ({"html": "", "limits": 3}, "limits must be broadsheet.Limits, not int"),
        ({"html": "", "images": "no"}, "images must be True or False, not 'no'"),
        ({"html": "", "render": 1}, "render must be True or False, not 1"),
        (
            {"html": "", "max_seconds": 3},
            "unknown option 'max_seconds'; pass limits=broadsheet.Limits(max_seconds=...)",
        ),
    ],
)
def test_wrong_types_are_told_plainly(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        broadsheet.extract(**arguments)


@pytest.mark.parametrize("html", ["page.html", "https://x.example/story", "../a/b.HTM "])
def test_a_name_instead_of_a_page_is_warned_of(html: str) -> None:
    with pytest.warns(UserWarning, match="looks like an address or a file name"):
        article = broadsheet.extract(html)
    assert article.status == "failed"
    assert article.status_reason == "the page is an address or a file name, not HTML; read the page first"
    assert broadsheet.extract(html.encode()).status == "failed"


class Odd:
    """Gives whatever labels it is told to."""

    name = "odd"

    def __init__(self, roles: int, scores: list[float]) -> None:
        self.labels = Labels([Role.BODY] * roles, scores)

    def label(self, page: Page, blocks: Blocks) -> Labels:
        return self.labels


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (7, "method must be a name or an object with .name and .label(page, blocks), not 7"),
        (Odd, "method is a class; pass an object: method=Odd()"),
        (Odd(1, [1.0]), "method 'odd' returned 1 roles and 1 scores for 2 blocks"),
        (Odd(2, [1.0]), "method 'odd' returned 2 roles and 1 scores for 2 blocks"),
        (Odd(2, [0.5, math.nan]), "method 'odd' returned a score that is not between 0 and 1"),
        (Odd(2, [0.5, 1.5]), "method 'odd' returned a score that is not between 0 and 1"),
    ],
)
def test_wrong_methods_are_told_plainly(method: Any, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        broadsheet.extract("<p>a</p><p>b</p>", method=method)


@pytest.mark.parametrize(
    ("url", "found", "source"),
    [
        (None, "https://courier.example/news/2024/03/harbour-ferry-returns", "link"),
        ("https://mirror.example/a", "https://mirror.example/a", "given"),
        ("notaurl", "https://courier.example/news/2024/03/harbour-ferry-returns", "link"),
        ("javascript:alert(1)", "https://courier.example/news/2024/03/harbour-ferry-returns", "link"),
    ],
)
def test_address(url: str | None, found: str, source: str) -> None:
    article = broadsheet.extract(SAMPLE.read_bytes(), url=url)
    assert (article.url, article.sources["url"]) == (found, source)


def test_a_method_that_does_not_load(tmp_path: Path) -> None:
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[broadsheet.methods]\nbroken = no_such_module:Broken\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nfrom broadsheet.cli import main; main()"
    command = [sys.executable, "-c", code, "extract", str(SAMPLE), "-m", "broken"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert (
        ran.stderr
        == "broadsheet: method 'broken' does not load: ModuleNotFoundError: No module named 'no_such_module'\n"
    )


PLUGIN = '''
from broadsheet.blocks import Labels, Role

class Everything:
    """Calls every block article text."""

    name = "everything"

    def label(self, page, blocks):
        return Labels([Role.BODY] * len(blocks), [0.5] * len(blocks))
'''


def test_a_method_from_another_package(tmp_path: Path) -> None:
    """One file and an entry point: listed and used, with no change to Broadsheet."""
    (tmp_path / "everything_method.py").write_text(PLUGIN)
    info = tmp_path / "everything-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: everything\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[broadsheet.methods]\neverything = everything_method:Everything\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import broadsheet\n"
        "print(broadsheet.methods()[-1], broadsheet.extract('<p>a</p><p>b</p>', method='everything').text.split())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "everything ['a', 'b']"


def test_a_method_given_as_an_object() -> None:
    from broadsheet.methods.twcem import Twcem, TwcemConfig

    standfirst = "The passenger ferry between Saltmarsh and Quay Island"  # shares one word with the title
    article = broadsheet.extract(SAMPLE.read_bytes(), method=Twcem(TwcemConfig.microblog()), corrections=False)
    assert article.method == "twcem"
    assert standfirst in article.text
    assert standfirst not in broadsheet.extract(SAMPLE.read_bytes(), method="twcem", corrections=False).text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%PDF-1.7\n%\xe2\xe3", "the page is a PDF, not HTML"),
        (b"PK\x03\x04\x14\x00", "the page is a ZIP archive, not HTML"),
        (b"\x89PNG\r\n\x1a\n", "the page is a PNG image, not HTML"),
        (b"\x1f\x8b\x08", "the page is a gzip archive, not HTML"),
        (b"\x00\x00\x01\x02\x03" * 200, "the page is binary data, not HTML"),
    ],
)
def test_other_files_fail_with_a_reason(data: bytes, reason: str) -> None:
    article = broadsheet.extract(data, "https://x.example/a")
    assert (article.status, article.sources, article.text) == (broadsheet.Status.FAILED, {"status": reason}, "")
    assert article.status.is_failure


def test_unknown_methods_are_named_with_the_closest() -> None:
    with pytest.raises(UnknownMethod, match=r"unknown method 'Fuson'; known: .*; did you mean 'fusion'\?"):
        broadsheet.extract("<p>x", method="Fuson")
