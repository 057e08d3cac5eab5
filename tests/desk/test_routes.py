"""The routes of the desk, asked by a program."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from tests.server.running import HARBOUR, TITLE, Running, run_service

from broadsheet.desk.app import add_desk
from broadsheet.desk.open_pages import SAMPLES
from broadsheet.desk.static_files import load_files
from broadsheet.methods import methods

API = "/desk/api"


def open_harbour(desk: Running) -> str:
    (page,) = desk.post(f"{API}/files?name=harbour.html", content=HARBOUR).json()
    return str(page["id"])


# The front end


class References(HTMLParser):
    """Collects the addresses in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value for name, value in attrs if name in ("src", "href") and value]


def test_the_page_names_only_own_files_and_has_a_strict_policy(desk: Running) -> None:
    answer = desk.http.get("/")
    assert answer.status_code == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "http" not in policy
    references = References()
    references.feed(answer.text)
    assert len(references.addresses) >= 4
    for address in references.addresses:
        assert desk.http.get(address).status_code == 200
        assert address.startswith("/desk/static/")


def test_files_have_the_right_types_and_no_addresses_of_other_hosts(desk: Running) -> None:
    types = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    for path, file in load_files().items():
        answer = desk.http.get(f"/desk/static/{path}")
        assert answer.content == file.content
        if path.rpartition(".")[2] in types:
            assert answer.headers["Content-Type"].startswith(types[path.rpartition(".")[2]])
        if path.endswith((".js", ".css", ".html")) and path != "lib/preact.js":
            hosts = [part for part in answer.text.split("https://")[1:] if not part.startswith(("example.org", "${"))]
            assert not hosts, path


def test_an_unchanged_file_is_not_sent_again(desk: Running) -> None:
    etag = desk.http.get("/").headers["ETag"]
    answer = desk.http.get("/", headers={"If-None-Match": etag})
    assert (answer.status_code, answer.content) == (304, b"")


@pytest.mark.parametrize("path", ["none.js", "../app.py", "%2e%2e/app.py", "views", ""])
def test_other_files_are_not_served(desk: Running, path: str) -> None:
    answer = desk.http.get(f"/desk/static/{path}")
    assert answer.status_code == 404
    assert list(answer.json()) == ["error"]


def test_licences_of_the_library_are_in_the_package() -> None:
    files = load_files()
    assert b"MIT" in files["lib/LICENSE.preact.txt"].content
    assert b"Apache License" in files["lib/LICENSE.htm.txt"].content
    assert b"unchanged" in files["lib/README.md"].content


# Who may ask


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 403),
    ],
)
def test_other_web_pages_are_refused(desk: Running, headers: dict[str, str], code: int) -> None:
    answer = desk.post(f"{API}/pages", json={"html": "<p>Text</p>"}, headers=headers)
    assert answer.status_code == code


def test_its_own_origin_is_accepted(desk: Running) -> None:
    headers = {"Origin": desk.address}
    assert desk.post(f"{API}/pages", json={"html": "<p>Text</p>"}, headers=headers).status_code == 200


def test_with_a_token_the_page_is_open_and_the_interface_is_not() -> None:
    with run_service(add_routes=add_desk, token="secret") as running:
        assert running.http.get("/").status_code == 200
        assert running.http.get("/desk/static/app.js").status_code == 200
        assert running.http.get(f"{API}/samples").status_code == 401
        headers = {"Authorization": "Bearer secret"}
        assert running.http.get(f"{API}/samples", headers=headers).status_code == 200


def test_a_service_without_the_desk_has_no_part_of_it() -> None:
    with run_service() as running:
        assert "broadsheet serve --desk" in running.http.get("/").text
        assert running.http.get("/desk/api/samples").status_code == 404


# Pages


