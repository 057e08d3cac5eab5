"""Discovery: the addresses of a site's articles, from feeds, sitemaps, home and section pages. Extra `discover`."""

from broadsheet.discovery.crawl import discover, discover_async
from broadsheet.discovery.find import DiscoverOptions, Discovery, Find, Origin, Problem

__all__ = ["DiscoverOptions", "Discovery", "Find", "Origin", "Problem", "discover", "discover_async"]
