"""Addresses: cleaned, so that an article under several of them is one find; and what their shape says."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from broadsheet.page import host_of, resolve_address
from broadsheet.site import simplify_address
from broadsheet.web import find_fault

_DEFAULT_PORTS = {"http": 80, "https": 443}
# Parameters that count visits and name campaigns; the page is the same without them.
_TRACKING = re.compile(
    r"utm_\w+|pk_\w+|mtm_\w+|at_\w+|ns_\w+|hsa_\w+|mc_[ce]id|fbclid|gclid|dclid|gbraid|wbraid|msclkid|twclid|yclid|"
    r"igshid|_ga|_gl|cmp|cmpid|ito|ref_?src|ftag|smid|smtyp|xtor|wt[._]\w+|spm|soc_src|soc_trk|partner|ncid|outputtype",
    re.IGNORECASE,
)
_AMP_ENDING = re.compile(r"(?:/amp|\.amp(?=\.html?$))", re.IGNORECASE)


def resolve_link(address: str, base: str | None) -> str | None:
    """Return the absolute form of an address that can be fetched, else None."""
    absolute = resolve_address(address, base)
    return absolute if absolute and find_fault(absolute) is None else None


def clean_address(address: str) -> str:
    """Remove fragment, tracking parameters and default port; write scheme and host in lower case."""
    parts = urlsplit(address.strip())
    query = parts.query
    if query:
        pairs = parse_qsl(query, keep_blank_values=True)
        kept = [(name, value) for name, value in pairs if not _TRACKING.fullmatch(name)]
        query = query if len(kept) == len(pairs) else urlencode(kept)
    host = parts.netloc.lower()
    if parts.port is not None and parts.port == _DEFAULT_PORTS.get(parts.scheme.lower()):
        host = host.removesuffix(f":{parts.port}")
    return urlunsplit((parts.scheme.lower(), host, parts.path or "/", query, ""))


def make_key(address: str) -> str:
    """Return the key by which addresses of the same article are equal.

    It has no scheme, "www.", final slash or AMP ending, and no percent-encoding.
    """
    key = unquote(simplify_address(clean_address(address)))
    return _AMP_ENDING.sub("", key) if _AMP_ENDING.search(key) and key.endswith(("/amp", ".html", ".htm")) else key


def is_same_site(address: str, host: str) -> bool:
    """Return whether an address is on the host or on a subdomain of it."""
    other = host_of(address)
    return other == host or other.endswith(f".{host}")


_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/_.]?(0?[1-9]|1[0-2])[-/_.]?(0[1-9]|[12]\d|3[01]|[1-9](?=[/_.-]))(?!\d)")
_MONTH = re.compile(r"/(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2]|[a-z]{3})(?=[/-])", re.IGNORECASE)
_FILE_ENDING = re.compile(r"\.(?:s?html?|php\d?|aspx?|jsp|cms|ece|stm|story|print)$", re.IGNORECASE)
_OTHER_ENDING = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|pdf|mp[34]|xml|rss|atom|json|zip|css|js|ico|txt)$", re.IGNORECASE
)
_LONG_NUMBER = re.compile(r"\d{5,}")
_SHORT_NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_TOKEN = re.compile(r"(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{8,}", re.IGNORECASE)  # letters and digits, as in an identifier
_WORD_BREAK = re.compile(r"[-_+.~ ,]+")
_ARTICLE_WORDS = frozenset("news story stories article articles blog post posts artikel noticias noticia a".split())
_LISTING_WORDS = frozenset(
    "tag tags topic topics category categories cat author authors autor autoren profile profiles people staff "
    "user users member page pages search suche login signin signup register subscribe subscription subscriptions "
    "account about about-us contact contacts contact-us kontakt impressum imprint privacy privacy-policy terms "
    "terms-of-service terms-and-conditions cookies cookie-policy legal advertise advertising jobs careers help "
    "faq archive archives archiv sitemap rss feed feeds newsletter newsletters podcast podcasts video videos "
    "gallery galleries photos events event calendar shop store cart press programme programmes schedule live "
    "weather wetter games horoscope section sections rubrik themen thema tema temas sujet etiqueta etiquetas "
    "label labels index home default".split()
)

# Folders without articles: 162 other pages and 2 articles in the train and dev splits.
_NO_ARTICLES = frozenset("tag tags author authors search suche category categories login signin register".split())
# Listings that contain no articles of their own, or that are better left alone.
_NO_SECTIONS = frozenset(
    "login signin sign-in signup register subscribe subscription subscriptions account about about-us contact "
    "contacts contact-us kontakt impressum imprint privacy privacy-policy terms terms-of-service "
    "terms-and-conditions cookies cookie-policy legal advertise advertising jobs careers help faq sitemap rss "
    "feed feeds newsletter newsletters shop store cart games horoscope search suche profile user users member "
    "author authors autor autoren staff tag tags wp-admin wp-login logout print".split()
)

# Names of the features, in the order of `measure_address`.
ADDRESS_FEATURES = (
    "has_day",  # 2024/03/16, 20240316
    "has_month",  # 2024/03/
    "slug_words",  # words in the last part with words, up to 8
    "has_long_slug",  # four words or more
    "has_short_slug",  # two or three words
    "has_article_word",  # a folder named news, story, blog, ...
    "has_long_number",  # five digits or more in the last part
    "has_query_number",  # five digits or more in the query
    "has_short_number",  # up to four digits in the last part
    "has_token",  # letters and digits mixed, eight or more
    "has_file_ending",  # .html, .php, ...
    "has_listing_word",  # a folder named tag, author, search, ...
    "ends_in_listing_word",
    "is_root",
    "is_one_word",  # the last part is one word of letters
    "has_query",
    "has_final_slash",
    "depth",  # number of folders, up to 6
    "path_chars",  # up to 120
)


def measure_address(address: str) -> tuple[float, ...]:
    """Return the features of an address, each between 0 and 1."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return (0.0,) * len(ADDRESS_FEATURES)
    path = unquote(parts.path)
    folders = [folder.lower() for folder in path.split("/") if folder]
    last = folders[-1] if folders else ""
    stem = _FILE_ENDING.sub("", last)
    words = max((_count_words(folder) for folder in folders[-2:]), default=0)
    return (
        float(_DAY.search(path) is not None),
        float(_MONTH.search(path) is not None),
        min(words, 8) / 8,
        float(words >= 4),
        float(2 <= words <= 3),
        float(not _ARTICLE_WORDS.isdisjoint(folders[:-1])),
        float(_LONG_NUMBER.search(last) is not None),
        float(_LONG_NUMBER.search(parts.query) is not None),
        float(_SHORT_NUMBER.search(last) is not None),
        float(_TOKEN.search(stem) is not None),
        float(stem != last),
        float(not _LISTING_WORDS.isdisjoint(folders[:-1])),
        float(stem in _LISTING_WORDS),
        float(not folders),
        float(stem.isalpha()),
        float(bool(parts.query)),
        float(path.endswith("/") and bool(folders)),
        min(len(folders), 6) / 6,
        min(len(path), 120) / 120,
    )


