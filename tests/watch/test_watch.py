"""A watch over simulated days: each new, changed and vanished article once, through kill -9, with alarms."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.local_site import LocalSite, serve_site

from broadsheet.cli.app import run
from broadsheet.errors import UsageError
from broadsheet.watch import Watch, load_config
from broadsheet.watch.poll import PollReport

for package in ("fastfeedparser", "lxml"):
    pytest.importorskip(package, reason=f"{package} is not installed (extra discover)")

CONFIG = """\
output = "events.jsonl"
{top}

[sites.valley]
url = "{base}/"
allow_private = true
days = 4000
recheck = "4000d"
delay = 0
timeout = 60.0
max_pages = 20
silence = "36h"
{more}
"""


def make_site(article_count: int, layout_day: int | None = None) -> LocalSite:
    """A site on which every answer ends: a time limit that is short enough to test would be too short at times."""
    return LocalSite(article_count, layout_day=layout_day, slow_seconds=0.0, is_live_endless=False)


def write_config(folder: Path, site: LocalSite, *, top: str = "", more: str = "") -> Path:
    path = folder / "sites.toml"
    path.write_text(CONFIG.format(base=site.base, top=top, more=more), "utf-8")
    return path


def poll(config: Path, site: LocalSite) -> PollReport:
    with Watch(load_config(config), clock=lambda: site.now) as watch:
        (report,) = watch.poll()
    return report


def read_events(folder: Path) -> list[dict[str, Any]]:
    path = folder / "events.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def list_urls(events: list[dict[str, Any]], kind: str) -> list[str]:
    return sorted(event["url"] for event in events if event["event"] == kind)


def list_readable(site: LocalSite) -> list[str]:
    """Return the addresses of the articles of day 0 that can be fetched."""
    return sorted(set(site.list_allowed(0)) - {site.address_of(site.failing_number)})


def test_simulated_days(tmp_path: Path) -> None:
    """Four days, and a new layout on the third."""
    site = make_site(60, layout_day=3)
    with serve_site(site):
        config = write_config(tmp_path, site, top=f'webhook = "{site.base}/hook"')
        report = poll(config, site)
        events = read_events(tmp_path)
        assert list_urls(events, "new") == list_readable(site)
        assert (report.changed, report.vanished, report.alarms) == (0, 0, ())
        seen = len(events)

        for day in (1, 2):
            site.day = day
            today = site.events_of(day)
            report = poll(config, site)
            events = read_events(tmp_path)[seen:]
            seen += len(events)
            allowed = set(site.list_allowed())
            assert list_urls(events, "new") == sorted(set(map(site.address_of, today.new)) & allowed)
            assert list_urls(events, "changed") == sorted(map(site.address_of, today.changed))
            assert list_urls(events, "vanished") == sorted(map(site.address_of, today.vanished))
            assert report.alarms == ()
            for event in events:
                if event["event"] == "changed":
                    assert f"+Update of day {day}: the vote on case" in event["diff"]
                    assert "\n-" not in f"\n{event['diff']}"  # nothing was removed

        site.day = 3
        report = poll(config, site)
        events = read_events(tmp_path)[seen:]
        seen += len(events)
        assert "drift" in report.alarms  # within one poll
        alarms = [event for event in events if event["event"] == "alarm"]
        assert "drift" in [alarm["alarm"] for alarm in alarms]
        assert "the layout has changed" in next(alarm["message"] for alarm in alarms if alarm["alarm"] == "drift")
        assert list_urls(events, "changed") == []  # held back until the layout is learned again
        assert list_urls(events, "vanished") == sorted(map(site.address_of, site.events_of(3).vanished))

        report = poll(config, site)  # nothing happened since: no event again
        assert read_events(tmp_path)[seen:] == []
        assert "drift" in report.alarms
    sent = [json.loads(body) for path, body in site.received if path == "/hook"]
    assert [event["id"] for event in sent] == [alarm["id"] for alarm in alarms]
    assert site.count_forbidden_requests() == 0


def test_an_alarm_that_cannot_be_sent_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "sites.toml"
    closed = "http://127.0.0.1:9"  # the port "discard", on which nothing listens
    config.write_text(f'webhook = "{closed}/hook"\n[sites.a]\nurl = "{closed}/"\nallow_private = true\n', "utf-8")
    assert run(["watch", str(config), "--once", "--quiet", "--output", str(tmp_path / "events.jsonl")]) == 3
    assert f"cannot send an event: cannot post to {closed}/hook" in capsys.readouterr().err


def test_nothing_is_reported_twice_over_many_polls(tmp_path: Path) -> None:
    site = make_site(40)
    with serve_site(site):
        config = write_config(tmp_path, site)
        for _ in range(2):
            poll(config, site)
        count = len(site.requests)
        poll(config, site)
    assert max(Counter(list_urls(read_events(tmp_path), "new")).values()) == 1
    statuses = Counter(request.status for request in site.requests[count:])
    assert statuses[304] > 40  # unchanged pages are not sent again


def test_a_layout_that_is_learned_again(tmp_path: Path) -> None:
    site = make_site(40, layout_day=1)
    with serve_site(site):
        config = write_config(tmp_path, site)
        poll(config, site)
        site.day = 1
        assert "drift" in poll(config, site).alarms
        with Watch(load_config(config), clock=lambda: site.now) as watch:
            watch.relearn("valley")
            (report,) = watch.poll()
        assert "drift" not in report.alarms
    events = read_events(tmp_path)
    assert [event["alarm"] for event in events if event["event"] == "resolved"][:1] == ["drift"]


def test_a_request_for_consent_is_not_a_change(tmp_path: Path) -> None:
    """Neither is it an article: the page is tried again, and read when it can be."""
    site = make_site(20)
    with serve_site(site):
        config = write_config(tmp_path, site)
        first, second = site.stable_numbers[:2]
        address = site.address_of(first)
        site.walls = {first}
        for _ in range(6):  # more often than a page that fails is tried
            report = poll(config, site)
        assert f"{address}: the page only asks for consent to cookies" in report.problems
        assert address not in list_urls(read_events(tmp_path), "new")
        site.walls = {second}
        poll(config, site)
        events = read_events(tmp_path)
        assert list_urls(events, "new").count(address) == 1
        assert list_urls(events, "changed") == []


def test_an_address_that_leads_to_another_article(tmp_path: Path) -> None:
    """The text of the other article is not a change of this one."""
    site = make_site(20)
    with serve_site(site):
        config = write_config(tmp_path, site)
        first, second = site.stable_numbers[:2]
        address, other = site.address_of(first), site.address_of(second)
        poll(config, site)
        site.redirects = {first: second}
        poll(config, site)
        poll(config, site)
        (event,) = [event for event in read_events(tmp_path) if event["event"] != "new"]
        assert (event["event"], event["url"], event["reason"]) == ("vanished", address, f"it redirects to {other}")
        site.redirects = {}
        poll(config, site)
        assert list_urls(read_events(tmp_path), "returned") == [address]


def test_silence(tmp_path: Path) -> None:
    site = make_site(30)
    with serve_site(site):
        config = write_config(tmp_path, site)
        poll(config, site)
        frozen = site.list_articles(0)
        site.list_articles = lambda day=None: frozen  # type: ignore[method-assign]  # the editors are on strike
        site.day = 1
        assert poll(config, site).alarms == ()
        site.day = 2
        assert poll(config, site).alarms == ("silence",)
    (alarm,) = [event for event in read_events(tmp_path) if event["event"] == "alarm"]
    assert "no new article for 48.0 hours" in alarm["message"]


def test_unreachable(tmp_path: Path) -> None:
    site = make_site(30)
    with serve_site(site):
        config = write_config(tmp_path, site)
        poll(config, site)
    report = poll(config, site)
    assert report.alarms == ("unreachable",)
    assert "refused the connection" in report.problems[0] or "robots.txt cannot be read" in report.problems[0]


def run_command(config: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "broadsheet", "watch", str(config), "--once"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def kill_after(config: Path, site: LocalSite, requests: int, seconds: float) -> bool:
    """Run the command and kill it that many seconds after its nth request; return whether it was still running then.

    The site stops to answer soon after that request, so that no process is too fast to be killed.
    """
    site.hold_after(requests + 5)
    end = len(site.requests) + requests
    process = run_command(config)
    while len(site.requests) < end and process.poll() is None:
        time.sleep(0.001)
    time.sleep(seconds)
    process.kill()
    process.communicate()
    site.hold_after(None)
    return process.returncode == -signal.SIGKILL


def finish(config: Path) -> None:
    process = run_command(config)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors


@pytest.mark.processes
@pytest.mark.long
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """The process is killed again and again; in the end each article was reported once."""
    site = make_site(60)
    chance = random.Random(0)
    with serve_site(site):
        config = write_config(tmp_path, site)
        killed = [kill_after(config, site, requests, 0.05 * chance.random()) for requests in (1, 20, 40, 60, 50, 30)]
        assert killed[:3] == [True, True, True]
        finish(config)
        site.day = 1
        assert kill_after(config, site, 20, 0.05 * chance.random())
        finish(config)
    lines = (tmp_path / "events.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines]  # no line is broken
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    new = list_urls(events, "new")
    today = set(map(site.address_of, site.events_of(1).new)) & set(site.list_allowed())
    assert new == sorted({*list_readable(site), *today})
    assert list_urls(events, "changed") == sorted(map(site.address_of, site.events_of(1).changed))
    assert list_urls(events, "vanished") == sorted(map(site.address_of, site.events_of(1).vanished))


def test_one_process_at_a_time(tmp_path: Path) -> None:
    site = LocalSite(30)
    site.base = "http://127.0.0.1:9"
    config = load_config(write_config(tmp_path, site))
    with Watch(config), pytest.raises(UsageError, match="another broadsheet watch uses it"):
        Watch(config)


def test_other_files_as_state(tmp_path: Path) -> None:
    site = LocalSite(30)
    site.base = "http://127.0.0.1:9"
    config = load_config(write_config(tmp_path, site, top='state = "sites.toml"'))
    with pytest.raises(UsageError, match="not a database"):
        Watch(config)


def test_alerts_feed_and_digest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = make_site(12)
    with serve_site(site):
        top = f'webhook = "{site.base}/hook"\nwebhook_events = ["alert", "new"]\nfeed = "found.xml"'
        config = write_config(tmp_path, site, top=top, more='[alerts.council]\nwords = ["council", "vote"]')
        poll(config, site)
        poll(config, site)  # nothing is sent twice
    events = read_events(tmp_path)
    new, alerts = ([event for event in events if event["event"] == kind] for kind in ("new", "alert"))
    assert alerts
    assert {event["alert"] for event in alerts} == {"council"}
    assert all(event["matches"] for event in alerts)
    sent = [json.loads(body) for path, body in site.received if path == "/hook"]
    assert [event["id"] for event in sent] == [event["id"] for event in events if event["event"] in ("new", "alert")]
    entries = ET.parse(tmp_path / "found.xml").getroot().findall("{http://www.w3.org/2005/Atom}entry")
    assert len(entries) == len(new)
    addresses = {entry.findtext("{http://www.w3.org/2005/Atom}id") for entry in entries}
    assert addresses == {event["url"] for event in new}

    digest = tmp_path / "digest.md"
    assert run(["publish", str(tmp_path / "events.jsonl"), "-o", str(digest), "--alert", "council"]) == 0
    assert digest.read_text("utf-8").count("\n## ") == len({event["url"] for event in alerts})
    assert run(["publish", str(tmp_path / "events.jsonl"), "-o", str(digest), "--alert", "none"]) == 2
    assert run(["report", str(tmp_path / "events.jsonl"), "-o", str(tmp_path / "report.html")]) == 0
