"""Find the training pages and the dev pages of a folder of labelled pages.

Files named `<dataset>.train.*` and `<dataset>.dev.*` say which pages are which. All other pages that `broadsheet eval`
reads are divided here: by the `split` of a record if it has one, otherwise by site, so that no site is in both parts.
The same pages are always divided in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

from broadsheet.corpora import Record, read_corpus
from broadsheet.corpora.reader import LAYOUTS, find_layout
from broadsheet.errors import UsageError
from broadsheet.page import host_of
from broadsheet.training.options import TrainingOptions

TRAIN, DEV = "train", "dev"
DEV_SHARE = 0.2  # of the pages without a split
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
    data: Path, split: str, names: frozenset[str] | None = None, skipped: frozenset[str] = frozenset()
) -> list[Dataset]:
    """Return the datasets of a split, sorted by name; `names` selects some of them. Raises UsageError if none is left.

    If only files of training pages exist, some of these pages are used as dev pages.
    """
    if has_split_files(data):
        datasets = [Dataset(_name(path), path) for path in _list_split_files(data, split)]
    else:
        paths = tuple(_list_split_files(data, TRAIN) or _list_corpora(data))
        parts = _divide(paths, _describe_files(paths))
        datasets = parts[split]
        if not datasets and any(parts.values()):
            raise UsageError(f"{_show(data)} has too few labelled pages: none is left for {split}; label more pages")
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
    """Divide the pages of files and folders. The description of the files is part of the cache's key."""
    groups: dict[tuple[Path, int], str] = {}  # pages without a split -> site, or the page itself if unknown
    numbers: dict[tuple[str, Path], set[int]] = {(split, path): set() for split in (TRAIN, DEV) for path in paths}
    for path in paths:
        for number, record in enumerate(read_corpus(path)):
            if record.split is None:
                groups[path, number] = record.site or host_of(record.url or "") or f"{path.name} {record.id} {number}"
            elif (record.split, path) in numbers:
                numbers[record.split, path].add(number)
    if len(set(groups.values())) < MIN_SITES:
        groups = {page: f"{page[0].name} {page[1]}" for page in groups}
    dev_groups = _choose_dev_groups(Counter(groups.values()))
    for (path, number), group in groups.items():
        numbers[DEV if group in dev_groups else TRAIN, path].add(number)
    parts: dict[str, list[Dataset]] = {TRAIN: [], DEV: []}
    for (split, path), chosen in numbers.items():
        if chosen:
            parts[split].append(Dataset(_name(path), path, frozenset(chosen)))
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
    """Return the name of a dataset: that of the file or folder, up to the first dot."""
    return (path.name or path.resolve().name).split(".")[0] or path.name


def _show(data: Path) -> str:
    return "the current folder" if data == Path() else str(data)
