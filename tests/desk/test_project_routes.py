"""The routes of a project, asked by a program."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from tests.desk.project_desk import API, RunningProject, run_project, run_without_project
from tests.project.site_pages import URL, is_appeal, make_page
from tests.server.running import run_service

from broadsheet.corpora import read_corpus
from broadsheet.desk.app import add_desk
from broadsheet.desk.projects import ProjectOpener, Refresh
from broadsheet.errors import InputError
from broadsheet.options import ExtractOptions
from broadsheet.project import PageEntry
from broadsheet.project.export import make_records

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def project(tmp_path: Path, shared: RunningProject) -> RunningProject:
    for page in shared.desk.project.list_pages():
        shared.desk.project.remove_page(page.hash)
    return shared


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProject]:
    with run_project(tmp_path_factory.mktemp("project") / "valley", max_body_bytes=1_000_000) as running:
        yield running


def test_pages_are_added_and_queued(project: RunningProject) -> None:
    page = project.add_page(1)
    assert project.post("/pages", html=make_page(1))["is_new"] is False
    queue = project.get("/queue")
    assert [(entry["hash"], entry["name"]) for entry in queue["queue"]] == [(page, "01.html")]
    assert "new template" in queue["queue"][0]["reasons"]
    summary = project.get()
    assert (summary["name"], summary["pages"], summary["done"], summary["default_run"]) == ("valley", 1, 0, None)


def test_a_file_keeps_its_character_set(project: RunningProject) -> None:
    html = '<meta charset="windows-1252"><title>Über Fähren</title><h1>Über Fähren</h1><p>Die Fähre fährt.</p>'
    file = base64.b64encode(html.encode("windows-1252")).decode()
    page = project.post("/pages", file=file, name="ferry.html")["page"]["hash"]
    assert "Die Fähre fährt." in [block["text"] for block in project.get(f"/pages/{page}")["blocks"]]
    answer = project.running.http.post(f"{API}/pages", json={"file": "a"})
    assert (answer.status_code, "file" in answer.json()["error"]) == (422, True)


def test_a_page_is_drawn_with_the_paths_of_its_blocks(project: RunningProject) -> None:
    page = project.add_page(1)
    view = project.get(f"/pages/{page}/view")
    assert view["paths"] == [block["path"] for block in project.get(f"/pages/{page}")["blocks"]]
    assert 'data-block="0"' in view["html"]
    assert "Content-Security-Policy" in view["html"]


def test_corrections_change_other_pages_at_once_and_undo_takes_them_back(project: RunningProject) -> None:
    first, second = project.add_page(1), project.add_page(2)
    blocks = project.get(f"/pages/{first}")["blocks"]
    path = next(block["path"] for block in blocks if is_appeal(block["text"]))
    answer = project.post(f"/pages/{first}/roles", roles={path: "boilerplate"})
    (effect,) = answer["effects"]
    assert (effect["hash"], effect["changed"], effect["examples"][0]["to"]) == (second, 1, "boilerplate")
    assert project.post("/undo") == {"page": first}
    assert project.get(f"/pages/{first}")["blocks"] == blocks
    assert project.get(f"/pages/{first}")["changed_pages"] == 0
    assert project.post("/undo") == {"page": None}


def test_fields_and_type_are_labelled(project: RunningProject) -> None:
    page = project.add_page(1)
    answer = project.post(f"/pages/{page}/fields", title="Bridge", authors=["Ruth"], who="tomas")
    assert (answer["fields"]["title"], answer["fields"]["authors"]) == ("Bridge", ["Ruth"])
    assert answer["labelled_fields"] == ["authors", "title"]
    assert project.post(f"/pages/{page}/type", page_type="other")["page_type"] == "other"
    assert project.post(f"/pages/{page}/accept")["is_done"]
    assert not project.post(f"/pages/{page}/reopen")["is_done"]
    assert project.post("/undo", who="tomas") == {"page": page}
    assert project.get(f"/pages/{page}")["fields"]["title"] != "Bridge"
    project.post(f"/pages/{page}/remove")
    assert project.get()["pages"] == 0


def test_the_export_is_read_by_eval(project: RunningProject, tmp_path: Path) -> None:
    page, other = project.add_page(1), project.add_page(2)
    assert project.correct(page)["next"] == other
    response = project.running.http.get(f"{API}/export")
    (tmp_path / "labels.jsonl").write_bytes(response.content)
    (record,) = read_corpus(tmp_path / "labels.jsonl")
    assert record.url == URL.format(number=1)
    assert record.text is not None
    assert len(record.text.splitlines()) == 3


def test_people_agree_on_pages_that_both_have_accepted(project: RunningProject) -> None:
    page = project.add_page(1)
    path = next(block["path"] for block in project.get(f"/pages/{page}")["blocks"] if is_appeal(block["text"]))
    project.post(f"/pages/{page}/accept", who="Ann")
    assert project.get("/runs/agreement") == []
    project.post(f"/pages/{page}/reopen", who="Ben")
    project.post(f"/pages/{page}/roles", roles={path: "unsure"}, who="Ben")
    project.post(f"/pages/{page}/accept", who="Ben")
    (row,) = project.get("/runs/agreement")
    assert (row["people"], row["pages"]) == (["Ann", "Ben"], 1)
    assert row["agreement"] == pytest.approx(1 - 1 / row["blocks"])
    assert 0 < row["kappa"] < 1


def test_notes_are_in_the_queue_and_not_learned(project: RunningProject) -> None:
    page = project.add_page(1)
    project.post(f"/pages/{page}/fields", note="ask Ann about the box")
    (queued,) = project.get("/queue")["queue"]
    assert queued["note"] == "ask Ann about the box"
    project.post(f"/pages/{page}/accept")
    (record,) = make_records(project.desk.project)
    assert (record["id"], "note" in record) == ("valley/01.html", False)


def test_health_has_every_page(project: RunningProject) -> None:
    for number in range(3):
        project.add_page(number)
    (site,) = project.get("/health")
    assert (site["host"], len(site["measurements"]), site["recent"]) == ("valley.example", 3, 3)
    assert site["confidence"] > 0.5


def test_retraining_needs_pages(project: RunningProject) -> None:
    project.correct(project.add_page(1))
    response = project.running.http.post(f"{API}/runs", json={})
    assert response.status_code == 422
    assert response.json() == {"error": "retraining needs 10 articles that are done; the project has 1"}


@pytest.mark.thorough
def test_the_whole_loop(project: RunningProject) -> None:
    for number in range(10):
        project.correct(project.add_page(number))
    run = project.post("/runs")["id"]
    assert project.running.http.post(f"{API}/runs", json={}).status_code == 422  # one at a time
    result = wait_for_end(project, run)
    assert result["status"] == "done", result["log"]
    measures = {row["name"]: row for row in result["comparison"]["measures"]}
    assert measures["word_f1"]["pages"] >= 1
    assert measures["word_f1"]["low"] <= measures["word_f1"]["change"] <= measures["word_f1"]["high"]
    assert measures["word_f1"]["after"] >= measures["word_f1"]["before"]
    assert project.post(f"/runs/{run}/use") == {"default_run": run}
    weights = project.desk.project.folder / "weights" / "fusion" / "config.json"
    assert weights.is_file()
    deadline = time.monotonic() + 200
    while project.get()["refresh"]["is_running"] and time.monotonic() < deadline:
        time.sleep(0.2)
    assert project.get()["refresh"] == {"done": 10, "total": 10, "error": "", "is_running": False}
    assert project.running.http.post(f"{API}/runs/{run}/discard", json={}).status_code == 422  # in use
    assert project.post("/runs/0/use") == {"default_run": None}
    project.post(f"/runs/{run}/discard")
    assert project.get("/runs")[0]["status"] == "discarded"
    assert not weights.exists()


@pytest.mark.thorough
def test_a_run_can_be_cancelled(project: RunningProject) -> None:
    for number in range(10):
        project.correct(project.add_page(number))
    run = project.post("/runs")["id"]
    assert project.post(f"/runs/{run}/cancel")["status"] == "cancelled"
    assert project.running.http.post(f"{API}/runs/{run}/use", json={}).status_code == 422
    assert project.running.http.post(f"{API}/runs/{run}/cancel", json={}).status_code == 422


def wait_for_end(project: RunningProject, run: int) -> Any:
    deadline = time.monotonic() + 400
    while time.monotonic() < deadline:
        answer = project.get(f"/runs/{run}")
        if answer["status"] != "running":
            return answer
        time.sleep(0.3)
    pytest.fail("the retraining does not end")


# Requests that are refused

NO_PAGE = "0" * 64


@pytest.mark.parametrize(
    ("path", "body", "headers", "code"),
    [
        ("/undo", b"{}", {}, 415),  # what another web page can send without asking
        ("/undo", b"{}", {"Content-Type": "text/plain"}, 415),
        ("/undo", b"a=1", {"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ("/undo", b"{}", {**JSON, "Origin": "https://evil.example"}, 403),
        ("/undo", b"{}", {**JSON, "Sec-Fetch-Site": "cross-site"}, 403),
        ("/undo", b"{", JSON, 422),
        ("/undo", b"[]", JSON, 422),
        ("/undo", b'{"whom": "x"}', JSON, 422),
        ("/undo", b'{"who": ""}', JSON, 422),
        ("/pages", b"{}", JSON, 422),
        ("/pages", b'{"url": "file:///etc/passwd"}', JSON, 422),
        ("/pages", b'{"url": "http://127.0.0.1/"}', JSON, 403),
        ("/pages", b'{"html": 3}', JSON, 422),
        ("/pages", b'{"html": "' + b"x" * 1_100_000 + b'"}', JSON, 413),
        (f"/pages/{NO_PAGE}/accept", b"{}", JSON, 404),
        ("/pages/PAGE/roles", b'{"roles": {}}', JSON, 422),
        ("/pages/PAGE/roles", b'{"roles": {"/html": "body"}}', JSON, 422),
        ("/pages/PAGE/roles", b'{"roles": {"/html": "headline"}}', JSON, 422),
        ("/pages/PAGE/fields", b'{"date": "yesterday"}', JSON, 422),
        ("/pages/PAGE/type", b'{"page_type": "forum"}', JSON, 422),
        ("/runs", b'{"start": "../../etc"}', JSON, 422),
        ("/runs/7/use", b"{}", JSON, 422),
        ("/runs/x/use", b"{}", JSON, 422),
        ("/runs/7/cancel", b"{}", JSON, 422),
    ],
)
def test_bad_requests_get_one_clear_line(
    project: RunningProject, path: str, body: bytes, headers: dict[str, str], code: int
) -> None:
    page = project.add_page(1)
    before = project.get(f"/pages/{page}")
    response = project.running.http.post(API + path.replace("PAGE", page), content=body, headers=headers)
    assert response.status_code == code, response.text
    error = response.json()["error"]
    assert error
    assert "\n" not in error
    assert project.get(f"/pages/{page}") == before


def test_other_web_pages_cannot_read_either(project: RunningProject) -> None:
    response = project.running.http.get(f"{API}/export", headers={"Origin": "https://evil.example"})
    assert response.status_code == 403


def test_the_token_of_the_service_protects_the_project(tmp_path: Path) -> None:
    with run_project(tmp_path / "valley", token="secret") as protected:
        http = protected.running.http
        assert http.get(API).status_code == 401
        assert http.post(f"{API}/undo", json={}).status_code == 401
        assert http.get(API, headers={"Authorization": "Bearer secret"}).status_code == 200


def test_without_a_project_the_answer_says_what_to_do() -> None:
    with run_service(add_routes=add_desk) as running:
        response: httpx.Response = running.http.get(f"{API}/queue")
        assert response.status_code == 404
        assert "--project" in json.loads(response.text)["error"]
        summary = running.http.get(API)
        assert (summary.status_code, summary.json()) == (200, {"name": None, "can_open": False, "folder": None})
        refused = running.http.post(f"{API}/open", json={"folder": "any"})
        assert (refused.status_code, "--project" in refused.json()["error"]) == (403, True)


def test_a_project_is_opened_once(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file.txt").touch()
    with run_without_project() as running:

        def open_folder(folder: str | None) -> tuple[int, str]:
            answer = running.http.post(f"{API}/open", json={"folder": folder})
            return answer.status_code, answer.json().get("error") or answer.json()["name"]

        assert running.http.get(API).json()["can_open"] is True
        for folder in ("", " ", str(tmp_path / "other" / "file.txt")):
            assert open_folder(folder) == (422, "name a folder for the project, such as my-project")
        code, line = open_folder(str(tmp_path / "other"))
        assert (code, "has other files in it" in line) == (422, True)
        assert open_folder(str(tmp_path / "new" / "mine")) == (200, "mine")
        assert running.http.post(f"{API}/samples", json={}).json() == {"added": 6}
        assert running.http.post(f"{API}/samples", json={}).json() == {"added": 0}
        assert running.http.get(API).json()["pages"] == 6
        assert open_folder(None)[0] == 422


def test_after_the_trial_a_project_is_opened(tmp_path: Path) -> None:
    with run_without_project() as running:
        assert running.http.post(f"{API}/open", json={"folder": None}).status_code == 200
        assert running.http.get(API).json()["is_trial"] is True
        assert running.http.post(f"{API}/open", json={"folder": str(tmp_path / "mine")}).json() == {"name": "mine"}
        assert running.http.get(API).json()["is_trial"] is False
        assert running.http.post(f"{API}/open", json={"folder": None}).status_code == 422


def test_a_trial_project_is_deleted_at_the_end() -> None:
    with ProjectOpener(ExtractOptions()) as opener:
        trial = opener.open(None)
        assert opener.open(None) is trial  # asked for in a second tab: the labels are there
        folder = trial.project.folder
        assert (folder / "project.sqlite").is_file()
    assert not folder.exists()


def test_a_page_that_fails_does_not_end_a_refresh(project: RunningProject, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [project.desk.project.find_page(project.add_page(number)) for number in (1, 2, 3)]
    extract_again, extracted = project.desk.project.extract_again, []

    def fail_once(page: PageEntry) -> None:
        if page == pages[1]:
            raise InputError("not a page")
        extract_again(page)
        extracted.append(page)

    monkeypatch.setattr(project.desk.project, "extract_again", fail_once)
    project.desk.refresh = Refresh(0, len(pages))
    project.desk._extract_all(pages, project.desk.refresh)
    assert extracted == [pages[0], pages[2]]
    assert project.desk.refresh == Refresh(3, 3, f"{pages[1].name}: not a page")


def test_a_page_that_is_removed_meanwhile_does_not_end_a_refresh(project: RunningProject) -> None:
    gone, kept = project.add_page(1), project.add_page(2)
    desk = project.desk
    pages = desk.project.list_pages()
    desk.project.remove_page(gone)
    desk.refresh = Refresh(0, len(pages))
    desk._extract_all(pages, desk.refresh)
    assert (desk.refresh.is_running, desk.refresh.error) == (False, "")
    with desk.project.store.read() as database:
        assert database.execute("SELECT count(*) FROM measurements WHERE page = ?", (kept,)).fetchone()[0] == 2
