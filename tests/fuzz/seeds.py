"""Pages that mutation starts from: those of examples/, one that uses every feature, and one that scripts fill in."""

from __future__ import annotations

from functools import cache
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "pages"
FULL_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Ferry stays in service | The Courier</title>
<meta property="og:title" content="Ferry stays in service"><meta property="og:type" content="article">
<meta property="article:published_time" content="2021-05-12T10:00:00+02:00"><meta name="author" content="Jane Doe">
<meta name="description" content="The council voted to keep the ferry."><meta name="keywords" content="ferry, council">
<meta property="og:image" content="/ferry.jpg"><link rel="canonical" href="https://x.example/news/ferry">
<link rel="stylesheet" href="/style.css"><base href="https://x.example/news/">
<style>body{font:16px/1.5 serif;margin:0 auto;width:60em}.menu{float:left;display:flex}.hidden{display:none}
@media screen and (min-width:40em){p{color:#333}}@layer a,b;h1{font-size:2em;background:rgb(1,2,3)}</style>
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"NewsArticle","@id":"#a",
"headline":"Ferry stays in service","datePublished":"2021-05-12T10:00:00+02:00","dateModified":"2021-05-13",
"author":[{"@type":"Person","name":"Jane Doe"},{"@id":"#p"}],"isAccessibleForFree":false,
"publisher":{"@type":"Organization","name":"The Courier"},"image":{"@type":"ImageObject","url":"/ferry.jpg"}},
{"@type":"Person","@id":"#p","name":"John Roe"}]}</script></head>
<body><header class="menu"><nav><ul><li><a href="/">Home</a></li><li><a href="/sport">Sport</a></li></ul></nav></header>
<main><article itemscope itemtype="https://schema.org/NewsArticle"><h1 itemprop="headline">Ferry stays in service</h1>
<p class="byline">By <a rel="author" href="/jane">Jane Doe</a>, <time datetime="2021-05-12T10:00">12 May 2021</time></p>
<p><b>The council met on Tuesday</b>, and after a long debate it voted to keep the <a href="/ferry">ferry</a>.</p>
<figure><img src="ferry.jpg" srcset="a.jpg 1x, b.jpg 2x" alt="The ferry"><figcaption>The ferry, in May.</figcaption>
</figure><h2>What happens next</h2><p>The ferry <i>sails again</i> on Monday, <code>x &lt; y</code>, said the mayor.<br>
It was late.</p><blockquote><p>We are glad, all of us.</p></blockquote><ul><li>One ship</li><li>Two ships<ol><li>Three
</li></ol></li></ul><table><tr><th>Year</th><th>Ships</th></tr><tr><td>2020</td><td colspan="2">3</td></tr></table>
<pre>ferry  sails
  again</pre><p style="display:none">Hidden text, never shown.</p><template shadowrootmode="open"><p>Shadow.</p></template>
</article><aside class="related"><h3>More news</h3><p><a href="/a">Another story, of another day</a></p></aside>
<section id="comments"><h3>Comments</h3><div class="comment"><p>Good news, at last. I take it every day.</p></div>
</section></main><footer><p>© 2021 The Courier. All rights reserved.</p></footer><noscript><p>No scripts.</p></noscript>
<svg><title>Icon</title><path d="M0 0"/></svg><math><mi>x</mi></math></body></html>
"""
# The text is only in the data of scripts (page/script_body.py).
DATA_PAGE = """<title>Ferry stays in service | The Courier</title><div id=root>Loading</div>
<script>window.__STATE__={"menu":[{"title":"Sport","url":"/sport"}],"article":{"title":"Ferry stays in service","blocks":[
{"type":"paragraph","children":[{"text":"The council met on Tuesday, and after a long debate it voted to keep the ferry."}]},
{"type":"heading","children":[{"text":"What happens next"}]},{"type":"paragraph","data":{"text":"The ferry sails again on
Monday, said the mayor, who was late; the old quay will be closed until the crane has been tested in a storm."}},
{"_type":"block","style":"normal","children":[{"_type":"span","text":"Tickets cost four crowns for adults and two crowns for
children; bicycles travel free until the autumn, when the council will meet again to look at the figures."}]},"The ferry is forty years old, and a new one would cost more than the town earns in a year;
the state has promised to pay half of it, if the islands pay the other half.","Nobody asked the fishermen."],"user":
undefined}};</script><script type="application/json">{"body":"<p>One.</p><p>Two &amp; three.</p>"}</script>
"""


@cache
def load_seed_pages() -> tuple[str, ...]:
    """Return the pages, in a fixed order."""
    examples = [path.read_text("utf-8", "replace") for path in sorted(EXAMPLES.rglob("*.html"))]
    return (FULL_PAGE, DATA_PAGE, *examples)
