"""`broadsheet site`, and what `broadsheet extract` makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import broadsheet
from broadsheet.cli.app import run
from broadsheet.site import SiteConfig

NOTICE = "Subscribe to our letter, and read what happened in the town while you slept, every morning at six."
PAGE = """<html><head><title>Story {0} of many</title><link rel=canonical href="https://{1}/news/{0}"></head><body>
<div class=top>Menu</div><h1>Story {0} of many</h1><p>This is story {0}, and it is as long as a story has to be to count as one.</p>
<p>{2}</p><p>It ends here, story {0} does, after many words that no other story has, and {0} of them are odd.</p></body></html>"""


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages of two sites; one says the same on all of them."""
    for host, notice in (("a.example", NOTICE), ("b.example", "Note {0}, on its own.")):
        folder = tmp_path / "crawl" / host
        folder.mkdir(parents=True)
        for number in range(5):
            (folder / f"{number}.html").write_text(PAGE.format(number, host, notice.format(number)))
    (tmp_path / "home.html").write_text("<base href=https://a.example/><a href=/news/3>The third story, told</a>")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_learn_show_and_extract(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["site", "learn", "crawl/a.example", "--home", "home.html", "-o", "site.json"]) == 0
    assert "template 1: 5 pages of 5" in capsys.readouterr().out
    assert run(["site", "show", "site.json", "crawl/a.example/1.html", "home.html"]) == 3  # has changed
    shown = capsys.readouterr().out
    assert "site.json: 5 pages seen" in shown
    assert "1 address named by links" in shown
    assert "crawl/a.example/1.html: drift 0.00, the same layout" in shown
    assert shown.endswith(", the layout has changed\n")
    assert run(["site", "show", "site.json", "missing.html"]) == 1
    assert capsys.readouterr().err.startswith("broadsheet: cannot read missing.html")
    assert run(["extract", "crawl/a.example/1.html", "--site", "site.json", "--method", "stadynot"]) == 0
    text = capsys.readouterr().out
    assert "This is story 1" in text
    assert NOTICE not in text


def test_more_pages_later(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = [f"crawl/a.example/{number}.html" for number in (0, 1)]
    rest = [f"crawl/a.example/{number}.html" for number in (2, 3, 4)]
    assert run(["site", "learn", *first, "-o", "part.json", "-q"]) == 0
    assert run(["site", "learn", *rest, "--into", "part.json", "-q"]) == 0
    assert run(["site", "learn", "crawl/a.example", "-o", "whole.json", "-q"]) == 0
    assert capsys.readouterr().out == ""
    assert broadsheet.Site.load("part.json") == broadsheet.Site.load("whole.json")


def test_by_site(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", "crawl", "--by-site", "--method", "stadynot", "-j", "1"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["source_file"] for record in records] == [
        f"crawl/{h}.example/{n}.html" for h in "ab" for n in range(5)
    ]
    assert [NOTICE in record["text"] or "on its own" in record["text"] for record in records] == [False] * 5 + [
        True
    ] * 5


def test_show_as_json(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["site", "learn", "crawl/a.example", "-o", "site.json", "-q"]) == 0
    assert run(["site", "show", "site.json", "crawl/a.example", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {name: shown[name] for name in ("site", "pages_seen", "templates", "has_changed")} == {
        "site": "site.json", "pages_seen": 5, "templates": 1, "has_changed": False
    }  # fmt: skip
    first = {"source": "crawl/a.example/0.html", "drift": 0.0, "has_changed": False, "problem": ""}
    assert shown["pages"][0] == first
    assert run(["site", "show", "site.json", "home.html", "missing.html", "--json"]) == 3
    shown = json.loads(capsys.readouterr().out)
    assert [page["has_changed"] for page in shown["pages"]] == [shown["has_changed"], False] == [True, False]
    assert shown["pages"][1]["problem"] == "cannot read missing.html: no such file; check the name"


def test_what_cannot_be_read_is_told(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["site", "learn", "crawl/a.example", "missing.html", "-o", "site.json", "-q"]) == 1
    assert capsys.readouterr().err == "broadsheet: cannot read missing.html: no such file; check the name\n"
    assert broadsheet.Site.load("site.json").pages == 5


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["site", "learn", "crawl"], "add -o FILE"),
        (["site", "learn", "missing.html", "-o", "x.json"], "nothing was learned"),
        (["site", "learn", "crawl", "--into", "home.html"], "or not a saved site"),
        (["site", "show", "missing.json"], "No such file"),
        (["extract", "crawl", "--site", "x", "--by-site"], "leave --site out"),
        (["extract", "-", "--by-site"], "stdin can be read once"),
    ],
)
def test_wrong_calls(arguments: list[str], reason: str, crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert reason in capsys.readouterr().err
    assert not (crawl / "x.json").exists()


def test_share_is_part_of_a_saved_site(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["site", "learn", "crawl/a.example", "--share", "1", "-o", "site.json", "-q"]) == 0
    assert broadsheet.Site.load("site.json").config.min_share == 1.0
    assert run(["site", "learn", "crawl/a.example", "--share", "1", "--into", "site.json"]) == 2
    assert "leave it out" in capsys.readouterr().err


def test_a_site_is_learned_as_published(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["site", "learn", "crawl/a.example", "--published", "-o", "site.json", "-q"]) == 0
    assert broadsheet.Site.load("site.json").config == SiteConfig()
    assert run(["extract", "crawl/a.example", "--site", "site.json", "--method", "stadynot-published"]) == 0
    assert run(["site", "learn", "crawl/a.example", "--published", "--into", "site.json"]) == 2
    assert "--published was set when the site was first learned" in capsys.readouterr().err


def test_a_group_without_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["site"]) == 2
    assert capsys.readouterr().err == "broadsheet: a command is missing; see broadsheet site --help\n"
