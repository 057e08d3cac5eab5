"""What worker processes compute for the desk. Each function takes a task and returns a value for JSON."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from broadsheet.api import PageInput, extract_input
from broadsheet.article import Article, Status
from broadsheet.blocks import CONTENT_ROLES, Blocks, segment, tags
from broadsheet.corpora import Record, align_text
from broadsheet.desk.page_view import render_page_view
from broadsheet.errors import BroadsheetError, LimitReached
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.contenders import Contender, Extractor, find_contenders, open_extractor
from broadsheet.evaluation.measures import harmonic_mean
from broadsheet.evaluation.peers import PEERS
from broadsheet.evaluation.scores import Gold, read_gold, score_answer
from broadsheet.fields import FIELDS
from broadsheet.methods import DEFAULT_METHOD, describe_method, methods
from broadsheet.methods.registry import ExplainingMethod
from broadsheet.options import ExtractOptions, list_own_weights, make_options
from broadsheet.page import Nodes, Page, host_of, read_page, read_text
from broadsheet.project.analysis import analyse_page, list_paths
from broadsheet.server.tasks import PageAnswer, PageTask
from broadsheet.text import split_words

METHOD, WEIGHTS, PEER = "method", "weights", "peer"
_NO_TEXT_PEERS = frozenset(("htmldate",))


@dataclass(frozen=True, slots=True)
class ExtractorChoice:
    """One way to extract a page."""

    key: str  # its name in addresses and requests
    kind: str  # METHOD, WEIGHTS or PEER
    description: str
    method: str = ""  # of Broadsheet; "" for a peer
    weights: tuple[Path, ...] = ()
    peer: Contender | None = None

    @property
    def is_default(self) -> bool:
        """Whether it is the default method with its shipped weights."""
        return self.key == DEFAULT_METHOD


def list_own_contenders(weights: tuple[Path, ...] = ()) -> dict[str, ExtractorChoice]:
    """Return the methods, with shipped and with own weights, by key."""
    rows = [ExtractorChoice(name, METHOD, _describe_method(name), method=name) for name in methods()]
    rows += [_describe_weights(folder) for folder in dict.fromkeys(weights)]
    return {contender.key: contender for contender in rows}


def list_contenders(weights: tuple[Path, ...] = ()) -> dict[str, ExtractorChoice]:
    """Return all that can be run, by key: methods, own weights, peers. The first call takes a few seconds."""
    return list_own_contenders(weights) | {peer.key: peer for peer in _find_peers()}


def _describe_weights(folder: Path) -> ExtractorChoice:
    method = list_own_weights((folder,)).method or DEFAULT_METHOD
    key = f"{method}@{folder.name}"
    return ExtractorChoice(
        key, WEIGHTS, f"{method} with the weights in {folder.name}", method=method, weights=(folder,)
    )


@cache
def _find_peers() -> list[ExtractorChoice]:
    """Return the peers that are installed. Cached, because other environments are asked for their versions."""
    lineup = find_contenders((), [name for name in PEERS if name not in _NO_TEXT_PEERS])
    return [
        ExtractorChoice(peer.name, PEER, f"version {peer.version}", peer=peer)
        for peer in lineup.contenders
        if peer.is_peer
    ]


@cache
def _describe_method(name: str) -> str:
    try:
        return describe_method(name)
    except Exception as error:  # a plugin that does not load must not hide the other methods
        return f"does not load: {error}"


_FIELD_NAMES = tuple(field.name for field in FIELDS)
# Where the advice of a status names options of the command line or names of Python
_DESK_ADVICE = {Status.EMPTY: "all blocks of the page are under Blocks", Status.FAILED: ""}


@dataclass(frozen=True, slots=True)
class DeskTask(PageTask):
    """A function of this module, called with a page in a worker process. The answer is JSON."""

    function: str = ""  # a name in FUNCTIONS
    arguments: tuple[object, ...] = ()

    def make_answer(self, options: ExtractOptions) -> PageAnswer:
        """Call the function. Without a value, the answer has the reason."""
        try:
            value = FUNCTIONS[self.function](self, options)
        except LimitReached:
            return PageAnswer(
                b"", Status.TIMEOUT.value, "the page took longer than its time limit; raise --max-seconds"
            )
        except BroadsheetError as error:
            return PageAnswer(b"", Status.FAILED.value, str(error))
        return PageAnswer(json.dumps(value).encode(), Status.OK.value)


@dataclass(frozen=True, slots=True)
class AnalysisTask(PageTask):
    """Analyse a page with some weights. The answer is a packed `Analysis`."""

    weights: Path | None = None

    def make_answer(self, options: ExtractOptions) -> PageAnswer:
        """Return the analysis."""
        chosen = options if self.weights is None else make_options(options, weights=self.weights)
        try:
            analysis = analyse_page(self.page.html or b"", self.page.url, replace(chosen, charset=self.charset))
        except BroadsheetError as error:
            return PageAnswer(b"", Status.FAILED.value, str(error))
        return PageAnswer(analysis.pack(), Status.OK.value)


def _view_page(task: DeskTask, options: ExtractOptions) -> dict[str, Any]:
    page = _read_page(task, options)
    blocks = segment(page)
    return {
        "html": render_page_view(page, blocks),
        "blocks": _describe_blocks(blocks),
        "paths": list_paths(page.nodes, blocks),  # in the order of the numbers of the blocks
        "is_cut": page.is_cut,
        "is_bare": not page.sheets and has_linked_sheets(page.nodes),
    }


def has_linked_sheets(nodes: Nodes) -> bool:
    """Return whether a page links to style sheets: a saved page without them starts with bare menus."""
    return any(tag == "link" and "stylesheet" in nodes.attr(row, "rel").lower() for row, tag in enumerate(nodes.tag))


def _describe_blocks(blocks: Blocks) -> list[dict[str, Any]]:
    return [
        {
            "text": blocks.text[block],
            "path": "/".join(blocks.tag_paths.steps(blocks.tag_path[block])),
            "link_share": round(blocks.link_share(block), 3),
            "is_hidden": blocks.has(block, tags.HIDDEN),
        }
        for block in range(len(blocks))
    ]


def _extract_page(task: DeskTask, options: ExtractOptions) -> dict[str, Any]:
    """Extract with one contender. With a gold text, score the result."""
    contender, gold_text = task.arguments
    assert isinstance(contender, ExtractorChoice)
    blocks = segment(_read_page(task, options))
    start = time.perf_counter()
    details: dict[str, Any] = {"status": "", "roles": [], "scores": []}
    if contender.peer:
        answer = _run_peer(task, contender)
        kept = align_text(blocks.text, answer.text or "")
    else:
        article = _extract(task, _choose(contender, options))
        details = _describe_article(article)
        answer = _make_answer(article)
        kept = _list_kept(article) or [False] * len(blocks)
    seconds = time.perf_counter() - start
    gold = _read_gold(task, gold_text) if isinstance(gold_text, str) else None
    return {
        "key": contender.key,
        **details,
        "text": answer.text or "",
        "words": len(split_words(answer.text or "")),
        "title": answer.title,
        "authors": list(answer.authors),
        "date": answer.date,
        "confidence": answer.confidence,
        "kept": _write_flags(kept),
        "lengths": [len(text) for text in blocks.text],
        "ms": round(1000 * seconds, 1),
        "error": answer.error or "",
        "gold": _score(gold, answer) if gold and not answer.error else None,
        "gold_kept": _write_flags(gold.in_text) if gold else None,
    }


def _summarize_page(task: DeskTask, options: ExtractOptions) -> dict[str, Any]:
    """Return a row of the page table."""
    article = _extract(task, options)
    return {
        "title": article.title,
        "site": article.site_name or host_of(article.url),
        "status": article.status.value,
        "meaning": article.sources.get("status") or article.status.meaning,
        "confidence": article.confidence,
        "exactness": article.exactness,
        "doubts": len(article.doubts),
        "date": article.date.date().isoformat() if article.date else None,
        "words": len(split_words(article.text)),
        "text_hash": hashlib.sha256(article.text.encode("utf-8", "replace")).hexdigest() if article.text else None,
    }


def _describe_article(article: Article) -> dict[str, Any]:
    """Return the parts of an article that only Broadsheet's methods give."""
    record, labels = article.to_dict(), article.labels
    fields = [
        {
            "name": name,
            "value": record.get(name),
            "source": article.sources.get(name),
            "confidence": article.confidences.get(name),
        }
        for name in _FIELD_NAMES
    ]
    return {
        "status": article.status.value,
        "meaning": article.status.meaning,
        "advice": _DESK_ADVICE.get(article.status, article.status.advice),
        "reason": article.sources.get("status", ""),
        "roles": [role.value for role in labels.roles] if labels else [],
        "scores": [round(score, 3) for score in labels.scores] if labels else [],
        "fields": fields,
        "html": article.html,
        "comment_count": len(article.comments),
    }


