"""Pages of a watched site: fetched, extracted with the learned template, and measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

from broadsheet import Article, Site, Status
from broadsheet.api import PageInput, extract_input
from broadsheet.errors import LimitReached, SiteFileError
from broadsheet.options import ExtractOptions
from broadsheet.site.health import PageMeasure
from broadsheet.site.storage import read_record, write_record
from broadsheet.watch.config import WatchedSite
from broadsheet.watch.state import State
from broadsheet.web.client import Reply

MIN_LEARNED_PAGES = 5
_NO_ARTICLE = frozenset((Status.NOT_ARTICLE, Status.EMPTY))
# The server answered with something other than the article; a later request may return it.
_BLOCKED = frozenset((Status.CONSENT_WALL, Status.JS_SHELL, Status.FAILED, Status.TIMEOUT))


@dataclass(frozen=True, slots=True)
class WatchedPage:
    """An extracted page."""

    url: str  # after redirects
    article: Article
    html_hash: str
    measure: PageMeasure

    @property
    def is_article(self) -> bool:
        """Whether the page has an article."""
        return self.article.status not in _NO_ARTICLE | _BLOCKED

    @property
    def is_blocked(self) -> bool:
        """Whether the page hides its article, for example behind a request for consent."""
        return self.article.status in _BLOCKED


class WatchReader:
    """Extracts pages of one site. The template is that of the configuration, or it is learned from the first pages."""

    def __init__(self, site: WatchedSite, state: State) -> None:
        self._site = site
        self._state = state
        self._template = _load_template(site, state)
        self._options = ExtractOptions() if site.method is None else ExtractOptions(method=site.method)
        self._options.load_method()  # an unknown name fails here, before the first request

    @property
    def needs_pages(self) -> bool:
        """Whether the template is still to be learned."""
        return self._template is None

    def learn(self, replies: list[Reply]) -> None:
        """Learn the template from pages, and store it."""
        if len(replies) < MIN_LEARNED_PAGES:
            return
        self._template = Site.learn((reply.url, reply.body) for reply in replies)
        with self._state.change():
            self._state.save_template(self._site.name, write_record(self._template))

    def read(self, reply: Reply) -> WatchedPage:
        """Extract a page."""
        page = PageInput(reply.url, reply.body, charset=reply.content_type.charset)
        article = extract_input(page, replace(self._options, site=self._template), keep_page=False)
        missing = tuple(name for name in self._site.fields if not getattr(article, name))
        measure = PageMeasure(article.confidence, missing, self._measure_drift(reply))
        return WatchedPage(reply.url, article, article.provenance.html_hash or "", measure)

    def _measure_drift(self, reply: Reply) -> float | None:
        if self._template is None:
            return None
        try:
            return self._template.drift(reply.body).score
        except LimitReached:  # one page that takes too long must not stop the watch
            return None


def _load_template(site: WatchedSite, state: State) -> Site | None:
    if site.template is not None:
        return Site.load(site.template)
    record = state.find_template(site.name)
    if record is None:
        return None
    try:
        return read_record(record)
    except SiteFileError:  # of another version: it is learned again
        return None
