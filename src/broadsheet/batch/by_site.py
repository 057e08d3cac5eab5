"""Site templates at scale: learn per input, merge per host, extract with them.

    out/_sites/partial/<key>-<stamp>/<bucket>.jsonl   sites learned from one input, of the hosts of a bucket
    out/_sites/<bucket>.sqlite                        the merged sites, by host

Hosts are spread over buckets by a hash. Learning holds a bounded number of sampled pages, merging one bucket, and
extraction a bounded number of sites in memory. Merging gives the same site as learning all its pages in one place.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from broadsheet.atomic import replace_file, write_atomically
from broadsheet.batch.folder import OutputFolder, name_output_in_errors
from broadsheet.batch.options import BatchOptions
from broadsheet.batch.process import read_source
from broadsheet.batch.sources import Source, copy_remote, is_remote
from broadsheet.errors import BroadsheetError, SiteFileError
from broadsheet.inputs import decode_capture
from broadsheet.page import Page, host_of
from broadsheet.site import Site, Sites
from broadsheet.site.storage import read_record, write_record
from broadsheet.stored import DamagedFile, describe, open_database, parse_json, refuse_damage

_PAGES_IN_MEMORY = 4_000  # sampled pages while an input is learned: about 200 MB
_MAX_SITE_BYTES = 64_000_000
_MAX_OPEN_SITES = 64  # in memory while pages are extracted


def find_bucket(host: str) -> str:
    """Return the bucket of a host: two hexadecimal digits."""
    return hashlib.sha256(host.encode("utf-8", "surrogatepass")).hexdigest()[:2]


@dataclass(frozen=True, slots=True)
class SiteFolder:
    """The folder of sites in an output folder."""

    root: Path

    @property
    def partial(self) -> Path:
        """Folder of what each input says."""
        return self.root / "partial"

    def partial_of(self, source: Source) -> Path:
        """Folder of what an input says."""
        stamp = hashlib.sha256(source.stamp.encode()).hexdigest()[:8]
        return self.partial / f"{source.key}-{stamp}"

    def bucket_file(self, bucket: str) -> Path:
        """The merged sites of a bucket."""
        return self.root / f"{bucket}.sqlite"


def open_site_folder(output: OutputFolder) -> SiteFolder:
    """Return the folder of sites of an output folder."""
    return SiteFolder(output.root / "_sites")


def learn_steps(source: Source, options: BatchOptions, output: OutputFolder) -> Iterator[None]:
    """Learn the sites of an input. Yield as a sign of life after each page."""
    target = open_site_folder(output).partial_of(source)
    draft = output.name_draft(f"{source.key}.sites")
    with name_output_in_errors(output):
        draft.mkdir(parents=True)
    path = source.path
    try:
        if is_remote(path):
            path = str(draft / "input")
            for _ in copy_remote(source.path, Path(path)):
                yield None
        yield from _learn(source, path, options, draft)
        Path(draft / "input").unlink(missing_ok=True)
        with name_output_in_errors(output):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            draft.rename(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _learn(source: Source, path: str, options: BatchOptions, draft: Path) -> Iterator[None]:
    sites, count = Sites(), 0
    for capture in read_source(source, path, options, Counter(), lambda _: None):
        if capture.html is None or options.filters.check_capture(capture):
            continue
        with suppress(BroadsheetError):  # a page that cannot be parsed is reported by the extraction
            sites.add((capture.url, decode_capture(capture)))
        count += 1
        if count % _PAGES_IN_MEMORY == 0:
            _write_partial(sites, draft)
            sites = Sites()
        yield None
    _write_partial(sites, draft)


def _write_partial(sites: Sites, draft: Path) -> None:
    for host, site in sites.by_host.items():
        with (draft / f"{find_bucket(host)}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"host": host, "site": write_record(site)}) + "\n")


def list_unlearned(sources: Sequence[Source], output: OutputFolder) -> list[Source]:
    """Return the inputs whose sites are not learned."""
    folder = open_site_folder(output)
    return [source for source in sources if not folder.partial_of(source).is_dir()]


def merge_sites(sources: Sequence[Source], output: OutputFolder) -> int:
    """Merge what the inputs say, bucket by bucket, and return the number of sites. Skipped if nothing has changed."""
    folder = open_site_folder(output)
    partials = [path for source in sources if (path := folder.partial_of(source)).is_dir()]
    marker = folder.root / "merged.json"
    names = sorted(path.name for path in partials)
    with suppress(OSError, ValueError, KeyError):
        merged = parse_json(marker.read_bytes(), dict)
        if merged["partials"] == names:
            return int(merged["sites"])
    count = 0
    with name_output_in_errors(output):
        folder.root.mkdir(exist_ok=True)
        for bucket in sorted({file.stem for path in partials for file in path.glob("*.jsonl")}):
            count += _merge_bucket(folder, bucket, partials)
        with write_atomically(marker) as text:
            json.dump({"partials": names, "sites": count}, text)
    return count


def _merge_bucket(folder: SiteFolder, bucket: str, partials: Sequence[Path]) -> int:
    sites: dict[str, Site] = {}
    for path in partials:
        for host, site in _read_partial(path / f"{bucket}.jsonl"):
            if host in sites:
                sites[host].merge(site)
            else:
                sites[host] = site
    # Other hosts have too few pages for a template.
    useful = {
        host: site for host, site in sites.items() if len(site.sample) >= site.config.min_neighbours or site.titles
    }
    with replace_file(folder.bucket_file(bucket)) as draft, closing(sqlite3.connect(draft)) as database, database:
        database.execute("CREATE TABLE sites (host TEXT PRIMARY KEY, site TEXT) WITHOUT ROWID")
        database.executemany(
            "INSERT INTO sites VALUES (?, ?)", ((host, write_record(site)) for host, site in sorted(useful.items()))
        )
    return len(useful)


def _refuse(path: Path, error: Exception) -> SiteFileError:
    return SiteFileError(f"{path} is damaged ({describe(error)}); remove it, and run the command again")


def _read_partial(path: Path) -> Iterator[tuple[str, Site]]:
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                record = parse_json(line, dict)
                yield str(record["host"]), read_record(str(record["site"]))
            except (DamagedFile, KeyError) as error:
                raise _refuse(path, error) from error


@dataclass
class StoredSites(Sites):
    """The merged sites of an output folder, read when a page of their host comes."""

    folder: str
    _open: OrderedDict[str, Site | None] = field(default_factory=OrderedDict, repr=False)

    def prepare(self, page: Page) -> Page:
        """Return the page with the static rows and link titles that its site knows."""
        site = self._find(host_of(page.url or page.base))
        return page if site is None else site.prepare(page)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the sites in memory: another process reads its own."""
        return {"folder": self.folder, "_open": OrderedDict()}

    def _find(self, host: str) -> Site | None:
        if host not in self._open:
            self._open[host] = self._load(host)
            if len(self._open) > _MAX_OPEN_SITES:
                self._open.popitem(last=False)
        self._open.move_to_end(host)
        return self._open[host]

    def _load(self, host: str) -> Site | None:
        path = SiteFolder(Path(self.folder)).bucket_file(find_bucket(host))
        if not path.exists():
            return None
        try:
            # Not all rows are checked for one: a bucket has thousands of sites.
            opened = open_database(path, most=_MAX_SITE_BYTES, is_read_only=True, checks_rows=False)
            with refuse_damage(), closing(opened) as database:
                row = database.execute("SELECT site FROM sites WHERE host = ?", (host,)).fetchone()
        except (sqlite3.Error, DamagedFile) as error:
            raise _refuse(path, error) from error
        return read_record(str(row[0])) if row else None
