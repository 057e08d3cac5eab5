"""Edit distance in characters: insertions and deletions cost 1, a substitution 2.

Source: the GCN paper (seed `gcn`, section 6, "Metrics"), averaged over pages; lower is better. With these costs it is
the insert-delete distance, which rapidfuzz computes 64 characters at a time.
"""

from __future__ import annotations

from rapidfuzz.distance import Indel

# Beyond this both texts are compared by their first part only: two texts of a million characters would take a minute.
MAX_CHARS = 200_000


def measure_edit_distance(output: str, gold: str) -> float:
    """Edits that turn the output into the gold text; white space folded."""
    left, right = " ".join(output.split()), " ".join(gold.split())
    rest = abs(max(len(left) - MAX_CHARS, 0) - max(len(right) - MAX_CHARS, 0))
    return float(Indel.distance(left[:MAX_CHARS], right[:MAX_CHARS]) + rest)
