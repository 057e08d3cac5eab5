"""Many pages of one site: what they tell of each other."""

from broadsheet.site.home import find_link_titles, read_link_titles, simplify_address

__all__ = ["find_link_titles", "read_link_titles", "simplify_address"]
