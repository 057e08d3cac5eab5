"""The best of several training runs, as the paper reports its figures (section 6)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from broadsheet.training.gcn.fit import Fitted, GraphData, NetworkPlan, fit_network, predict_nodes
from broadsheet.training.gcn.scores import find_threshold_by_nodes, score_threshold
from broadsheet.training.options import TrainingOptions

RUNS = 5


@dataclass(frozen=True, slots=True)
class BestRun:
    """The network of the best run, its threshold, and its F1 of nodes on dev pages."""

    fitted: Fitted
    threshold: float
    f1: float


def fit_best_run(data: GraphData, plan: NetworkPlan, options: TrainingOptions, runs: int = RUNS) -> BestRun:
    """Train with several seeds, and return the run with the best F1 of nodes on dev pages."""
    results = []
    for run in range(runs):
        fitted = fit_network(data, plan, replace(options, seed=options.seed + run))
        scores = [predict_nodes(fitted.network, graphs, data.tags, plan.config)[:, 0] for graphs in data.dev]
        threshold = find_threshold_by_nodes(data.dev, scores)
        results.append(BestRun(fitted, threshold, score_threshold(data.dev, scores, threshold)))
        options.report(f"run {run + 1} of {runs}: {len(fitted.losses)} epochs, F1 of nodes {results[-1].f1:.3f}")
    return max(results, key=lambda result: result.f1)
