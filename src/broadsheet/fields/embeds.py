"""Videos, posts and graphics of other sites: which frames show one, and the address that a reader can open."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from broadsheet.fields.value import FigureKind
from broadsheet.page import strip_www
from broadsheet.text.patterns import compile_later

_KINDS: dict[FigureKind, str] = {
    "video": """
        youtube.com youtube-nocookie.com vimeo.com dailymotion.com players.brightcove.net jwplatform.com jwplayer.com
        kaltura.com twitch.tv ted.com streamable.com rumble.com rutube.ru vk.com ok.ru wistia.com wistia.net
        bilibili.com v.qq.com youku.com nicovideo.jp mediasite.com loom.com""",
    "audio": """
        soundcloud.com spotify.com podcasts.apple.com simplecast.com megaphone.fm buzzsprout.com acast.com libsyn.com
        audioboom.com anchor.fm art19.com spreaker.com bandcamp.com podbean.com""",
    "post": """
        twitter.com x.com facebook.com instagram.com tiktok.com reddit.com redditmedia.com bsky.app threads.net t.me
        linkedin.com truthsocial.com""",
    "embed": """
        dwcdn.net datawrapper.de flourish.studio infogram.com maps.google.com google.com openstreetmap.org scribd.com
        documentcloud.org tableau.com giphy.com slideshare.net arcgis.com knightlab.com thinglink.com""",
}
_KIND_OF_HOST: dict[str, FigureKind] = {host: kind for kind, hosts in _KINDS.items() for host in hosts.split()}
# Frames of these hosts that are not content: buttons, follow boxes, login.
_PATHS = {
    "youtube.com": compile_later(r"/(?:embed|v|shorts)/(?!videoseries)([\w-]{6,20})"),
    "youtube-nocookie.com": compile_later(r"/embed/([\w-]{6,20})"),
    "vimeo.com": compile_later(r"/(?:video/)?(\d{4,12})"),
    "twitter.com": compile_later(r"/embed/|/status/"),
    "x.com": compile_later(r"/embed/|/status/"),
    "facebook.com": compile_later(r"/plugins/(?:post|video)|/posts/|/videos/"),
    "instagram.com": compile_later(r"/(?:p|reel|tv)/"),
    "linkedin.com": compile_later(r"/embed/"),
    "google.com": compile_later(r"/maps"),
}
_WATCH_ADDRESS = {
    "youtube.com": "https://www.youtube.com/watch?v={}",
    "youtube-nocookie.com": "https://www.youtube.com/watch?v={}",
    "vimeo.com": "https://vimeo.com/{}",
}
_TWEET_ID = compile_later(r"\d{5,25}")


def find_kind(url: str) -> FigureKind | None:
    """Return the kind of a frame by its address; None for frames that are not content, such as advertisements."""
    host, path = _split(url)
    site = _find_site(host)
    if not site or ((pattern := _PATHS.get(site)) and not pattern.search(path)):
        return None
    return "video" if site == "facebook.com" and "/plugins/video" in path else _KIND_OF_HOST[site]


def find_page(url: str) -> str:
    """Return the address of the page that a frame shows: of the video instead of its player, if that is known."""
    host, path = _split(url)
    site = _find_site(host)
    if (template := _WATCH_ADDRESS.get(site)) and (match := _PATHS[site].search(path)):
        return template.format(match[1])
    query = parse_qs(urlsplit(url).query)
    if site == "facebook.com" and query.get("href", [""])[0].startswith("https://"):
        return query["href"][0]
    if site in ("twitter.com", "x.com") and _TWEET_ID.fullmatch(tweet := query.get("id", [""])[0]):
        return f"https://{site}/i/status/{tweet}"
    return url


def _split(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        return strip_www(parts.hostname or ""), parts.path
    except ValueError:  # for example, a broken IPv6 host
        return "", ""


def _find_site(host: str) -> str:
    """Return the listed host that a host belongs to; "" if none."""
    labels = host.split(".")
    names = (".".join(labels[index:]) for index in range(max(len(labels) - 4, 0), len(labels) - 1))
    return next((name for name in names if name in _KIND_OF_HOST), "")