def test_a_page_is_opened_viewed_and_extracted(desk: Running) -> None:
    page = open_harbour(desk)
    assert desk.http.get(f"{API}/pages/{page}").json() == {
        "id": page, "name": "harbour.html", "url": None, "has_gold": False,
    }  # fmt: skip
    view = desk.http.get(f"{API}/pages/{page}/view").json()
    extraction = desk.http.get(f"{API}/pages/{page}/extractions/fusion").json()
    assert len(view["blocks"]) == len(extraction["roles"]) == len(extraction["scores"]) == len(extraction["kept"])
    title = extraction["roles"].index("title")
    assert view["blocks"][title]["text"] == TITLE
    assert f'data-block="{title}"' in view["html"]
    fields = {field["name"]: field for field in extraction["fields"]}
    assert (fields["title"]["value"], fields["title"]["source"]) == (TITLE, "json-ld")
    assert 0 < fields["title"]["confidence"] <= 1
    assert "<img" not in extraction["html"]


def test_all_methods_give_an_opinion_of_every_block(desk: Running) -> None:
    page = open_harbour(desk)
    answer = desk.http.get(f"{API}/pages/{page}/extractions?by={','.join(methods())}").json()
    assert [result["key"] for result in answer["results"]] == list(methods())
    assert {len(result["roles"]) for result in answer["results"]} == {len(answer["results"][0]["lengths"])}
    assert not any(result["error"] for result in answer["results"])
    assert 0 < answer["disagreement"] < 0.5
    assert "html" not in answer["results"][0]


@pytest.mark.parametrize("html", ["<html></html>", "%PDF-1.7 no page"])
def test_advice_names_nothing_of_the_command_line_or_python(desk: Running, html: str) -> None:
    page = desk.post(f"{API}/pages", json={"html": html}).json()["id"]
    extraction = desk.http.get(f"{API}/pages/{page}/extractions/fusion").json()
    assert extraction["status"] in ("empty", "failed")
    assert not any(name in extraction["advice"] for name in ("--", "Article.", "sources["))


def test_fusion_gives_reasons(desk: Running) -> None:
    page = open_harbour(desk)
    extraction = desk.http.get(f"{API}/pages/{page}/extractions/fusion").json()
    reasons = desk.http.get(f"{API}/pages/{page}/reasons/fusion").json()
    assert len(reasons) == len(extraction["roles"])
    effects = [abs(reason["effect"]) for reason in reasons[extraction["roles"].index("body")]]
    assert effects == sorted(effects, reverse=True)
    assert effects[0] > 0.1


def test_gold_gives_scores(desk: Running) -> None:
    samples = desk.http.get(f"{API}/samples").json()
    assert [page["has_gold"] for page in samples] == [sample.file != "front" for sample in SAMPLES]
    answer = desk.http.get(f"{API}/pages/{samples[0]['id']}/extractions?by=fusion,twcem").json()
    scores = {result["key"]: result["gold"] for result in answer["results"]}
    assert scores["fusion"].keys() == {"precision", "recall", "f1", "exact"}
    assert 0.5 < scores["twcem"]["f1"] <= 1
    assert scores["fusion"]["f1"] > 0.95
    assert answer["gold_kept"] == answer["results"][0]["kept"]


def test_gold_can_be_set(desk: Running) -> None:
    page = open_harbour(desk)
    assert desk.post(f"{API}/pages/{page}/gold", content="Über uns".encode()).json()["has_gold"]
    (result,) = desk.http.get(f"{API}/pages/{page}/extractions?by=twcem").json()["results"]
    assert result["gold"]["f1"] < 0.1


def test_a_collection_lists_its_pages(desk: Running) -> None:
    page = open_harbour(desk)
    sample = desk.http.get(f"{API}/samples").json()[0]["id"]
    made = desk.post(f"{API}/collections", json={"name": "Two", "pages": [page, sample, "unknown"]}).json()
    assert [row["id"] for row in made["pages"]] == [page, sample]
    assert desk.http.get(f"{API}/collections/{made['id']}").json() == made


