"""run_batch: plan, run and report. A run does the inputs without an entry that agrees with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from broadsheet.batch.by_site import list_unlearned, merge_sites
from broadsheet.batch.engines import BatchJob, Engine, Learned, open_engine
from broadsheet.batch.folder import DUPLICATES, BatchOutputError, Failure, Outcome, OutputFolder
from broadsheet.batch.manifest import (
    OPTIONS,
    SEGMENT_PARTS,
    Part,
    gather,
    loosen,
    move_to_segment,
    read_entries,
    remove_parts,
)
from broadsheet.batch.options import BatchOptions, hash_options
from broadsheet.batch.report import ReportWriter
from broadsheet.batch.selection import expand_sources
from broadsheet.batch.sources import Source, SourceList
from broadsheet.batch.store import Output, open_output
from broadsheet.errors import UsageError
from broadsheet.stored import DamagedFile, parse_json
from broadsheet.text import format_count


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """A run."""

    sources: SourceList
    output: str
    options: BatchOptions = field(default_factory=BatchOptions)
    engine: str = "local"
    workers: int | None = None  # processes, or tasks at a time
    address: str | None = None  # of a Ray cluster
    archives: str = ""  # the inputs are indexes, and the files that they name are here
    is_retrying: bool = False  # also inputs with pages that failed for a reason that can pass
    is_redo: bool = False  # process all inputs again if the options have changed
    is_pruning: bool = False  # remove the parts of inputs that are not given


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What a run has done."""

    parts: tuple[Part, ...]  # all that are complete now
    new: int  # of them, those that this run made
    failures: tuple[Failure, ...]
    swept: int  # drafts of an interrupted run that were removed
    others: tuple[Part, ...] = ()  # parts in the table of inputs that were not given

    @property
    def is_complete(self) -> bool:
        """Whether every input was read to its end."""
        return not self.failures and not any(part.fault for part in self.parts)


def run_batch(
    request: BatchRequest,
    note: Callable[[Outcome], None] = lambda _: None,
    start: Callable[[RunPlan], None] = lambda _: None,
) -> BatchResult:
    """Process the inputs that are not done, and write the reports.

    Args:
        request: Inputs, output and options.
        note: Called with the outcome of each input, as soon as it is there.
        start: Called with the plan, before the first input.

    """
    if not request.sources.sources:
        raise UsageError(request.sources.problems[0] if request.sources.problems else "no input was given")
    request = replace(request, sources=expand_sources(request.sources, request.options, request.archives))
    if not request.sources.sources:
        raise UsageError(request.sources.problems[-1])
    description = request.options.describe()
    engine = open_engine(request.engine, workers=request.workers, address=request.address)
    output = open_output(request.output)
    if request.options.is_by_site and not isinstance(output, OutputFolder):
        raise UsageError("--by-site keeps its sites in the output; write to a folder, and copy it to the store")
    output.create()
    with output.lock():
        swept = output.sweep()
        check_options(output, request, description)
        job = BatchJob(request.options, output)
        if request.options.is_by_site:
            assert isinstance(output, OutputFolder)
            _learn_sites(request.sources.sources, engine, job, output)
        plan = plan_run(output, request, hash_options(description))
        start(plan)
        parts, failures = list(plan.done), []
        with closing(engine.run(plan.tasks, job)) as outcomes, _Bookkeeping(output, request, plan) as books:
            for outcome in outcomes:
                assert not isinstance(outcome, Learned)
                note(outcome)
                books.add(outcome)
                if isinstance(outcome, Part):
                    parts.append(outcome)
                    continue
                failures.append(outcome)
                if outcome.is_fatal:
                    raise BatchOutputError(outcome.reason)
        parts = _remove_misfits(output, parts, failures)
        parts.sort(key=lambda part: part.source)
    return BatchResult(tuple(parts), len(parts) - len(plan.done), tuple(failures), swept, plan.others)


def _remove_misfits(output: Output, parts: list[Part], failures: Sequence[Failure]) -> list[Part]:
    """Remove the other pieces of files whose pieces do not fit together: their rows may be those of other records."""
    origins = {failure.source.origin for failure in failures if failure.is_misfit}
    misfits = [part for part in parts if part.origin in origins]
    remove_parts(output, misfits)
    return [part for part in parts if part not in misfits] if misfits else parts


