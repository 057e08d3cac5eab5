"""Features of title candidates (see `fields.title_ranker`): one loop over all candidates of a page for each group.

`samples` is a buffer of float32 numbers, zeros at first: a row for each candidate, a column for each feature. The
comments name the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

_CASE_CHARS = 40  # start of a candidate in which capitals and digits are counted
_MAX_DISTANCE = 30  # blocks between a candidate and the article text
_MAX_BOLD_STEPS = 3  # from the text node outwards


def write_sources(samples: Any, candidates: list[Any], page: Any, no_level: int) -> None:
    """Write where the candidates are stated, and the headings that show them."""
    h1_count, first_h1, first_heading = page.h1_count, page.first_h1, page.first_heading
    first_shown, most_similar = page.first_shown, page.most_similar
    for row in range(len(candidates)):
        candidate = candidates[row]
        sources, words = candidate.sources, candidate.words
        block = candidate.block
        level = no_level if candidate.is_inner else candidate.level
        samples[row, 0] = "json-ld" in sources  # in_json_ld
        samples[row, 1] = "opengraph" in sources or "link" in sources  # in_opengraph
        samples[row, 2] = "meta" in sources  # in_meta
        samples[row, 3] = "microdata" in sources  # in_microdata
        samples[row, 4] = "method" in sources  # in_method
        samples[row, 5] = "html" in sources  # in_html_title
        samples[row, 6] = min(len(sources), 4) / 4  # sources
        samples[row, 7] = candidate.is_piece  # is_piece
        samples[row, 8] = candidate.is_inner  # is_inner
        samples[row, 9] = min(row, 20) / 20  # rank
        samples[row, 10] = words == first_shown  # is_first_shown
        samples[row, 11] = words == most_similar  # is_first_alike
        samples[row, 12] = level == 1  # is_h1
        samples[row, 13] = level == 2  # is_h2
        samples[row, 14] = 2 < level < no_level  # is_lower_heading
        samples[row, 15] = level == 1 and block == first_h1  # is_first_h1
        samples[row, 16] = level == 1 and h1_count == 1  # is_only_h1
        samples[row, 17] = level < no_level and block == first_heading  # is_first_heading
        samples[row, 18] = h1_count == 0  # no_h1


def write_texts(
    samples: Any, candidates: list[Any], word_sets: list[set[str]], page: Any, has_separator: Callable[[str], bool]
) -> None:
    """Write the characters and words of the candidates, and the words that they share with other texts of the page."""
    title_element, title_element_words = page.title_element, page.title_element_words
    address_words, opengraph_words, json_ld_words = page.address_words, page.opengraph_words, page.json_ld_words
    h1_words, body_words = page.h1_words, page.body_words
    for row in range(len(candidates)):
        candidate, words = candidates[row], word_sets[row]
        text, folded = candidate.text, candidate.words
        chars, count = len(text), len(words)
        start = text[:_CASE_CHARS]
        is_in_title_element = folded in title_element
        samples[row, 19] = min(chars, 200) / 100  # chars
        samples[row, 20] = min(count, 30) / 15  # words
        samples[row, 21] = chars < 20  # is_short
        samples[row, 22] = chars > 120  # is_long
        samples[row, 23] = count_capitals(start) / len(start)  # capitals
        samples[row, 24] = count_digits(start) / len(start)  # digits
        samples[row, 25] = text[chars - 1] in ".!?。"  # ends_sentence
        samples[row, 26] = has_separator(text)  # has_separator
        samples[row, 27] = len(words & address_words) / count if address_words else 0.0  # in_slug
        samples[row, 28] = not address_words  # no_slug
        samples[row, 29] = find_similarity(words, title_element_words)  # like_html_title
        samples[row, 30] = is_in_title_element  # is_in_html_title
        samples[row, 31] = is_in_title_element and title_element.startswith(folded)  # begins_html_title
        samples[row, 32] = title_element == folded  # is_html_title
        samples[row, 33] = find_similarity(words, opengraph_words)  # like_opengraph
        samples[row, 34] = not opengraph_words  # no_opengraph
        samples[row, 35] = find_similarity(words, json_ld_words)  # like_json_ld
        samples[row, 36] = not json_ld_words  # no_json_ld
        like_h1 = 0.0
        for others in h1_words:
            like_h1 = max(like_h1, find_similarity(words, others))
        samples[row, 37] = like_h1  # like_h1
        samples[row, 38] = len(words & body_words) / count  # in_body


def count_capitals(text: str) -> int:
    """Return the number of capital letters."""
    count = 0
    for character in text:
        if character.isupper():
            count += 1
    return count


def count_digits(text: str) -> int:
    """Return the number of digits."""
    count = 0
    for character in text:
        if character.isdigit():
            count += 1
    return count


def find_similarity(words: set[str], others: set[str]) -> float:
    """Return the Jaccard index of two sets; 0 if the second is empty."""
    if not others:
        return 0.0
    both = len(words & others)
    return both / (len(words) + len(others) - both)


def write_positions(  # noqa: PLR0913, PLR0917
    samples: Any, candidates: list[Any], page: Any, contexts: Sequence[int], masks: Sequence[int], bold_tags: Any
) -> None:
    """Write the blocks that show the candidates. All features are 0 if there is none.

    `masks` are the context flags of headers, of the main text, and of other parts of the page.
    """
    blocks, nodes, first_body = page.blocks, page.nodes, page.first_body
    texts, link_chars, containers, first_rows = blocks.text, blocks.link_chars, blocks.container, blocks.first
    tags, parents, count = nodes.table.tag, nodes.parent, len(texts)
    for row in range(len(candidates)):
        candidate = candidates[row]
        block = candidate.block
        if block < 0:
            continue
        context, container = contexts[block], containers[block]
        distance = first_body - block
        is_inner = candidate.is_inner
        is_called_title, is_called_other = page.read_names(candidate.element if is_inner else container)
        samples[row, 39] = 1.0  # is_shown
        samples[row, 40] = min(candidate.shown_count, 4) / 4  # times
        samples[row, 41] = block / count  # place
        samples[row, 42] = max(min(distance, _MAX_DISTANCE), -_MAX_DISTANCE) / _MAX_DISTANCE  # to_body
        samples[row, 43] = distance > 0  # is_above_body
        samples[row, 44] = distance > _MAX_DISTANCE  # is_far_above
        samples[row, 45] = context & masks[0] > 0  # in_header
        samples[row, 46] = context & masks[1] > 0  # in_main
        samples[row, 47] = context & masks[2] > 0  # in_aside
        samples[row, 48] = link_chars[block] / len(texts[block])  # link_share
        samples[row, 49] = is_called_title  # is_called_title
        samples[row, 50] = is_called_other  # is_called_other
        samples[row, 51] = is_bold(tags, parents, first_rows[block], container, bold_tags)  # is_bold
        samples[row, 52] = min(len(texts[block + 1]), 400) / 400 if block + 1 < count else 0.0  # following
        samples[row, 53] = is_inner and page.read_names(candidate.other_element)[1]  # beside_other


def is_bold(tags: Any, parents: Any, row: int, container: int, bold_tags: Any) -> bool:
    """Tell whether one of the elements just around a text node is bold."""
    for _ in range(_MAX_BOLD_STEPS):
        row = parents[row]
        if row <= container:
            return False
        if tags[row] in bold_tags:
            return True
    return False
