"""Mistakes in the configuration are one line that names the file, the place and the mistake."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from broadsheet.article import Article
from broadsheet.errors import UsageError
from broadsheet.watch import WatchAlert, load_config

SITE = '[sites.a]\nurl = "https://a.example/"\n'


def test_settings(tmp_path: Path) -> None:
    path = tmp_path / "sites.toml"
    path.write_text(
        'output = "events.jsonl"\nevery = "90s"\n'
        + SITE
        + 'silence = "12h"\nfields = ["title", "authors"]\ntemplate = "a.json"\n',
        "utf-8",
    )
    config = load_config(path)
    (site,) = config.sites
    assert (site.name, site.url, site.silence) == ("a", "https://a.example/", timedelta(hours=12))
    assert site.fields == ("title", "authors")
    assert site.template == tmp_path / "a.json"
    assert config.every == timedelta(seconds=90)
    assert config.output == tmp_path / "events.jsonl"
    assert config.state == tmp_path / "sites.sqlite"
    assert config.cache_folder == tmp_path / "sites.sqlite.cache"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", r"sites has no site; add a table"),
        ("sites = 3", r"sites has no site"),
        ("[sites]\na = 3", r"sites\.a must be a table"),
        ("[sites.a]", r"sites\.a\.url is missing"),
        ('[sites.a]\nurl = "a.example"', r"sites\.a\.url = 'a\.example': only http and https"),
        ("[sites.a]\nurl = 3", r"sites\.a\.url = 3: must be a text in quotes"),
        ('[sites."a b"]\nurl = "https://a.example"', r"sites\.a b is not a name"),
        ("outptu = 3\n" + SITE, r"unknown setting 'outptu'.*did you mean 'output'"),
        (SITE + "dely = 1", r"unknown setting 'sites\.a\.dely'.*did you mean 'delay'"),
        (SITE + "delay = -1", r"sites\.a\.delay = -1: must be a number of at least 0"),
        (SITE + "max_new = 0", r"sites\.a\.max_new = 0: must be an integer of at least 1"),
        (SITE + 'allow_private = "yes"', r"sites\.a\.allow_private = 'yes': must be true or false"),
        (SITE + "silence = 12", r'sites\.a\.silence = 12: must be a duration such as "90s"'),
        (SITE + "min_confidence = 5", r"sites\.\w+\.min_confidence = 5: must be a number from 0 to 1"),
        (SITE + 'fields = ["titel"]', r"unknown field 'titel'.*did you mean 'title'"),
        (SITE + 'fields = "title"', r"must be a list of texts"),
        (SITE + "days = 1e9", r"sites\.a\.days = 1000000000\.0: must be at most 36500"),
        (SITE + 'recheck = "99999999999999d"', r"sites\.a\.recheck = .*: must be at most 36500 days"),
        ('every = "0s"\n' + SITE, r"every must be longer than 0"),
        ('webhook = "x"\n' + SITE, r"webhook = 'x': only http and https"),
        ('webhook_events = ["nwe"]\n' + SITE, r"webhook_events = .*unknown event 'nwe'.*did you mean 'new'"),
        (SITE + "[alerts.a]", r"alerts\.a needs words"),
        (SITE + '[alerts.a]\nwords = [" "]', r"alerts\.a needs words"),
        (SITE + '[alerts.a]\nwrods = ["x"]', r"unknown setting 'alerts\.a\.wrods'.*did you mean 'words'"),
        (SITE + "[alerts]\na = 3", r"alerts\.a must be a table"),
        ("[sites.a\nx", r"is not valid TOML: .*line 1"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "sites.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=reason) as caught:
        load_config(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        load_config(tmp_path / "sites.toml")
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        load_config(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("words", "authors", "matches"),
    [
        (("ferry",), (), ["ferry"]),
        (("quay ISLAND",), (), ["quay ISLAND"]),  # also across a line end
        (("ferr", "island ferries"), (), []),  # whole words
        ((), ("reyes",), ["reyes"]),
        (("bridge",), ("Ann Reyes",), ["Ann Reyes"]),
        (("船", "กรุงเทพ", "서울", "AI 疫情"), (), ["船", "กรุงเทพ", "서울", "AI 疫情"]),
    ],
)
def test_alerts(words: tuple[str, ...], authors: tuple[str, ...], matches: list[str]) -> None:
    text = "It sails to Quay\nIsland. 渡船回來了 ข่าวกรุงเทพวันนี้ 서울에서 最新AI 疫情"
    values = {"title": "Ferry returns", "text": text, "authors": ["Ann Reyes"], "status": "ok", "confidence": 1.0}
    article = Article.from_dict(values)
    assert WatchAlert("a", words, authors).find_matches(article) == matches
