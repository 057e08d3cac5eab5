"""run_batch: plan, run and report. A run does the inputs without an entry that agrees with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from broadsheet.batch.by_site import list_unlearned, merge_sites
from broadsheet.batch.engines import BatchJob, Engine, Learned, open_engine
from broadsheet.batch.folder import BatchOutputError, Failure, Outcome, OutputFolder, Part
from broadsheet.batch.options import BatchOptions, hash_options
from broadsheet.batch.report import write_reports
from broadsheet.batch.sources import Source, SourceList
from broadsheet.batch.store import Output, open_output
from broadsheet.errors import UsageError


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """A run."""

    sources: SourceList
    output: str
    options: BatchOptions = field(default_factory=BatchOptions)
    engine: str = "local"
    workers: int | None = None  # processes, or tasks at a time
    address: str | None = None  # of a Ray cluster
    is_retrying: bool = False  # also inputs with a fault or failed pages
    is_redo: bool = False  # process all inputs again if the options have changed


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What a run has done."""

    parts: tuple[Part, ...]  # all that are complete now
    new: int  # of them, those that this run made
    failures: tuple[Failure, ...]
    swept: int  # drafts of an interrupted run that were removed

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
    description = request.options.describe()
    engine = open_engine(request.engine, workers=request.workers, address=request.address)
    output = open_output(request.output)
    if request.options.is_by_site and not isinstance(output, OutputFolder):
        raise UsageError("--by-site keeps its sites in the output; write to a folder, and copy it to the store")
    output.create()
    with output.lock():
        swept = output.sweep()
        check_options(output, description, is_redo=request.is_redo)
        job = BatchJob(request.options, output)
        if request.options.is_by_site:
            assert isinstance(output, OutputFolder)
            _learn_sites(request.sources.sources, engine, job, output)
        plan = plan_run(output, request.sources.sources, hash_options(description), is_retrying=request.is_retrying)
        start(plan)
        parts, failures = list(plan.done), []
        with closing(engine.run(plan.tasks, job)) as outcomes:
            for outcome in outcomes:
                assert not isinstance(outcome, Learned)
                note(outcome)
                if isinstance(outcome, Part):
                    parts.append(outcome)
                    continue
                failures.append(outcome)
                if outcome.is_fatal:
                    raise BatchOutputError(outcome.reason)
        parts.sort(key=lambda part: part.source)
        result = BatchResult(tuple(parts), len(parts) - len(plan.done), tuple(failures), swept)
        write_reports(output, result.parts, result.failures)
    return result


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
    """The inputs of a run, by what happens to them."""

    tasks: tuple[Source, ...]  # to be processed, the largest first
    done: tuple[Part, ...]  # complete; those with a fault too, unless they are to be tried again


def check_options(output: Output, description: Mapping[str, str], *, is_redo: bool) -> None:
    """Compare the options with those of the folder, and store them. Raises UsageError if they differ."""
    earlier = _read_options(output)
    if earlier is not None and earlier != description and not is_redo:
        names = [name for name in {**earlier, **description} if earlier.get(name) != description.get(name)]
        shown = ", ".join(
            f"{name}: {_show_change(earlier.get(name), description.get(name))}" for name in names[:_MAX_SHOWN]
        )
        more = f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
        raise UsageError(
            f"{output.name} was made with other options ({shown}{more}); add --redo to process all inputs again, or "
            "write to another folder"
        )
    if earlier != description:
        output.write_options(json.dumps(description, indent=1))


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


def plan_run(output: Output, sources: Sequence[Source], options_hash: str, *, is_retrying: bool = False) -> RunPlan:
    """Choose the inputs that are not done. `is_retrying`: also those with a fault or failed pages."""
    entries = {part.key: part for part in output.read_entries()}
    _remove_outdated_groups(output, sources, list(entries.values()))
    tasks: list[Source] = []
    done: list[Part] = []
    for source in sources:
        part = entries.get(source.key)
        if part is None or not _is_current(part, source, options_hash) or (is_retrying and has_failures(part)):
            tasks.append(source)
        else:
            done.append(part)
    # The largest first, so that the last one to finish is a small one.
    return RunPlan(tuple(sorted(tasks, key=lambda source: (-source.size, source.name))), tuple(done))


def _is_current(part: Part, source: Source, options_hash: str) -> bool:
    return part.options == options_hash and part.stamp == source.stamp


def has_failures(part: Part) -> bool:
    """Return whether the input could not be read completely, or pages failed."""
    return bool(part.fault or part.statuses.get("failed") or part.statuses.get("timeout"))


def _remove_outdated_groups(output: Output, sources: Sequence[Source], entries: Sequence[Part]) -> None:
    """Remove groups of single pages that a folder no longer has: its pages are in other groups now."""
    folders = {source.name.rpartition("#")[0] for source in sources if source.pages}
    keys = {source.key for source in sources}
    if folders:
        for part in entries:
            name, mark, number = part.source.rpartition("#")
            if mark and number.isdecimal() and name in folders and part.key not in keys:
                output.remove(part)


def _read_options(output: Output) -> dict[str, str] | None:
    text = output.read_options()
    if text is None:
        return None
    try:
        values = json.loads(text)
    except ValueError as error:
        raise UsageError(f"cannot read the options of {output.name}: {error}; write to another folder") from error
    return values if isinstance(values, dict) else {}
