"""Learning of site templates for `broadsheet site` and `broadsheet extract --by-site`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from broadsheet.cli.destination import check_output
from broadsheet.cli.progress import Report
from broadsheet.cli.sources import Sources, find_sources, read_one, read_pages, read_source
from broadsheet.errors import BroadsheetError, UsageError
from broadsheet.inputs import ReadOptions, decode_capture
from broadsheet.option_field import REQUIRED, argument, group, option
from broadsheet.site import Site, SiteConfig, Sites
from broadsheet.web import DEFAULT_GUARD, AddressGuard

_MIN_PAGES = 2


@dataclass(frozen=True, slots=True)
class LearnRequest:
    """The arguments of `broadsheet site learn`, not checked yet."""

    pages: tuple[str, ...] = argument(
        REQUIRED, "Files, folders, patterns or http(s) addresses of pages of one site.", metavar="PAGE..."
    )
    output: str | None = option(None, "Where to save the site.", "--output", "-o", metavar="FILE")
    into: str | None = option(None, "A saved site to add these pages to.", metavar="FILE")
    homes: tuple[str, ...] = option(
        (), "Home or section page: its link texts are candidates for titles.", "--home", metavar="FILE|URL"
    )
    min_share: float | None = option(
        None,
        "Share of the neighbour pages that must contain a text for it to count as static.",
        "--share",
        least=0.05,
        most=1.0,
    )
    is_published: bool = option(  # instead of the keys and share that are shipped
        False,
        "As in the paper of stadynot: elements with tag, attributes and text, on all neighbour pages.",
        "--published",
    )
    is_quiet: bool = option(False, "No progress or summary: errors only.", "--quiet", "-q")
    guard: AddressGuard = group(DEFAULT_GUARD)


def learn_site(request: LearnRequest) -> bool:
    """Learn pages and save the site. Return whether all pages could be read."""
    target = request.output or request.into
    if target is None:
        raise UsageError("there is no file to save the site in; add -o FILE")
    for flag, is_given in (("--share", request.min_share is not None), ("--published", request.is_published)):
        if request.into and is_given:
            raise UsageError(f"{flag} was set when the site was first learned; leave it out, or learn the site again")
    site = Site.load(request.into) if request.into else Site(_choose_config(request))
    sources = find_sources(request.pages)
    check_output(target, sources.pages)
    options = ReadOptions(guard=request.guard)
    report = Report(sources, has_bar=True, is_quiet=request.is_quiet)
    with report:
        for _, capture in read_pages(sources, options, lambda message, _: report.miss(message)):
            site.add((capture.url, decode_capture(capture)))
            report.advance()
    for name in request.homes:
        home = read_one(name, options)
        site.add_home(decode_capture(home), home.url)
    if not site.sample:
        raise UsageError("no page could be read, so nothing was learned")
    if site.pages < _MIN_PAGES:
        raise UsageError("a site is learned from two pages or more, because one page does not show what repeats")
    site.save(target)
    if not request.is_quiet:
        print(site.describe())
    return not report.has_failures


def learn_sites(sources: Sources, options: ReadOptions, *, is_quiet: bool) -> Sites:
    """Learn the sites of all pages by host. Pages that cannot be read are reported later, by the extraction."""
    sites = Sites()
    report = Report(sources, has_bar=True, is_quiet=is_quiet)
    with report:
        for source in sources.pages:
            with suppress(BroadsheetError):
                for capture in read_source(source, options):
                    if capture.html is not None:
                        sites.add((capture.url, decode_capture(capture)))
                    report.advance()
    return sites


def _choose_config(request: LearnRequest) -> SiteConfig:
    config = SiteConfig() if request.is_published else SiteConfig.shipped()
    return config if request.min_share is None else replace(config, min_share=request.min_share)
