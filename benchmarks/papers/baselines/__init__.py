"""Competitors of the papers, written from the descriptions of their own papers. They are used in benchmarks only.

Each is a function from the HTML of a page to its text. None is tuned here.
"""

from benchmarks.papers.baselines.cetr import extract_by_cetr
from benchmarks.papers.baselines.cetr import extract_by_clusters as extract_by_clusters
from benchmarks.papers.baselines.densities import extract_by_cetd, extract_by_mcstd
from benchmarks.papers.baselines.paths import extract_by_cepr

BASELINES = {
    "CETR": extract_by_clusters,
    "CETR with a threshold": extract_by_cetr,
    "CEPR": extract_by_cepr,
    "CETD": extract_by_cetd,
    "MCSTD": extract_by_mcstd,
}