def _write_formats(task: DeskTask, options: ExtractOptions) -> dict[str, Any]:
    """Return an article as Markdown and as a record."""
    (contender,) = task.arguments
    assert isinstance(contender, ExtractorChoice)
    article = _extract(task, _choose(contender, options))
    return {"markdown": article.markdown, "record": article.to_dict()}


def _explain_page(task: DeskTask, options: ExtractOptions) -> list[list[dict[str, Any]]]:
    """Return for each block the groups of features that raised or lowered its score, if the method can tell."""
    (contender,) = task.arguments
    assert isinstance(contender, ExtractorChoice)
    chosen = _choose(contender, options)
    if not isinstance(chosen.load_method(), ExplainingMethod):
        raise BroadsheetError(f"{contender.method} gives no reasons; fusion does")
    article = _extract(task, replace(chosen, explain=True))
    return [[asdict(reason) for reason in block.reasons] for block in article.blocks]


def _read_gold(task: DeskTask, text: str) -> Gold:
    html, _ = read_text(task.page.html or b"", charset=task.charset)
    return read_gold(Record(id="page", html=html, url=task.page.url, text=text))


def _list_kept(article: Article) -> list[bool]:
    return [role in CONTENT_ROLES for role in article.labels.roles] if article.labels else []


def _make_answer(article: Article) -> Answer:
    return Answer(
        text=article.text,
        title=article.title,
        authors=article.authors,
        date=article.date.isoformat() if article.date else None,
        confidence=article.confidence,
        kept_blocks=_write_flags(_list_kept(article)) or None,
        error=article.sources.get("status") if article.status.is_failure else None,
    )