class _Bookkeeping:
    """Keeps the reports up to date, and moves the entries of the manifest to segments."""

    def __init__(self, output: Output, request: BatchRequest, plan: RunPlan) -> None:
        self._output = output
        self._report = ReportWriter(output, request.sources)
        self._report.other_parts = [part.source for part in plan.others] + list(plan.strays)
        self._report.left = len(plan.tasks)
        for part in (*plan.done, *plan.others):
            self._report.add(part)
        self._outdated = {part.key: part for part in plan.outdated}
        self._loose: list[Part] = []

    def __enter__(self) -> _Bookkeeping:
        return self

    def add(self, outcome: Outcome) -> None:
        """Note an outcome. The outdated part of an input that failed is still in the table."""
        self._report.left -= 1
        if isinstance(outcome, Part):
            self._report.add(outcome)
            self._loose.append(outcome)
        else:
            self._report.failures.append(outcome)
            if outcome.source.key in self._outdated:
                self._report.add(self._outdated[outcome.source.key])
        if len(self._loose) >= SEGMENT_PARTS:
            move_to_segment(self._output, self._loose)
            self._loose = []
        self._report.write_if_due()

    def __exit__(self, error_type: object, *_: object) -> None:
        if error_type is None:
            self._report.write()


def _learn_sites(sources: Sequence[Source], engine: Engine, job: BatchJob, output: OutputFolder) -> None:
    """Learn the sites of all inputs. An input that cannot be learned from is extracted anyway."""
    learning = replace(job, is_learning=True)
    with closing(engine.run(list_unlearned(sources, output), learning)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Failure) and outcome.is_fatal:
                raise BatchOutputError(outcome.reason)
    merge_sites(sources, output)


