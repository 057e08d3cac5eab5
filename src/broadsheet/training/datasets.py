"""Find the training pages and the dev pages of a folder of labelled pages.

Files named `<dataset>.train.*` and `<dataset>.dev.*` say which pages are which. All other pages that `broadsheet eval`
reads are divided here: by the `split` of a record if it has one, otherwise by site, so that no site is in both parts.
The same pages are always divided in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha1
from pathlib import Path
from zlib import crc32

from broadsheet.corpora import Record, read_corpus
from broadsheet.corpora.layouts import LAYOUTS
from broadsheet.corpora.reader import find_layout
from broadsheet.corpora.record import name_dataset
from broadsheet.errors import UsageError, describe_unknown
from broadsheet.page import host_of
from broadsheet.training.options import TrainingOptions

TRAIN, DEV = "train", "dev"
DEV_SHARE = 0.2  # of the pages without a split
HELD_OUT_STEP = 10  # of the hashes of sites: every tenth site is held out
MIN_SITES = 5  # with fewer, pages are divided, not sites


@dataclass(frozen=True, slots=True)
class Dataset:
    """The training pages or the dev pages of a dataset."""

    name: str
    path: Path
    chosen: frozenset[int] | None = None  # numbers of the records in the file or folder; None: all

    def read(self) -> Iterator[Record]:
        """Yield the records."""
        for number, record in enumerate(read_corpus(self.path)):
            if self.chosen is None or number in self.chosen:
                yield record


def find_datasets(
    data: Path, split: str, names: frozenset[str] | None = None, skipped: Sequence[str] = ()
) -> list[Dataset]:
    """Return the datasets of a split, sorted by name; `names` selects some of them. Raises UsageError if none is left.

    If only files of training pages exist, some of these pages are used as dev pages.
    """
    if has_split_files(data):
        datasets = [Dataset(_name_file(path), path) for path in _list_split_files(data, split)]
    else:
        paths = tuple(_list_split_files(data, TRAIN) or _list_corpora(data))
        parts = _divide(paths, _describe_files(paths))
        datasets = parts[split]
        if not datasets and any(parts.values()):
            unused = "".join(f"; {line}" for line in _describe_unused(parts))
            raise UsageError(
                f"{_show(data)} has too few labelled pages: none is left for {split}{unused}; label more pages"
            )
    datasets = [
        dataset for dataset in datasets if (names is None or dataset.name in names) and dataset.name not in skipped
    ]
    if not datasets:
        allowed = f" of {', '.join(sorted(names))}" if names else ""
        raise UsageError(
            f"no {split} pages{allowed} in {_show(data)}; docs/reference/labelled-pages.md describes the layouts"
        )
    return datasets


def choose_datasets(options: TrainingOptions, split: str, wanted: frozenset[str] | None) -> frozenset[str] | None:
    """Return the datasets that a model wants, or None for all if it wants all or the data has none of them."""
    if wanted is None or wanted & {dataset.name for dataset in find_datasets(options.data, split)}:
        return wanted
    options.report(f"no {split} pages of {', '.join(sorted(wanted))}: all {split} pages are used")
    return None


def is_held_out(site: str | None) -> bool:
    """Return whether a site is one of the tenth that `--hold-out` leaves out of training."""
    return bool(site) and int(sha1((site or "").encode()).hexdigest(), 16) % HELD_OUT_STEP == 0


def check_skipped(options: TrainingOptions) -> None:
    """Raise UsageError for a dataset to leave out that the data does not have: the name may be misspelled."""
    if not options.skipped:
        return
    names = {dataset.name for split in (TRAIN, DEV) for dataset in find_datasets(options.data, split)}
    for name in sorted(set(options.skipped) - names):
        raise UsageError(describe_unknown("dataset", name, sorted(names)))


def describe_unused(data: Path) -> list[str]:
    """Return a line for each split of records that is neither train nor dev."""
    paths = tuple(_list_split_files(data, TRAIN) or _list_corpora(data))
    return _describe_unused(_divide(paths, _describe_files(paths)))


def _describe_unused(parts: Mapping[str, Sequence[Dataset]]) -> list[str]:
    counts = {
        split: sum(len(dataset.chosen or ()) for dataset in parts[split]) for split in parts.keys() - {TRAIN, DEV}
    }
    return [f"pages with the split {split!r} are not used ({count})" for split, count in sorted(counts.items())]


def has_split_files(data: Path) -> bool:
    """Return whether files of both splits exist."""
    return bool(_list_split_files(data, TRAIN) and _list_split_files(data, DEV))


def _list_split_files(data: Path, split: str) -> list[Path]:
    return sorted(data.glob(f"*.{split}.*")) if data.is_dir() else []


def _list_corpora(data: Path) -> list[Path]:
    """Return the files and folders of labelled pages: the path itself, its JSON Lines files, or folders in it."""
    if not data.is_dir() or not any(layout.matches(data) for layout in LAYOUTS):
        children = sorted(child for child in data.iterdir() if child.is_dir()) if data.is_dir() else []
        corpora = [child for child in children if any(layout.matches(child) for layout in LAYOUTS)]
        if not corpora:
            try:
                find_layout(data)
            except UsageError as error:
                raise UsageError(f"{error}; name labelled pages with --data") from None
        return corpora or [data]
    files = sorted(path for pattern in ("*.jsonl", "*.jsonl.gz", "*.jsonl.xz") for path in data.glob(pattern))
    return [path for path in files if ".bench." not in path.name] if files else [data]


@cache
def _divide(paths: Sequence[Path], _description: object) -> dict[str, list[Dataset]]:
    """Divide the pages of files and folders. The description of the files is part of the cache's key.

    If no record has the split dev, those with the split train are divided too. Other splits are returned as they are.
    """
    sites: dict[tuple[Path, int], str] = {}  # of each page; the page itself if unknown
    splits: dict[tuple[Path, int], str | None] = {}
    for path in paths:
        for number, record in enumerate(read_corpus(path)):
            sites[path, number] = record.site or host_of(record.url or "") or f"{path.name} {record.id} {number}"
            splits[path, number] = record.split
    divided = {None} if DEV in splits.values() else {None, TRAIN}
    groups = {page: site for page, site in sites.items() if splits[page] in divided}
    numbers: dict[tuple[str, Path], set[int]] = {(split, path): set() for split in (TRAIN, DEV) for path in paths}
    for (path, number), split in splits.items():
        if split is not None and split not in divided:
            numbers.setdefault((split, path), set()).add(number)
    if len(set(groups.values())) < MIN_SITES:
        groups = {page: f"{page[0].name} {page[1]}" for page in groups}
    dev_groups = _choose_dev_groups(Counter(groups.values()))
    for (path, number), group in groups.items():
        numbers[DEV if group in dev_groups else TRAIN, path].add(number)
    parts: dict[str, list[Dataset]] = {TRAIN: [], DEV: []}
    for (split, path), chosen in numbers.items():
        if chosen:
            parts.setdefault(split, []).append(Dataset(_name(path), path, frozenset(chosen)))
    return parts


def _choose_dev_groups(sizes: Counter[str]) -> set[str]:
    """Choose sites in an order that depends on nothing but their names, until the dev share is reached."""
    chosen: set[str] = set()
    pages = 0
    for group in sorted(sizes, key=lambda name: (crc32(name.encode("utf-8", "replace")), name)):
        if pages + sizes[group] / 2 > DEV_SHARE * sizes.total():  # more of the site is beyond the share than within
            continue
        chosen.add(group)
        pages += sizes[group]
    return chosen


def _describe_files(paths: Sequence[Path]) -> tuple[tuple[int, int, int], ...]:
    return tuple(describe_path(path) for path in paths)


def describe_path(path: Path) -> tuple[int, int, int]:
    """Describe a file or folder for a key: number of files, total size, and time of the last change."""
    files = [file.stat() for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file()]
    return len(files), sum(stat.st_size for stat in files), max((stat.st_mtime_ns for stat in files), default=0)


def _name(path: Path) -> str:
    """Return the name of a dataset, as its records have it: that of a folder, or of a file up to the first dot."""
    return name_dataset(path) if path.is_dir() else _name_file(path)


def _name_file(path: Path) -> str:
    return path.name.split(".")[0] or path.name


def _show(data: Path) -> str:
    return "the current folder" if data == Path() else str(data)
