"""Discovery: the addresses of a site's articles, from feeds, sitemaps, home and section pages. Extra `discover`."""

from broadsheet.discovery.discover import discover, discover_async
from broadsheet.discovery.find import Discovery, Find, Origin, Problem
from broadsheet.discovery.options import DiscoverOptions

__all__ = ["DiscoverOptions", "Discovery", "Find", "Origin", "Problem", "discover", "discover_async"]