_MAX_SHOWN = 3
_MAX_ITEMS = 12  # of lists that are shown whole


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The inputs of a run, by what happens to them, and what else is in the output."""

    tasks: tuple[Source, ...]  # to be processed, the largest first
    done: tuple[Part, ...]  # complete; those with a fault too, unless they are to be tried again
    outdated: tuple[Part, ...] = ()  # of tasks: replaced when the task is done
    others: tuple[Part, ...] = ()  # of inputs that were not given
    strays: tuple[str, ...] = ()  # Parquet files that no entry describes


def check_options(output: Output, request: BatchRequest, description: Mapping[str, str]) -> None:
    """Compare the options with those of the output, and store them. Raises UsageError if they differ.

    With `is_redo`, parts that were made with other options are removed first: a table has one schema at any time.
    """
    earlier = _read_options(output)
    if earlier is not None and earlier != description:
        if not request.is_redo:
            raise UsageError(
                f"{output.name} was made with other options ({_list_changes(earlier, description)}); add --redo to "
                "process all inputs again, or write to another folder"
            )
        places = {source.origin or source.key for source in request.sources.sources}
        entries = list(read_entries(output))
        others = [part for part in entries if _find_origin(part, request.sources.sources) not in places]
        if others and not request.is_pruning:
            raise UsageError(
                f"{output.name} has {format_count(len(others), 'part')} of inputs that were not given, such as "
                f"{others[0].source}; add --prune to remove them, or name those inputs too"
            )
        remove_parts(output, entries)
    if earlier != description:
        output.write(OPTIONS, json.dumps(description, indent=1).encode())


def _list_changes(earlier: Mapping[str, str], description: Mapping[str, str]) -> str:
    names = [name for name in {**earlier, **description} if earlier.get(name) != description.get(name)]
    shown = ", ".join(
        f"{name}: {_show_change(earlier.get(name), description.get(name))}" for name in names[:_MAX_SHOWN]
    )
    return f"{shown} and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else shown


def _show_change(before: str | None, after: str | None) -> str:
    """Describe the change of an option. Of a long list, only what was added and removed is shown."""
    try:
        old, new = json.loads(before or ""), json.loads(after or "")
    except ValueError:
        old = new = None
    if not isinstance(old, list) or not isinstance(new, list) or len(old) + len(new) <= _MAX_ITEMS:
        return f"{before} -> {after}"
    changes = [*(f"+{item}" for item in new if item not in old), *(f"-{item}" for item in old if item not in new)]
    return " ".join(changes) or "in another order"


def plan_run(output: Output, request: BatchRequest, options_hash: str) -> RunPlan:
    """Choose the inputs that are not done, and put the output in order. Raises UsageError for renamed inputs."""
    sources = request.sources.sources
    _retire_old_files(output)
    entries = {part.key: part for part in read_entries(output)}
    by_key = {source.key: source for source in sources}
    places = {source.origin or source.key for source in sources}
    rest = [part for part in entries.values() if part.key not in by_key]
    # Pieces that are cut in another way now: their pages are in other units of work.
    recut = [part for part in rest if _find_origin(part, sources) in places]
    others = [part for part in rest if _find_origin(part, sources) not in places]
    tasks = [source for source in sources if not _is_done(entries.get(source.key), source, options_hash, request)]
    todo = {source.key for source in tasks}
    strays = _list_strays(output, entries, by_key)
    if request.is_pruning:
        remove_parts(output, others)
        output.delete(strays)
        others, strays = [], []
    _check_renames(output, others, tasks)
    remove_parts(output, recut)
    outdated = tuple(entries[key] for key in todo if key in entries)
    loosen(output, outdated)
    gather(output, [part for key, part in entries.items() if key not in todo])
    return RunPlan(
        # The largest first, so that the last one to finish is a small one.
        tasks=tuple(sorted(tasks, key=lambda source: (-source.size, source.name))),
        done=tuple(entries[source.key] for source in sources if source.key not in todo),
        outdated=outdated,
        others=tuple(others),
        strays=tuple(strays),
    )


def _is_done(part: Part | None, source: Source, options_hash: str, request: BatchRequest) -> bool:
    return (
        part is not None
        and part.options == options_hash
        and part.stamp == source.stamp
        and not (request.is_retrying and has_passing_failures(part))
    )


def has_passing_failures(part: Part) -> bool:
    """Return whether pages failed for a reason that can pass. Damage does not: a repaired input has another stamp."""
    if part.host_count >= 0:
        return part.passing > 0
    return bool(part.statuses.get("failed") or part.statuses.get("timeout"))  # of version 0.2, which has no reasons


def _find_origin(part: Part, sources: Sequence[Source]) -> str:
    """Return the key of the whole input of a part."""
    if part.origin:
        return part.origin
    name, mark, number = part.source.rpartition("#")  # entries of 0.2: groups of pages have no origin
    if mark and number.isdecimal():
        for source in sources:
            if source.pages and source.name.rpartition("#")[0] == name:
                return source.origin
    return part.key


def _check_renames(output: Output, others: Sequence[Part], tasks: Sequence[Source]) -> None:
    """Refuse an input that is in the table under another name: its rows would be there twice."""
    names = {part.stamp: part.source for part in others if part.input_bytes and not part.stamp.endswith("-")}
    renamed = [(names[source.stamp], source.name) for source in tasks if source.stamp in names]
    if renamed:
        old, new = renamed[0]
        raise UsageError(
            f"{format_count(len(renamed), 'input')} seem to be renamed ({old} -> {new}), and would be in {output.name} "
            "twice; add --prune to remove the parts of inputs that are not given, or write to another folder"
        )


def _list_strays(output: Output, entries: Mapping[str, Part], sources: Mapping[str, Source]) -> list[str]:
    names = {part.file for part in entries.values()} | {source.part_file for source in sources.values()}
    return sorted(name for name in output.list_sizes("") if name.endswith(".parquet") and name not in names)


def _retire_old_files(output: Output) -> None:
    """Move what version 0.2 wrote beside the parts, where readers of the table would find it."""
    names = output.list_sizes("")
    if "duplicates.parquet" in names and (content := output.read("duplicates.parquet")) is not None:
        output.write(f"{DUPLICATES}/duplicates.parquet", content)
    output.delete([name for name in ("report.json", "report.html", "duplicates.parquet") if name in names])


def _read_options(output: Output) -> dict[str, str] | None:
    text = output.read(OPTIONS)
    if text is None:
        return None
    try:
        values = parse_json(text, dict)
    except DamagedFile as error:
        raise UsageError(f"cannot read the options of {output.name}: {error}; write to another folder") from error
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
