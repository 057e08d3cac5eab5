"""Generated pages of one site: an appeal for support inside the text, in other words on every page."""

from __future__ import annotations

URL = "https://valley.example/news/{number}"
_PLACES = ("Carrow", "Millford", "Ashby", "Thornton", "Wexley", "Harrow End", "Norbury", "Stanwick")
_TEXT = """\
<p>The council of {place} voted on Tuesday to repair the old bridge over the river, after {people} residents had signed
a petition that asked for it. Work begins in the first week of May and lasts until the end of summer.</p>
<p>The bridge was built in {year} and carries the road to the station. Lorries have been banned from it for {few} years,
and the bus to {place} takes a detour of two miles along the valley.</p>
<p>The engineer who inspected the arches said that {few} of them need new stones. The quarry that supplied the first
builders is still open, so the colour of the stones will match, she told the meeting.</p>
<div class="story-text"><p>Reporting from {place} is paid for by {many} households who give what they can. In the last
{few} years they paid for every morning in the council chamber, and for the walks along the river on which this story
was found.</p></div>"""
_PAGE = """\
<!doctype html><html lang=en><head><title>Bridge of {place} to be repaired | Valley Post</title></head><body>
<div class="top"><a href="/">Valley Post</a><ul><li><a href="/c">Council</a></li><li><a href="/s">Sport</a></li></ul></div>
<div class="main"><div class="story"><h1>Bridge of {place} to be repaired</h1>
<div class="meta">By Ruth Okafor, {day} March 2024</div>{text}</div>
<div class="side"><h4>Related</h4><ul><li><a href="/1">More from Carrow</a></li></ul></div></div>
<div class="foot"><p>Valley Post, 4 Mill Lane. About us. Privacy.</p></div></body></html>"""


def make_page(number: int) -> str:
    """Return a page. Methods take its last paragraph, the appeal, for text."""
    place = _PLACES[number % len(_PLACES)]
    counts = {"people": 120 + 17 * number, "many": 400 + 31 * number, "few": number + 3, "year": 1850 + number}
    return _PAGE.format(place=place, day=number % 28 + 1, text=_TEXT.format(place=place, **counts))


def is_appeal(text: str) -> bool:
    """Return whether a block is the appeal."""
    return text.startswith("Reporting from")