def names_no_article(address: str) -> bool:
    """Return whether an address names a file that is not a page, or is below a folder such as tag or author."""
    path = urlsplit(address).path
    folders = path.lower().split("/")[:-1] if not path.endswith("/") else path.lower().split("/")[:-2]
    return _OTHER_ENDING.search(path) is not None or not _NO_ARTICLES.isdisjoint(folders)


def names_no_section(address: str) -> bool:
    """Return whether a folder of an address rules out a list of articles: login, privacy, shop, ..."""
    return not _NO_SECTIONS.isdisjoint(folder.lower() for folder in urlsplit(address).path.split("/"))


def find_pattern(address: str) -> str:
    """Return the pattern of an address, which addresses of the same kind on a site share: "/s/0/0/0/w/"."""
    path = unquote(urlsplit(address).path)
    marks = [_classify(folder) for folder in path.split("/") if folder]
    return "/" + "/".join(marks) + ("/" if path.endswith("/") and marks else "")


def read_address_date(address: str) -> datetime | None:
    """Return the day in an address, such as /2024/03/16/."""
    match = _DAY.search(urlsplit(address).path)
    if match is None:
        return None
    try:
        return datetime(*map(int, match.groups()))  # type: ignore[arg-type]
    except ValueError:
        return None


def _classify(folder: str) -> str:
    stem = _FILE_ENDING.sub("", folder)
    ending = folder[len(stem) :].lower()
    if stem.isdigit():
        return f"0{ending}"
    return ("w" if _count_words(stem) >= 3 or _LONG_NUMBER.search(stem) else "s") + ending


def _count_words(folder: str) -> int:
    words = [word for word in _WORD_BREAK.split(_FILE_ENDING.sub("", folder)) if word and not word.isdigit()]
    if len(words) <= 2 and not folder.isascii():
        return max(len(words), len(folder) // 4)  # Chinese and Japanese do not separate words
    return len(words)
