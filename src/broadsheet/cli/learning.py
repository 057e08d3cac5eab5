"""What `broadsheet site` and `broadsheet extract --by-site` do before the first article: read pages and learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from broadsheet.cli.complain import complain
from broadsheet.cli.report import Report
from broadsheet.cli.sources import Found, find_sources, read_source
from broadsheet.errors import BroadsheetError, UsageError
from broadsheet.site import Site, SiteConfig, Sites


def learn_site(
    arguments: Sequence[str],
    *,
    output: str | None,
    into: str | None,
    homes: Sequence[str],
    share: float | None,
    is_quiet: bool,
) -> bool:
    """Learn pages and save the site; tell whether all could be read."""
    target = output or into
    if target is None:
        raise UsageError("there is no file to save the site in; add -o FILE")
    if into and share is not None:
        raise UsageError("--share was chosen when the site was first learned; leave it out, or learn the site anew")
    site = Site.load(into) if into else Site(_choose_config(share))
    found = find_sources(arguments)
    report = Report(found, has_bar=True, is_quiet=is_quiet)
    with report:
        for page in _read_pages(found, report):
            site.add(page)
            report.advance()
    for name in homes:
        home = read_source(name)
        site.add_home(home.html, home.url)
    if not site.sample:
        raise UsageError("no page could be read, so nothing was learned")
    site.save(target)
    if not is_quiet:
        print(site.describe())
    return not report.has_failures


def learn_sites(found: Found, *, is_quiet: bool) -> Sites:
    """Learn the sites of all pages by their hosts. What cannot be read is left for the extraction to report."""
    sites = Sites()
    report = Report(found, has_bar=True, is_quiet=is_quiet)
    with report:
        for source in found.sources:
            try:
                loaded = read_source(source.name)
            except BroadsheetError:
                continue
            sites.add((loaded.url, loaded.html))
            report.advance()
    return sites


def show_site(file: str, arguments: Sequence[str]) -> bool:
    """Print what a site has learned, and how far pages are from it; tell whether all could be read."""
    site = Site.load(file)
    print(f"{Path(file).name}: {site.describe()}")
    are_read = True
    for source in find_sources(arguments).sources:
        try:
            drift = site.drift(read_source(source.name).html)
        except BroadsheetError as error:
            complain(str(error))
            are_read = False
            continue
        verdict = "the layout has changed" if drift.has_changed else "the same layout"
        print(f"{source.name}: drift {drift.score:.2f}, {verdict}")
    return are_read


def _choose_config(share: float | None) -> SiteConfig:
    config = SiteConfig.shipped()
    return config if share is None else replace(config, min_share=share)


def _read_pages(found: Found, report: Report) -> Iterator[tuple[str | None, str | bytes]]:
    for problem in found.problems:
        report.miss(problem)
    for source in found.sources:
        try:
            loaded = read_source(source.name)
        except BroadsheetError as error:
            report.miss(str(error))
            continue
        yield loaded.url, loaded.html
