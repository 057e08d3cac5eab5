"""A generated news site on this machine, for tests of discovery, watching and crawling.

    site = LocalSite()                 # 300 articles on day 0
    with serve_site(site) as base:     # http://127.0.0.1:PORT
        ...
        site.day = 1                   # the next day: new, changed and vanished articles

`python -m tests.local_site` serves it for trying things by hand.
"""

from tests.local_site.articles import LocalArticle
from tests.local_site.server import serve_site
from tests.local_site.site import DayEvents, LocalSite

__all__ = ["DayEvents", "LocalArticle", "LocalSite", "serve_site"]
