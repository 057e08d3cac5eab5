"""The bookmarklet: sends the page that the browser shows to the desk, after a click of the user.

The bookmarklet runs in the other page and submits a form to `POST /desk/clip`, in a new tab. Any web page can do that,
so the answer changes nothing here: it is a page with the address that was sent and a button. The button, on the desk's
own origin, opens the page through the interface that checks the origin. The page is never stored before that, and is
sent back as escaped text.
"""

from __future__ import annotations

import json
from html import escape
from string import Template

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from broadsheet.desk.state import DeskOf
from broadsheet.desk.static_files import PAGE_HEADERS
from broadsheet.server.body import read_body
from broadsheet.server.refusal import Refusal
from broadsheet.web import find_fault

router = APIRouter(prefix="/desk/clip", include_in_schema=False)

# text/plain sends the page unchanged; the last field ends with the body. Fields are in this order.
_BOOKMARKLET = Template(
    "javascript:(()=>{const f=document.createElement('form');f.method='post';f.action=$address;f.target='_blank';"
    "f.enctype='text/plain';f.acceptCharset='utf-8';"
    "for(const[n,v]of[['url',location.href],['html',document.documentElement.outerHTML]])"
    "{const i=document.createElement('textarea');i.name=n;i.value=v;f.append(i)}"
    "f.hidden=true;document.documentElement.append(f);f.submit();f.remove()})()"
)
_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>$title · Broadsheet desk</title>
<link rel="icon" href="/desk/static/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/desk/static/style.css">
<script src="/desk/static/theme.js"></script><script type="module" src="/desk/static/clip.js"></script></head>
<body><header class="masthead"><a class="brand" href="/">Broadsheet</a></header>
<main class="clip"><h1>$title</h1>
$body
</main></body></html>
""")
_INSTALL = Template("""<p>Drag this link to the bookmarks bar of your browser:
<a class="button" href="$bookmarklet">Send to Broadsheet</a></p>
<p>On a news page, click the bookmark. The page opens in the desk as your browser shows it, after logging in and with
the text that scripts have loaded. The desk must be running at <code>$origin</code>.</p>
<p class="note">Some sites forbid forms to other addresses. Save such a page and drop the file on the desk.</p>""")
_CONFIRM = Template("""<p>Open this page in the desk? It was sent by your browser: $size characters of</p>
<p><code id="address">$url</code></p>
<p><button class="primary" id="open" disabled>Open in the desk</button> <a href="/">No</a></p>
<p class="note" id="message">If you did not click the bookmark, another page sent this. Nothing is stored so far.</p>
<textarea id="page" hidden>
$html</textarea>""")


@router.get("")
def get_bookmarklet(request: Request) -> Response:
    """Return a page with the bookmarklet."""
    origin = f"{request.url.scheme}://{request.url.netloc}"
    bookmarklet = _BOOKMARKLET.substitute(address=json.dumps(f"{origin}/desk/clip"))
    body = _INSTALL.substitute(bookmarklet=escape(bookmarklet), origin=escape(origin))
    return _answer("Send pages to the desk", body)


@router.post("")
async def confirm_page(request: Request, desk: DeskOf) -> Response:
    """Return a page that asks whether to open the page that was sent. Nothing is stored."""
    # Only as the document of a tab: not in a frame, and not for a script, which could not read the answer anyway.
    if request.headers.get("Sec-Fetch-Dest", "document") != "document":
        raise Refusal(403, "pages are sent to the desk by its bookmarklet, in a tab of their own")
    body = await read_body(request, desk.service.settings)
    url, html = _read_form(body.decode("utf-8", "replace"))
    page = _CONFIRM.substitute(size=f"{len(html):,}", url=escape(url or "(no address)"), html=escape(html))
    return _answer("Open a page", page)


def _read_form(body: str) -> tuple[str, str]:
    """Return address and HTML. Raises Refusal (422)."""
    first, separator, rest = body.partition("\r\n")
    if not (first.startswith("url=") and separator and rest.startswith("html=")):
        raise Refusal(422, "this is not a page from the bookmarklet; install it again from /desk/clip")
    url = first.removeprefix("url=")
    return ("" if find_fault(url) else url), rest.removeprefix("html=").removesuffix("\r\n")


def _answer(title: str, body: str) -> Response:
    headers = {**PAGE_HEADERS, "Cache-Control": "no-store"}
    return Response(_PAGE.substitute(title=title, body=body), headers=headers, media_type="text/html; charset=utf-8")