def test_rows_of_a_collection_are_counted_without_pages_that_were_dropped(desk: Running) -> None:
    page = open_harbour(desk)
    made = desk.post(f"{API}/collections", json={"name": "Two", "pages": [*["gone"] * 20, page]}).json()
    assert [row["id"] for row in desk.http.get(f"{API}/collections/{made['id']}/rows").json()] == [page]
    assert desk.http.get(f"{API}/collections/{made['id']}/rows?start=1").json() == []


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "message"),
    [
        ("GET", "/pages/0000", b"", 404, "this page is no longer in memory; open it again"),
        ("GET", "/pages/0000/view", b"", 404, "this page is no longer in memory"),
        ("GET", "/collections/0000", b"", 404, "no longer in memory"),
        ("POST", "/pages", b"", 422, "the body is empty"),
        ("POST", "/pages", b"{}", 422, "pass html or url"),
        ("POST", "/pages", b"{", 422, "the body is not valid JSON"),
        ("POST", "/pages", b'{"htm": 1}', 422, "unknown name 'htm'"),
        ("POST", "/pages", b'{"url": "ftp://a.example"}', 422, "ftp"),
        ("POST", "/pages", b'{"url": "http://127.0.0.1:1/"}', 403, "127.0.0.1"),
        ("POST", "/files?name=a.pdf", b"%PDF-1.7", 422, "a.pdf is a PDF"),
        ("POST", "/files", b"x" * 2_000_001, 413, "larger than"),
        ("GET", "/pages/SAMPLE/extractions/metod", b"", 422, "unknown method 'metod'"),
        ("GET", "/pages/SAMPLE/reasons/twcem", b"", 422, "twcem gives no reasons; fusion does"),
    ],
)
def test_wrong_requests_get_one_line(
    desk: Running, method: str, path: str, body: bytes, code: int, message: str
) -> None:
    sample = desk.http.get(f"{API}/samples").json()[0]["id"]
    answer = desk.http.request(method, API + path.replace("SAMPLE", sample), content=body)
    assert answer.status_code == code
    line = answer.json()["error"]
    assert message in line
    assert "\n" not in line


@pytest.mark.parametrize("html", ["", " ", "<html></html>", "<p>", "<frameset><frame src=a></frameset>"])
def test_pages_without_text(desk: Running, html: str) -> None:
    body = json.dumps({"html": html})
    page = desk.post(f"{API}/pages", content=body.encode()).json()["id"]
    view = desk.http.get(f"{API}/pages/{page}/view")
    extraction = desk.http.get(f"{API}/pages/{page}/extractions/fusion")
    assert view.status_code == extraction.status_code == 200
    assert extraction.json()["status"] != "ok"


def test_rows_of_the_page_table(desk: Running) -> None:
    (page,) = desk.http.post("/desk/api/files?name=a.html", content=HARBOUR).json()
    body = {"name": "two", "pages": [page["id"], "0" * 16]}
    collection = desk.http.post("/desk/api/collections", json=body).json()["id"]
    (row,) = desk.http.get(f"/desk/api/collections/{collection}/rows").json()
    assert (row["id"], row["title"], row["status"], row["date"]) == (page["id"], TITLE, "ok", "2024-03-16")
    assert row["words"] > 100
    assert 0 < row["exactness"] < 1 < row["confidence"] + 0.1
    assert desk.http.get(f"/desk/api/collections/{collection}/rows?start=2").json() == []


def test_formats_of_an_article(desk: Running) -> None:
    (page,) = desk.http.post("/desk/api/files?name=a.html", content=HARBOUR).json()
    formats = desk.http.get(f"/desk/api/pages/{page['id']}/formats/fusion").json()
    assert formats["record"]["title"] == TITLE
    assert "**thirty-eight miles**" in formats["markdown"]
    assert desk.http.get(f"/desk/api/pages/{page['id']}/formats/none").status_code == 422


def test_a_saved_page_that_has_lost_its_style_sheets(desk: Running) -> None:
    for html, is_bare in ((b"<link rel=stylesheet href=a.css><p>Text.</p>", True), (b"<p>Text.</p>", False)):
        (page,) = desk.http.post("/desk/api/files?name=a.html", content=html).json()
        assert desk.http.get(f"/desk/api/pages/{page['id']}/view").json()["is_bare"] is is_bare
