"""Edit distance in characters: insertions and deletions cost 1, a substitution 2.

Source: the GCN paper (section 6, "Metrics"), averaged over pages; lower is better. With these costs it is the
insert-delete distance, which rapidfuzz computes 64 characters at a time.
"""

from __future__ import annotations

from rapidfuzz.distance import Indel

# Of longer texts only the first part is compared: two texts of a million characters would take a minute.
MAX_CHARS = 200_000


def measure_edit_distance(output: str, gold: str) -> float:
    """Return the cost of turning the output into the gold text. Runs of white space count as one space."""
    output, gold = " ".join(output.split()), " ".join(gold.split())
    rest = abs(max(len(output) - MAX_CHARS, 0) - max(len(gold) - MAX_CHARS, 0))
    return float(Indel.distance(output[:MAX_CHARS], gold[:MAX_CHARS]) + rest)
