"""Loops that score, and loops over scores: sums of decision trees, the threshold of a page, the roles of its blocks."""

from __future__ import annotations

from collections.abc import Sequence

Scores = Sequence[float]  # a buffer of float32 where this module is compiled, else a list


class RoleLimits:
    """Scores above which a block has a role, and the columns of some roles."""

    __slots__ = ("comment", "comment_column", "content", "date_column", "role")

    def __init__(self, *, content: float, role: float, comment: float, comment_column: int, date_column: int) -> None:
        self.content = content  # article text, column 0
        self.role = role  # the other roles
        self.comment = comment  # a comment that is not article text in spite of its score
        self.comment_column = comment_column
        self.date_column = date_column


def find_lowest_score(scores: Scores, chars: Scores, sharpness: float, min_score: float) -> float:
    """Return the lowest score of the blocks that give the highest expected F1; 0.0 if it is at most `min_score`.

    The expected characters of article text of a block are its characters times its score to the power of `sharpness`.
    In descending order of the scores, the F1 rises up to the highest one and falls after it.
    """
    total = highest_other = other_share = 0.0
    likely: list[tuple[float, float, float]] = []
    for block in range(len(chars)):
        score, length = scores[block], chars[block]
        expected_chars = length * score**sharpness
        total += expected_chars
        if score > min_score:
            likely.append((score, length, expected_chars))
        elif score > highest_other:
            highest_other, other_share = score, expected_chars / max(length, 1e-9)
    likely.sort(reverse=True)
    lowest = best = kept_chars = kept_expected = 0.0
    for score, length, expected_chars in likely:
        kept_chars += length
        kept_expected += expected_chars
        f1 = 2 * kept_expected / (kept_chars + total + 1e-9)
        if f1 <= best:
            return lowest
        lowest, best = score, f1
    return 0.0 if 2 * other_share > best else lowest


def find_likely(scores: Scores, minimum: float, contexts: Sequence[int], flags: int) -> list[int]:
    """Return the blocks whose score is above the minimum and whose context has one of the flags."""
    blocks: list[int] = []
    for block in range(len(contexts)):
        if scores[block] > minimum:
            context = contexts[block]
            if context & flags:
                blocks.append(block)
    return blocks


def choose_roles(
    scores: Scores, columns: int, texts: Sequence[str], limits: RoleLimits, others: dict[int, int]
) -> list[int]:
    """Return the blocks of article text, and write the columns of the roles of other blocks into `others`.

    `scores` has `columns` numbers for each block, the first for article text. A block of article text can be in
    `others`, too. A block without a digit is not a date.
    """
    min_content, min_role, min_comment = limits.content, limits.role, limits.comment
    comment_column, date_column = limits.comment_column, limits.date_column
    content: list[int] = []
    for block in range(len(texts)):
        first = block * columns
        content_score = scores[first]
        best, best_score = 0, 0.0
        for column in range(1, columns):
            score = scores[first + column]
            if score > best_score and not (column == date_column and score > min_role and not has_digit(texts[block])):
                best, best_score = column, score
        is_other = best_score > min_role and best_score > content_score
        if is_other:
            others[block] = best
        if content_score > min_content and not (is_other and (best != comment_column or best_score > min_comment)):
            content.append(block)
    return content


def has_digit(text: str) -> bool:
    """Tell whether a text has a digit, in any script."""
    for index in range(len(text)):
        character = text[index]
        if character.isdecimal():
            return True
    return False


def are_probabilities(values: Sequence[float]) -> bool:
    """Tell whether all numbers are between 0 and 1."""
    for index in range(len(values)):
        value = values[index]
        if not 0 <= value <= 1:
            return False
    return True


class TreeTable:
    """Trees in one table of nodes, as in `models.forest.Forest`: arrays where this module is compiled, else lists."""

    __slots__ = ("child", "feature", "roots", "threshold", "value")

    def __init__(
        self,
        roots: Sequence[int],
        feature: Sequence[int],
        threshold: Sequence[float],
        child: Sequence[int],
        value: Sequence[float],
    ) -> None:
        self.roots = roots
        self.feature = feature
        self.threshold = threshold
        self.child = child
        self.value = value


def sum_trees(table: TreeTable, sample: Sequence[float], total: float) -> float:
    """Add the values of the leaves that the sample reaches to `total`, in the order of the trees."""
    roots, feature, threshold, child, value = table.roots, table.feature, table.threshold, table.child, table.value
    for tree in range(len(roots)):
        node = roots[tree]
        below = child[node]
        while below != node:
            node = below + (1 if sample[feature[node]] > threshold[node] else 0)
            below = child[node]
        total += value[node]
    return total
