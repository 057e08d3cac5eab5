"""run_batch: plan, run and report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from broadsheet.batch.by_site import list_unlearned, merge_sites
from broadsheet.batch.engines import Engine, Job, open_engine
from broadsheet.batch.folder import BatchOutputError, OutputFolder
from broadsheet.batch.options import BatchOptions, hash_options
from broadsheet.batch.output import open_output
from broadsheet.batch.part import Failure, Outcome, Part
from broadsheet.batch.plan import RunPlan, check_options, plan_run
from broadsheet.batch.report import write_reports
from broadsheet.batch.sources import Source, SourceList
from broadsheet.batch.worker import Learned
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
        job = Job(request.options, output)
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


def _learn_sites(sources: Sequence[Source], engine: Engine, job: Job, output: OutputFolder) -> None:
    """Learn the sites of all inputs. An input that cannot be learned from is extracted anyway."""
    learning = replace(job, is_learning=True)
    with closing(engine.run(list_unlearned(sources, output), learning)) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, Failure) and outcome.is_fatal:
                raise BatchOutputError(outcome.reason)
    merge_sites(sources, output)
