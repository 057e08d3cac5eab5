"""Site mode: learn the template of a site from many of its pages, and remove it from each."""

from broadsheet.site.home import find_link_titles, read_link_titles, simplify_address
from broadsheet.site.site import Drift, Site, Sites
from broadsheet.site.template import SiteConfig

__all__ = ["Drift", "Site", "SiteConfig", "Sites", "find_link_titles", "read_link_titles", "simplify_address"]