def _run_peer(task: DeskTask, contender: ExtractorChoice) -> Answer:
    assert contender.peer is not None
    html, _ = read_text(task.page.html or b"", charset=task.charset)
    return _open_peer(contender)(html, task.page.url, None)


@cache
def _open_peer(contender: ExtractorChoice) -> Extractor:
    assert contender.peer is not None
    return open_extractor(contender.peer)


def _score(gold: Gold, answer: Answer) -> dict[str, float]:
    """Return precision, recall and F1 of shingles (runs of words), as `broadsheet eval` computes them."""
    columns = score_answer(gold, answer, fields=frozenset(("text",))).columns
    precision, recall = columns["shingle_precision"], columns["shingle_recall"]
    f1 = harmonic_mean(precision, recall)
    return {"precision": precision, "recall": recall, "f1": f1, "exact": columns["exact"]}


def _write_flags(flags: list[bool]) -> str:
    return "".join("1" if flag else "0" for flag in flags)


def _choose(contender: ExtractorChoice, options: ExtractOptions) -> ExtractOptions:
    return replace(options, method=contender.method, weights=contender.weights)


def _extract(task: DeskTask, options: ExtractOptions) -> Article:
    page = PageInput(task.page.url, task.page.html or b"", task.page.sheets)
    return extract_input(page, replace(options, charset=task.charset, images=False), keep_page=False)


def _read_page(task: DeskTask, options: ExtractOptions) -> Page:
    page = read_page(task.page.html or b"", url=task.page.url, charset=task.charset, limits=options.limits)
    return replace(page, sheets=task.page.sheets) if task.page.sheets else page


FUNCTIONS: dict[str, Callable[[DeskTask, ExtractOptions], Any]] = {
    "view_page": _view_page,
    "summarize_page": _summarize_page,
    "extract_page": _extract_page,
    "explain_page": _explain_page,
    "write_formats": _write_formats,
}
